import Bytes
import CLinux

/// Directory on a path in which an untrusted user could replace an entry.
public struct ExposedDirectory: Equatable {
  public let path: Path
  /// Whether an untrusted user owns it; otherwise others may write in it.
  public let isForeign: Bool

  public init(path: Path, isForeign: Bool) {
    self.path = path
    self.isForeign = isForeign
  }

  /// Maximum number of links, the same as the kernel's.
  private static let linksMax = 40

  /// Checks each directory that is searched on the way to `path`, including the paths of symbolic
  /// links. Root, the user of this process and the `owner` of the target are trusted, with their
  /// groups. In a sticky directory like /tmp users can change only their own entries.
  ///
  /// - Throws: the kernel's error, if the path cannot be followed.
  /// - Returns: the first exposed directory; nil without one.
  public static func first(
    above path: Path, of owner: Owner
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
    of place: Path, _ status: FileStatus, _ owner: Owner
  ) -> ExposedDirectory? {
    guard isTrusted(status.user, owner) else { return Self(path: place, isForeign: true) }
    guard status.mode & mode_t(S_ISVTX) == 0 else { return nil }
    let isGroupTrusted = [0, getegid(), owner.group].contains(status.group)
    let isShared = status.mode & (isGroupTrusted ? 0o002 : 0o022) != 0
    return isShared ? Self(path: place, isForeign: false) : nil
  }

  private static func isTrusted(_ user: UInt32, _ owner: Owner) -> Bool {
    [0, geteuid(), owner.user].contains(user)
  }
}

extension [[UInt8]] {
  /// Splits an absolute path or a link's path into its names, in reverse order.
  fileprivate init(stepsOf path: Path) {
    self = path.bytes.split(separator: UInt8(ascii: "/")).map { [UInt8]($0) }.reversed()
  }
}
