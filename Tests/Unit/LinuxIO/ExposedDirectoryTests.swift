import CLinux
import Testing

@testable import LinuxIO

/// Directories in which another user could put something else in the place of ours.
@Suite struct ExposedDirectoryTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func name(_ parts: String) -> String { "\(directory.name)/\(parts)" }

  private func make(_ parts: String, mode: mode_t = 0o755) throws {
    try check(unsafe mkdir(name(parts), 0o700))
    try check(unsafe chmod(name(parts), mode))
  }

  private func first(above parts: String) throws -> ExposedDirectory? {
    let path = directory.path(parts)
    return try ExposedDirectory.first(
      above: path, of: try Descriptor(opening: path, mode: .directory).status())
  }

  private func exposed(_ parts: String, isForeign: Bool) -> ExposedDirectory {
    ExposedDirectory(path: directory.path(parts), isForeign: isForeign)
  }

  @Test(
    arguments: [(0o755, false), (0o777, true), (0o757, true), (0o1777, false)] as [(mode_t, Bool)])
  func whoMayWriteADirectoryMayReplaceWhatIsInIt(mode: mode_t, isExposed: Bool) throws {
    try make("above", mode: mode)
    try make("above/state")
    #expect(
      try first(above: "above/state") == (isExposed ? exposed("above", isForeign: false) : nil))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func aGroupMayWriteWhereItIsRootsOrOurs() throws {
    try make("above", mode: 0o770)
    try make("above/state")
    #expect(try first(above: "above/state") == nil)
    try check(unsafe chown(name("above"), 0, 65534))
    #expect(try first(above: "above/state") == exposed("above", isForeign: false))
    // What belongs to its owner may be with them.
    try check(unsafe chown(name("above/state"), 65534, 65534))
    #expect(try first(above: "above/state") == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func eachLinkOnTheWayIsFollowedStepByStep() throws {
    try make("theirs")
    try make("ours")
    try make("ours/state")
    try check(unsafe symlink(name("ours"), name("theirs/link")))
    try check(unsafe symlink("theirs/link", name("way")))
    #expect(try first(above: "way/state") == nil)
    try check(unsafe chown(name("theirs"), 65534, 65534))
    #expect(try first(above: "way/state") == exposed("theirs", isForeign: true))
    try check(unsafe chown(name("theirs"), 0, 0))
    try check(unsafe lchown(name("theirs/link"), 65534, 65534))
    #expect(try first(above: "way/state") == exposed("theirs/link", isForeign: true))
  }
}
