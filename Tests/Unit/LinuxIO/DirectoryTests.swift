import Bytes
import CLinux
import LinuxIO
import Testing

/// What a user may do to root in a directory of the user's own.
@Suite struct DirectoryTests {
  private static let nobody: uid_t = 65534
  private static let modes: [OpenMode] = [.append, .writeNewPrivate, .writePrivate, .read]

  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func link(_ target: String, _ name: String) throws {
    try check(unsafe symlink(target, "\(directory.name)/\(name)"))
  }

  private func owner(of name: String) throws -> uid_t {
    var status = stat()
    try check(unsafe lstat("\(directory.name)/\(name)", &status))
    return status.st_uid
  }

  @Test(arguments: modes) func aLinkIsNotOpened(_ mode: OpenMode) throws {
    try directory.write([1], to: "precious")
    try link("precious", "file")
    #expect(throws: Errno.self) {
      _ = try Directory(opening: directory.path).open(Path("file"), mode: mode)
    }
    #expect(try readFile(at: directory.path("precious"), byteCountMax: 9) == [1])
  }

  @Test func aLinkIsNoDirectoryOfThisOne() throws {
    try check(unsafe mkdir("\(directory.name)/real", 0o700))
    try link("real", "spool")
    let opened = try Directory(opening: directory.path)
    #expect(throws: Errno.self) { _ = try opened.directory(Path("spool")) }
    _ = try opened.directory(Path("real"))
  }

  /// The mask of a shell or of a unit may exclude others.
  @Test func aPublicFileIsForEveryUserAndAnotherForItsOwner() throws {
    let opened = try Directory(opening: directory.path)
    for (isPublic, mode) in [(true, 0o644), (false, 0o600), (true, 0o644)] as [(Bool, mode_t)] {
      try opened.replace(Path("file"), with: [1].span, isPublic: isPublic)
      #expect(try directory.mode(of: "file") & 0o777 == mode)
    }
    #expect(try directory.names() == ["file"])
  }

  @Test func aFileIsReadWholeOrNotAtAll() throws {
    try directory.write([1, 2, 3], to: "file")
    let opened = try Directory(opening: directory.path)
    #expect(try opened.read(Path("file"), byteCountMax: 3) == [1, 2, 3])
    #expect(throws: Errno.fileTooLarge) { _ = try opened.read(Path("file"), byteCountMax: 2) }
    #expect(throws: Errno.noSuchFile) { _ = try opened.read(Path("none"), byteCountMax: 2) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func whatRootMakesBelongsToTheOwnerOfTheDirectory() throws {
    try check(unsafe chown(directory.name, Self.nobody, Self.nobody))
    let opened = try Directory(opening: directory.path)
    try opened.replace(Path("state"), with: [1].span)
    try opened.makePrivateDirectory(Path("spool"))
    try makePrivateDirectory(at: directory.path("other"))
    for name in ["state", "spool", "other"] { #expect(try owner(of: name) == Self.nobody) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func inADirectoryOfRootsItStaysRoots() throws {
    try Directory(opening: directory.path).replace(Path("state"), with: [1].span)
    #expect(try owner(of: "state") == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func inADirectoryOfRootsNoFileIsTakenFromItsOwner() throws {
    try directory.write([1], to: "given")
    try check(unsafe chown("\(directory.name)/given", Self.nobody, Self.nobody))
    _ = try Directory(opening: directory.path).open(Path("given"), mode: .writePrivate)
    #expect(try owner(of: "given") == Self.nobody)
  }

  @Test(
    arguments: [(0o700, false), (0o755, false), (0o720, true), (0o702, true)] as [(mode_t, Bool)])
  func itIsKnownWhetherOthersMayWrite(_ mode: mode_t, _ mayWrite: Bool) throws {
    try check(unsafe chmod(directory.name, mode))
    let opened = try Descriptor(opening: directory.path, mode: .directory)
    #expect(try opened.status().sharesWriting == mayWrite)
  }

  @Test func aPublicDirectoryIsForEveryUserWhateverTheMask() throws {
    let before = umask(0o077)
    defer { umask(before) }
    try Directory(opening: directory.path).makePublicDirectory(Path("new"))
    #expect(try directory.mode(of: "new") & 0o7777 == 0o755)
  }

  @Test func whatKilledProcessesLeftIsRemovedAndNothingElse() throws {
    let ofPersons = ["hosts.new", "hosts.new2024", "probe.new", "probe.newer1", "new"]
    for name in ["probe", "probe.new12"] + ofPersons { try directory.write([1], to: name) }
    try Directory(opening: directory.path).removeUnfinished(
      of: directory.path, named: [[UInt8]("probe".utf8)])
    #expect(Set(try directory.names()) == Set(["probe"] + ofPersons))
  }
}
