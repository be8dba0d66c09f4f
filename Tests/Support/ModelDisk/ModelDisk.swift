import Bytes

/// A disk with everything that disks do: they lose what was not synchronised, fill up, break, and
/// are mounted read-only.
///
/// A name may begin with a directory and a slash; each directory is synchronised by itself.
public final class ModelDisk {
  public enum Condition: Sendable {
    case healthy
    /// Nothing fits any more; what is taken away makes no room.
    case full
    /// Nothing can be read or written.
    case broken
    case readOnly
    /// One action of four fails.
    case flaky
  }

  /// As the kernel numbers them.
  public enum Failure: Int32, Error {
    case notThere = 2
    case brokenDown = 5
    case alreadyThere = 17
    case noSpace = 28
    case onlyForReading = 30

    public var code: Int32 { rawValue }
  }

  private final class Inode {
    /// Every state since it was synchronised last, that one first.
    var states: [[UInt8]] = [[]]
    var bytes: [UInt8] { states[states.count - 1] }
    var occupiedByteCount: Int { max(1, (bytes.count + 4095) / 4096) * 4096 }
  }

  private let sectorByteCount: Int
  private var inodes: [String: Inode] = [:]
  private var durableInodes: [String: Inode] = [:]
  private var random: SplitMix64
  public var condition = Condition.healthy
  /// How many bytes still fit.
  public var freeByteCount = Int.max

  /// - Parameters:
  ///   - seed: of what it decides.
  ///   - sectorByteCount: of what is written whole or not at all.
  public init(seed: UInt64 = 1, sectorByteCount: Int = 512) {
    random = SplitMix64(seed: seed)
    self.sectorByteCount = sectorByteCount
  }

  // MARK: What is on it

  /// All of it, for those who look at it from outside; what they put there stays.
  public var files: [String: [UInt8]] {
    get { inodes.mapValues(\.bytes) }
    set {
      for name in Set(inodes.keys).union(newValue.keys) { install(newValue[name], as: name) }
    }
  }

  /// What is in a file, for those who look at it from outside; nil where it is not there.
  public func bytes(of name: String) -> [UInt8]? { inodes[name]?.bytes }

  /// What a person puts there, who sees to it that it stays.
  public func install(_ bytes: [UInt8]?, as name: String) {
    inodes[name] = bytes.map { bytes in
      let inode = Inode()
      inode.states = [bytes]
      return inode
    }
    durableInodes[name] = inodes[name]
  }

  /// In whole blocks of 4096 bytes, as a file system counts.
  public var occupiedByteCount: Int { inodes.values.reduce(0) { $0 + $1.occupiedByteCount } }

  // MARK: Actions

  private func begin(isWriting: Bool) throws(Failure) {
    switch condition {
    case .healthy, .full: break
    case .broken: throw Failure.brokenDown
    case .readOnly: if isWriting { throw Failure.onlyForReading }
    case .flaky: if random.next() % 4 == 0 { throw Failure.brokenDown }
    }
  }

  private func inode(_ name: String) throws(Failure) -> Inode {
    guard let inode = inodes[name] else { throw Failure.notThere }
    return inode
  }

  public func names(in directory: String) throws(Failure) -> [(name: String, byteCount: Int)] {
    try begin(isWriting: false)
    // The order of a directory says nothing; here it is always the same.
    return inodes.keys.filter { $0.hasPrefix(directory + "/") }.sorted().map { name in
      (String(name.dropFirst(directory.utf8.count + 1)), inodes[name]?.bytes.count ?? 0)
    }
  }

  public func read(_ name: String) throws(Failure) -> [UInt8] {
    try begin(isWriting: false)
    return try inode(name).bytes
  }

  public func create(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    guard inodes[name] == nil else { throw Failure.alreadyThere }
    if condition == .full { throw Failure.noSpace }
    inodes[name] = Inode()
  }

  /// Takes as much as there is room for; a disk that is full takes some of it.
  public func append(_ bytes: [UInt8], to name: String) throws(Failure) {
    try begin(isWriting: true)
    let inode = try inode(name)
    let isFull = condition == .full
    let room = isFull ? Int(random.next() % UInt64(bytes.count + 1)) : freeByteCount
    let fitting = min(bytes.count, room)
    if fitting > 0 { inode.states.append(inode.bytes + bytes.prefix(fitting)) }
    if !isFull { freeByteCount -= fitting }
    if isFull || fitting < bytes.count { throw Failure.noSpace }
  }

  public func truncate(_ name: String, to byteCount: Int) throws(Failure) {
    try begin(isWriting: true)
    let inode = try inode(name)
    inode.states.append([UInt8](inode.bytes.prefix(byteCount)))
  }

  public func synchronize(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    let inode = try inode(name)
    inode.states = [inode.bytes]
  }

  /// Without a name it is the one in which all the others are: what has no slash in its name.
  public func synchronizeDirectory(_ directory: String? = nil) throws(Failure) {
    try begin(isWriting: true)
    for name in Set(inodes.keys).union(durableInodes.keys) where isIn(directory, name) {
      durableInodes[name] = inodes[name]
    }
  }

  private func isIn(_ directory: String?, _ name: String) -> Bool {
    guard let directory else { return !name.contains("/") }
    return name.hasPrefix(directory + "/")
  }

  /// One that is not there is no error.
  public func delete(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    inodes[name] = nil
  }

  public func rename(_ old: String, to new: String, mayReplace: Bool) throws(Failure) {
    try begin(isWriting: true)
    let inode = try inode(old)
    guard mayReplace || inodes[new] == nil else { throw Failure.alreadyThere }
    inodes[old] = nil
    inodes[new] = inode
  }

  // MARK: The power goes

  /// Of what was not synchronised everything is as it was at some time, or not at all.
  public func cutPower() {
    let changed = Set(inodes.keys).union(durableInodes.keys).sorted()
    for name in changed where inodes[name] !== durableInodes[name] {
      if Bool.random(using: &random) { inodes[name] = durableInodes[name] }
    }
    for name in inodes.keys.sorted() {
      guard let inode = inodes[name], inode.states.count > 1 else { continue }
      inode.states = [torn(inode.states)]
    }
    durableInodes = inodes
  }

  /// Each sector as it was at some time, or zeros where it never was.
  private func torn(_ states: [[UInt8]]) -> [UInt8] {
    let byteCount = states[Int.random(in: 0..<states.count, using: &random)].count
    var bytes = [UInt8](repeating: 0, count: byteCount)
    for start in stride(from: 0, to: byteCount, by: sectorByteCount) {
      let state = states[Int.random(in: 0..<states.count, using: &random)]
      let end = min(start + sectorByteCount, byteCount, state.count)
      if start < end { bytes.replaceSubrange(start..<end, with: state[start..<end]) }
    }
    return bytes
  }
}
