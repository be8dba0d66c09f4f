import Bytes
import CLinux

/// What a user of this machine may do with files, by their owners and groups. Access control lists
/// are not looked at.
public struct UserRights: Equatable, Sendable {
  private static let groupsMax = 256

  public let name: [UInt8]
  public let number: UInt32
  public let groups: [UInt32]

  public init(name: [UInt8], number: UInt32, groups: [UInt32]) {
    self.name = name
    self.number = number
    self.groups = groups
  }

  /// Nil where this machine has no user of this name.
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

  /// What keeps a user from a file.
  public enum Obstacle: Equatable, Sendable {
    /// This directory on the way may not be entered.
    case directory(Path)
    /// The file is for a group, by its number, in which the user is not.
    case group(UInt32)
    /// It is for its owner only.
    case owner
  }

  /// The directory on the way to a file that the user may not enter; nil where there is none.
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

  /// What keeps the user from reading a file; nil where nothing does, or it is not there.
  public func obstacle(toReading path: Path) -> Obstacle? {
    if let folder = obstacle(toEntering: path) { return .directory(folder) }
    guard let status = FileStatus(of: path), !allows(.read, status) else { return nil }
    let isForGroup = status.mode & (Right.read.rawValue << 3) != 0
    return isForGroup && status.group != 0 && status.user != number ? .group(status.group) : .owner
  }

  /// Whether a file or a directory belongs to the user; nil where it is not there.
  public func owns(_ path: Path) -> Bool? { FileStatus(of: path).map { $0.user == number } }

  /// A right as the last three bits of a mode have it.
  private enum Right: mode_t {
    /// Of a directory.
    case enter = 1
    case read = 4
  }

  private func allows(_ right: Right, _ status: FileStatus) -> Bool {
    if number == 0 { return true }
    let shift: mode_t = status.user == number ? 6 : groups.contains(status.group) ? 3 : 0
    return status.mode >> shift & right.rawValue != 0
  }
}

/// What a group is called; its number where it has no name.
public func groupName(_ number: UInt32) -> [UInt8] {
  var name = [UInt8](repeating: 0, count: 64)
  let isKnown = unsafe name.withUnsafeMutableBytes { bytes in
    guard let start = bytes.baseAddress else { return false }
    return unsafe clinux_group_name(
      number, start.assumingMemoryBound(to: CChar.self), bytes.count)
  }
  if isKnown { return [UInt8](name.prefix { $0 != 0 }) }
  var digits = ByteBuffer(capacity: 16)
  digits.append(decimal: number)
  return [UInt8](digits.bytes)
}
