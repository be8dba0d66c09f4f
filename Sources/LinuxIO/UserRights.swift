import Bytes
import CLinux

/// File access rights of a user of this machine, by owners and groups. Access control lists are not
/// checked.
public struct UserRights: Equatable, Sendable {
  private static let groupsMax = 256

  public let name: [UInt8]
  public let number: UInt32
  public let groups: [UInt32]
}

extension UserRights {
  /// Looks a user up; nil if this machine has no user of this name.
  public init?(named name: [UInt8]) {
    guard !name.isEmpty, !name.contains(0) else { return nil }
    var number: UInt32 = 0
    var groups = [UInt32](repeating: 0, count: Self.groupsMax)
    let count = unsafe Path(name).withCString { name in
      unsafe groups.withUnsafeMutableBufferPointer { groups -> Int32 in
        guard let start = groups.baseAddress else { return -1 }
        return unsafe clinux_user(name, &number, start, Int32(groups.count))
      }
    }
    guard count >= 0 else { return nil }
    self.init(name: name, number: number, groups: [UInt32](groups.prefix(Int(count))))
  }

  /// Reason why a user cannot access a file.
  public enum Obstacle: Equatable, Sendable {
    /// The user may not enter this directory of the path.
    case directory(Path)
    /// The file is for a group, by its number, of which the user is not a member.
    case group(UInt32)
    /// The file is only for its owner.
    case owner
  }

  /// Returns the first directory of the path that the user may not enter; nil without one.
  public func obstacle(toEntering path: Path) -> Path? {
    var folders: [Path] = []
    var folder = path.parent
    while folder.bytes != folder.parent.bytes {
      folders.append(folder)
      folder = folder.parent
    }
    for folder in folders.reversed() {
      if let status = FileStatus(of: folder), !allows(.enter, status) { return folder }
    }
    return nil
  }

  /// Returns the obstacle to reading a file; nil if the user can read it or it does not exist.
  public func obstacle(toReading path: Path) -> Obstacle? {
    if let folder = obstacle(toEntering: path) { return .directory(folder) }
    guard let status = FileStatus(of: path), !allows(.read, status) else { return nil }
    let isForGroup = status.mode & (Right.read.rawValue << 3) != 0
    return isForGroup && status.group != 0 && status.user != number ? .group(status.group) : .owner
  }

  /// Returns whether a file or a directory belongs to the user; nil if it does not exist.
  public func owns(_ path: Path) -> Bool? { FileStatus(of: path).map { $0.user == number } }

  /// Access right, as in the last three bits of a mode.
  private enum Right: mode_t {
    /// Right to enter a directory.
    case enter = 1
    case read = 4
  }

  private func allows(_ right: Right, _ status: FileStatus) -> Bool {
    if number == 0 { return true }
    let shift: mode_t = status.user == number ? 6 : groups.contains(status.group) ? 3 : 0
    return status.mode >> shift & right.rawValue != 0
  }
}

/// Returns the name of a group; its number if it has no name.
public func groupName(_ number: UInt32) -> [UInt8] {
  var name = [UInt8](repeating: 0, count: 64)
  let isKnown = unsafe name.withUnsafeMutableBytes { bytes in
    guard let start = bytes.baseAddress else { return false }
    return unsafe clinux_group_name(
      number, start.assumingMemoryBound(to: CChar.self), bytes.count)
  }
  if isKnown { return [UInt8](name.prefix { $0 != 0 }) }
  return ("\(Int64(number))" as MessageText).bytes
}
