import Bytes
import CLinux

/// Owner, group, mode and size of a file.
public struct FileStatus: Equatable, Sendable {
  public let user: UInt32
  public let group: UInt32
  let mode: mode_t
  let byteCount: Int
  /// Number of the device that the file stands for; 0 for other files.
  public let deviceNumber: UInt64

  /// Lower twelve bits of its mode: the permissions, and the bits of programs and directories.
  public var permissions: UInt32 { UInt32(mode) & 0o7777 }

  /// Whether its group or every user may write to it.
  public var sharesWriting: Bool { mode & 0o022 != 0 }

  /// Reads the status; nil if the file does not exist, or this process may not read its status.
  public init?(of path: Path) {
    do throws(Errno) { try self.init(at: path) } catch { return nil }
  }

  init(at path: Path) throws(Errno) {
    unsafe try self.init(path) { unsafe stat($0, $1) }
  }

  /// Reads the status of a link itself instead of its target.
  init(ofLinkAt path: Path) throws(Errno) {
    unsafe try self.init(path) { unsafe lstat($0, $1) }
  }

  private init(
    _ path: Path, _ ask: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
  ) throws(Errno) {
    var status = stat()
    _ = try unsafe path.call { unsafe ask($0, &status) }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    user = status.st_uid
    group = status.st_gid
    mode = status.st_mode
    byteCount = Int(clamping: status.st_size)
    deviceNumber = UInt64(status.st_rdev)
  }

  var isRegularFile: Bool { mode & mode_t(S_IFMT) == mode_t(S_IFREG) }
}

extension Descriptor {
  public func status() throws(Errno) -> FileStatus {
    var status = stat()
    _ = try retryingInterrupts { unsafe fstat(number, &status) }
    return FileStatus(status)
  }
}

extension Path {
  /// Whether the path is a pipe, a socket, a device or a directory, whose reader may wait without a
  /// limit.
  public var isNoFile: Bool { FileStatus(of: self).map { !$0.isRegularFile } ?? false }
}

/// Directory on a path in which an untrusted user could replace an entry.
public struct ExposedDirectory: Equatable {
  public let path: Path
  /// Whether an untrusted user owns it; otherwise others may write in it.
  public let isForeign: Bool

  /// Maximum number of links, the same as the kernel's.
  private static let linksMax = 40

  /// Returns the first exposed directory that is searched on the way to `path`, including the paths
  /// of symbolic links; nil without one. Root, the user of this process and the `owner` of the
  /// target are trusted, with their groups. In a sticky directory like /tmp users can change only
  /// their own entries.
  public static func first(
    above path: Path, of owner: FileStatus
  ) throws(Errno) -> ExposedDirectory? {
    var steps = [[UInt8]](stepsOf: path)
    var place = Path("/")
    var linkCount = 0
    while let step = steps.popLast() {
      let status = try FileStatus(at: place)
      if let flaw = flaw(of: place, status, owner) { return flaw }
      let next = Path(place.bytes.withoutTrailingSlashes(keeping: 0)) / step
      guard let target = try target(ofLinkAt: next) else {
        place = next
        continue
      }
      // In a directory like /tmp another user may have created the link.
      let link = try FileStatus(ofLinkAt: next)
      guard isTrusted(link.user, owner) else { return Self(path: next, isForeign: true) }
      linkCount += 1
      guard linkCount <= linksMax else { throw Errno(code: ELOOP) }
      if target.bytes.first == UInt8(ascii: "/") { place = Path("/") }
      steps += [[UInt8]](stepsOf: target)
    }
    return nil
  }

  private static func flaw(
    of place: Path, _ status: FileStatus, _ owner: FileStatus
  ) -> ExposedDirectory? {
    guard isTrusted(status.user, owner) else { return Self(path: place, isForeign: true) }
    guard status.mode & mode_t(S_ISVTX) == 0 else { return nil }
    let isGroupTrusted = [0, getegid(), owner.group].contains(status.group)
    let isShared = status.mode & (isGroupTrusted ? 0o002 : 0o022) != 0
    return isShared ? Self(path: place, isForeign: false) : nil
  }

  private static func isTrusted(_ user: UInt32, _ owner: FileStatus) -> Bool {
    [0, geteuid(), owner.user].contains(user)
  }
}

extension [[UInt8]] {
  /// Splits an absolute path or a link's path into its names, in reverse order.
  fileprivate init(stepsOf path: Path) {
    self = path.bytes.split(separator: UInt8(ascii: "/")).map { [UInt8]($0) }.reversed()
  }
}
