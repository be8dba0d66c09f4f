import Bytes
import CLinux

/// A directory on the way to another one in which a user who is not trusted could put something
/// else in its place.
public struct ExposedDirectory: Equatable {
  public let path: Path
  /// Whether it belongs to such a user; else others may write in it.
  public let isForeign: Bool

  public init(path: Path, isForeign: Bool) {
    self.path = path
    self.isForeign = isForeign
  }

  /// As many links as the kernel follows.
  private static let linksMax = 40

  /// Looks at each directory in which a step of the way to `path` is looked up, also on the way of
  /// the links in between. Root, the user of this process and the `owner` of what is there are
  /// trusted, with their groups. In a directory like /tmp each user has only their own names.
  ///
  /// - Throws: the kernel's error, where the way cannot be followed.
  /// - Returns: nil where there is none.
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
      // In a directory like /tmp another user may have made it.
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
  /// The names of an absolute or a link's path, the first one last.
  fileprivate init(stepsOf path: Path) {
    self = path.bytes.split(separator: UInt8(ascii: "/")).map { [UInt8]($0) }.reversed()
  }
}
