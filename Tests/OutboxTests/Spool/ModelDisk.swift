import Bytes

@testable import Outbox

/// A disk that keeps what was synchronised, and of everything else what it likes.
final class ModelDisk {
  static let sectorByteCount = 64

  struct Broken: Error { let code: Int32 }

  private final class Inode {
    /// Every state since the last `fsync`, that one first.
    var states: [[UInt8]] = [[]]

    var bytes: [UInt8] {
      get { states[states.count - 1] }
      set { states.append(newValue) }
    }
  }

  private var names: [String: Inode] = [:]
  private var durableNames: [String: Inode] = [:]
  /// How many bytes still fit.
  var freeByteCount = Int.max

  var files: [String: [UInt8]] {
    get { names.mapValues { $0.bytes } }
    set {
      names = newValue.mapValues { bytes in
        let inode = Inode()
        inode.states = [bytes]
        return inode
      }
      durableNames = names
    }
  }

  var byteCount: Int { names.values.reduce(0) { $0 + $1.bytes.count } }

  /// In whole blocks of 4096 bytes, as a file system counts.
  var occupiedByteCount: Int {
    names.values.reduce(0) { $0 + max(1, ($1.bytes.count + 4095) / 4096) * 4096 }
  }

  private func inode(_ name: String) throws(Broken) -> Inode {
    guard let inode = names[name] else { throw Broken(code: 2) }
    return inode
  }

  func create(_ name: String) throws(Broken) {
    guard names[name] == nil else { throw Broken(code: 17) }
    names[name] = Inode()
  }

  /// Takes as much as there is room for.
  func append(_ bytes: [UInt8], to name: String) throws(Broken) {
    let fitting = min(bytes.count, freeByteCount)
    try inode(name).bytes += bytes.prefix(fitting)
    freeByteCount -= fitting
    if fitting < bytes.count { throw Broken(code: 28) }
  }

  func truncate(_ name: String, to byteCount: Int) throws(Broken) {
    let inode = try inode(name)
    inode.bytes = Array(inode.bytes.prefix(byteCount))
  }

  func synchronize(_ name: String) throws(Broken) {
    let inode = try inode(name)
    inode.states = [inode.bytes]
  }

  func synchronizeDirectory() { durableNames = names }

  func delete(_ name: String) { names[name] = nil }

  func rename(_ old: String, to new: String, mayReplace: Bool) throws(Broken) {
    let inode = try inode(old)
    guard mayReplace || names[new] == nil else { throw Broken(code: 17) }
    names[old] = nil
    names[new] = inode
  }

  // MARK: The power goes

  func cutPower(_ random: inout SplitMix64) {
    let changed = Set(names.keys).union(durableNames.keys).sorted()
    for name in changed where names[name] !== durableNames[name] {
      if Bool.random(using: &random) { names[name] = durableNames[name] }
    }
    for name in names.keys.sorted() {
      guard let inode = names[name] else { continue }
      inode.states = [torn(inode.states, &random)]
    }
    durableNames = names
  }

  /// Each sector as it was at some time since the last `fsync`, or zeros where it never was.
  private func torn(_ states: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
    let length = states[Int.random(in: 0..<states.count, using: &random)].count
    var bytes = [UInt8](repeating: 0, count: length)
    for start in stride(from: 0, to: length, by: Self.sectorByteCount) {
      let state = states[Int.random(in: 0..<states.count, using: &random)]
      for index in start..<min(start + Self.sectorByteCount, length) where index < state.count {
        bytes[index] = state[index]
      }
    }
    return bytes
  }
}
