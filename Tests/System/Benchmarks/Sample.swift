import Foundation

/// What the kernel and `heapcount.c` have counted of a process since it started.
struct Counts: Equatable {
  /// Voluntary context switches of all threads: each is a sleep, and so a wake-up.
  var wakeUps = 0
  var heap = HeapCounts()
  var wire = WireCounts()

  static func - (later: Counts, earlier: Counts) -> Counts {
    Counts(
      wakeUps: later.wakeUps - earlier.wakeUps, heap: later.heap - earlier.heap,
      wire: later.wire - earlier.wire)
  }
}

/// Calls to the heap; the layout is told in `heapcount.c`.
struct HeapCounts: Equatable {
  var ownCalls = 0
  var libraryCalls = 0

  static func - (later: HeapCounts, earlier: HeapCounts) -> HeapCounts {
    HeapCounts(
      ownCalls: later.ownCalls - earlier.ownCalls,
      libraryCalls: later.libraryCalls - earlier.libraryCalls)
  }
}

extension HeapCounts {
  static let byteCount = 24
  private static let isTracingOffset: UInt64 = 16

  init(reading file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    guard bytes.count == Self.byteCount else {
      throw Failure(.software, "\(file.path) holds no heap counts")
    }
    let numbers = (0..<2).map { index in
      bytes[index * 8..<index * 8 + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    self.init(ownCalls: numbers[0], libraryCalls: numbers[1])
  }

  /// Tells the counting library to print where allocations of our own come from.
  static func startTracing(_ file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: isTracingOffset)
    try handle.write(contentsOf: Data([1]))
    try handle.close()
  }
}

/// What TCP has carried to and from the home.
struct WireCounts: Equatable {
  var sentBytes = 0
  var receivedBytes = 0

  static func - (later: WireCounts, earlier: WireCounts) -> WireCounts {
    WireCounts(
      sentBytes: later.sentBytes - earlier.sentBytes,
      receivedBytes: later.receivedBytes - earlier.receivedBytes)
  }
}

extension WireCounts {
  /// Asks the kernel, through ss(8), about the connections to `port`.
  init(toPort port: Int) throws {
    self.init()
    let answer = try run([
      "ss", "--tcp", "--info", "--numeric", "--no-header", "dport", "=", ":\(port)",
    ])
    for word in answer.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: ":")
      guard parts.count == 2, let number = Int(parts[1]) else { continue }
      if parts[0] == "bytes_sent" { sentBytes += number }
      if parts[0] == "bytes_received" { receivedBytes += number }
    }
  }
}

/// What a process holds, in KiB.
struct Memory {
  var resident = 0
  var unique = 0

  init(ofProcess id: Int32) throws {
    for (key, value) in try fields(of: "/proc/\(id)/smaps_rollup") {
      switch key {
      case "Rss": resident = value
      case "Private_Clean", "Private_Dirty": unique += value
      default: break
      }
    }
  }
}

/// Every thread of a process, as the kernel sees it now.
struct Threads {
  var count = 0
  var wakeUps = 0
  var areAsleep = true

  init(ofProcess id: Int32) throws {
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task") {
      let file = "/proc/\(id)/task/\(thread)/status"
      count += 1
      for (key, value) in try fields(of: file) where key == "voluntary_ctxt_switches" {
        wakeUps += value
      }
      let text = try String(contentsOfFile: file, encoding: .utf8)
      areAsleep = areAsleep && text.contains("State:\tS")
    }
  }
}

/// What `read` tells between two cycles of a process. The home tells of a message before it answers
/// it, so this looks until nothing moves any more, which no program reports.
func atRest<Value: Equatable>(_ process: Int32, _ read: () throws -> Value) throws -> Value {
  // A process that goes on for longer is not in a steady cycle.
  let end = ContinuousClock.now + .seconds(5)
  var last = try read()
  while ContinuousClock.now < end {
    Thread.sleep(forTimeInterval: 0.2)
    let now = try read()
    if now == last, try Threads(ofProcess: process).areAsleep { return now }
    last = now
  }
  throw Failure(.software, "process \(process) does not rest between its cycles")
}

/// The numbers of a file of the kernel that has lines such as `Rss:   1024 kB`.
private func fields(of file: String) throws -> [(key: String, value: Int)] {
  try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { line in
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.count >= 2, words[0].hasSuffix(":"), let value = Int(words[1]) else { return nil }
    return (String(words[0].dropLast()), value)
  }
}

/// Runs a program to its end and returns what it printed.
@discardableResult
func run(_ command: [String]) throws -> String {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Failure(.software, "\(command.joined(separator: " ")) failed")
  }
  return text
}
