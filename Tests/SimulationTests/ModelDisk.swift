import Bytes

/// A disk with everything that disks do: they lose what was not synchronised, fill up, break, and are
/// mounted read-only.
///
/// A name is a directory, a slash and a file; each directory is synchronised by itself.
final class ModelDisk {
  enum Condition: Equatable {
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
  enum Failure: Int32, Error {
    case notThere = 2
    case brokenDown = 5
    case alreadyThere = 17
    case noSpace = 28
    case onlyForReading = 30

    var code: Int32 { rawValue }
  }

  private static let sectorByteCount = 512

  private final class File {
    /// Every state since it was synchronised last, that one first.
    var states: [[UInt8]] = [[]]
    var bytes: [UInt8] { states[states.count - 1] }
  }

  private var files: [String: File] = [:]
  private var durableFiles: [String: File] = [:]
  private var random: SplitMix64
  var condition = Condition.healthy

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  // MARK: Actions

  private func begin(isWriting: Bool) throws(Failure) {
    switch condition {
    case .healthy, .full: break
    case .broken: throw Failure.brokenDown
    case .readOnly: if isWriting { throw Failure.onlyForReading }
    case .flaky: if random.next() % 4 == 0 { throw Failure.brokenDown }
    }
  }

  private func file(_ name: String) throws(Failure) -> File {
    guard let file = files[name] else { throw Failure.notThere }
    return file
  }

  func names(in directory: String) throws(Failure) -> [(name: String, byteCount: Int)] {
    try begin(isWriting: false)
    // The order of a directory says nothing; here it is always the same.
    return files.keys.filter { $0.hasPrefix(directory + "/") }.sorted().map { name in
      (String(name.dropFirst(directory.utf8.count + 1)), files[name]?.bytes.count ?? 0)
    }
  }

  func read(_ name: String) throws(Failure) -> [UInt8] {
    try begin(isWriting: false)
    return try file(name).bytes
  }

  func create(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    guard files[name] == nil else { throw Failure.alreadyThere }
    if condition == .full { throw Failure.noSpace }
    files[name] = File()
  }

  /// A full disk takes some of it.
  func append(_ bytes: [UInt8], to name: String) throws(Failure) {
    try begin(isWriting: true)
    let file = try file(name)
    let fitting =
      condition == .full ? Int(random.next() % UInt64(bytes.count + 1)) : bytes.count
    if fitting > 0 { file.states.append(file.bytes + bytes.prefix(fitting)) }
    if condition == .full { throw Failure.noSpace }
  }

  func truncate(_ name: String, to byteCount: Int) throws(Failure) {
    try begin(isWriting: true)
    let file = try file(name)
    file.states.append([UInt8](file.bytes.prefix(byteCount)))
  }

  func synchronize(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    let file = try file(name)
    file.states = [file.bytes]
  }

  func synchronizeDirectory(_ directory: String) throws(Failure) {
    try begin(isWriting: true)
    for name in Set(files.keys).union(durableFiles.keys) where name.hasPrefix(directory + "/") {
      durableFiles[name] = files[name]
    }
  }

  /// One that is not there is no error.
  func delete(_ name: String) throws(Failure) {
    try begin(isWriting: true)
    files[name] = nil
  }

  func rename(_ old: String, to new: String, mayReplace: Bool = true) throws(Failure) {
    try begin(isWriting: true)
    let file = try file(old)
    guard mayReplace || files[new] == nil else { throw Failure.alreadyThere }
    files[old] = nil
    files[new] = file
  }

  /// What a person puts there, who sees to it that it stays.
  func install(_ bytes: [UInt8]?, as name: String) {
    files[name] = bytes.map { bytes in
      let file = File()
      file.states = [bytes]
      return file
    }
    durableFiles[name] = files[name]
  }

  // MARK: The power goes

  /// Of what was not synchronised everything is as it was at some time, or not at all.
  func cutPower() {
    let changed = Set(files.keys).union(durableFiles.keys).sorted()
    for name in changed where files[name] !== durableFiles[name] {
      if Bool.random(using: &random) { files[name] = durableFiles[name] }
    }
    for name in files.keys.sorted() {
      guard let file = files[name], file.states.count > 1 else { continue }
      file.states = [torn(file.states)]
    }
    durableFiles = files
  }

  /// Each sector as it was at some time, or zeros where it never was.
  private func torn(_ states: [[UInt8]]) -> [UInt8] {
    let byteCount = states[Int.random(in: 0..<states.count, using: &random)].count
    var bytes = [UInt8](repeating: 0, count: byteCount)
    for start in stride(from: 0, to: byteCount, by: Self.sectorByteCount) {
      let state = states[Int.random(in: 0..<states.count, using: &random)]
      let end = min(start + Self.sectorByteCount, byteCount, state.count)
      if start < end { bytes.replaceSubrange(start..<end, with: state[start..<end]) }
    }
    return bytes
  }
}
