import Bytes
import Glibc
import LinuxIO
import Testing

/// A file system of 64 KiB, which takes the right to mount.
@Suite(.enabled(if: mayMount(), "mounting a small tmpfs takes CAP_SYS_ADMIN"))
final class FullDiskTests {
  private let directory: TestDirectory
  private let disk: Path
  private let name: String
  private static let oldByteCount = 4096
  private let old: [UInt8]

  init() throws {
    directory = try TestDirectory()
    name = "\(directory.name)/disk"
    disk = Path([UInt8](name.utf8))
    try makePrivateDirectory(at: disk)
    let old = [UInt8](repeating: 1, count: Self.oldByteCount)
    self.old = old
    try mount(0, "size=64k")
    try replaceFile(named: "state", in: disk, with: old.span)
  }

  deinit { unsafe umount2(name, Int32(MNT_DETACH)) }

  private func mount(_ flags: UInt, _ options: String) throws {
    try check(unsafe Glibc.mount("homeward", name, "tmpfs", flags, options))
  }
  /// To mount what is above the link would mend nothing.
  @Test func theMountPointIsThatOfWhatALinkNames() throws {
    let link = "\(directory.name)/link"
    try check(unsafe symlink(name, link))
    for text in [link, "\(link)/state", "\(link)/not/there", "\(name)/../link/."] {
      #expect(mountPoint(holding: Path([UInt8](text.utf8))) == disk, "\(text)")
    }
    #expect(mountPoint(holding: directory.path) != disk)
  }

  private var kept: [UInt8] { get throws { try readFile(at: disk / "state", byteCountMax: 8192) } }

  @Test func theOldFileSurvivesAFullDiskAndTheHalfOfTheNewOneIsRemoved() throws {
    let large = [UInt8](repeating: 2, count: 100_000)
    #expect(throws: Errno.noSpace) {
      try replaceFile(named: "state", in: disk, with: large.span)
    }
    #expect(try kept == old)
    #expect(try directory.names(in: disk) == ["state"])
    let new = [UInt8](repeating: 3, count: 4096)
    try replaceFile(named: "state", in: disk, with: new.span)
    #expect(try kept == new, "what was half written takes no room")
  }

  /// An empty configuration would be there, which nothing replaces.
  @Test func ofANewFileThereIsNothingIfTheDiskIsFull() throws {
    let large = [UInt8](repeating: 2, count: 100_000)
    #expect(throws: Errno.noSpace) { try writeNewFile(at: disk / "settings", large.span) }
    #expect(try directory.names(in: disk) == ["state"])
  }

  @Test func aWriteThatTheDiskCutsGoesOnAtItsEndUntilTheDiskIsFull() throws {
    let large = [UInt8](repeating: 2, count: 100_000)
    let file = try Descriptor(opening: disk / "segment", mode: .writePrivate)
    #expect(throws: Errno.noSpace) { try file.writeAll(large.span, from: 0) }
  }

  @Test func theOldFileSurvivesADiskThatIsReadOnly() throws {
    try mount(UInt(MS_REMOUNT | MS_RDONLY), "")
    #expect(throws: Errno.readOnlyFileSystem) {
      try replaceFile(named: "state", in: disk, with: [2].span)
    }
    #expect(try kept == old)
  }

  @Test func theSpaceOfADiskIsKnown() throws {
    let space = try FileSystemSpace(holding: disk)
    #expect(space.totalBytes == 65_536)
    #expect(space.availableBytes <= space.totalBytes - UInt64(Self.oldByteCount))
  }
}

/// Whether this process has CAP_SYS_ADMIN (`capabilities(7)`), which is number 21.
private func mayMount() -> Bool {
  let status = try? readFile(at: Path("/proc/self/status"), byteCountMax: 1 << 16)
  let line = String(decoding: status ?? [], as: UTF8.self).split(separator: "\n")
    .first { $0.hasPrefix("CapEff:") }
  let capabilities = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
  return (capabilities ?? 0) >> 21 & 1 == 1
}
