import Foundation

/// What one contestant costs in its steady cycle.
struct Figures {
  static let warmUpCycles = 3

  let binaryBytes: Int
  let ownAllocations: Int
  let libraryAllocationsPerCycle: Double
  let wakeUpsPerMinute: Double
  let threads: Int
  let memoryKibibytes: Memory
  let sentBytesPerCycle: Double
  let receivedBytesPerCycle: Double

  /// Runs a contestant through its warm-up and the cycles to be measured.
  init(measuring contestant: Contestant, _ options: Options) throws {
    let surroundings = try Surroundings(options)
    defer { surroundings.end() }
    let heap = surroundings.world.directory.appending(path: "\(contestant.rawValue).heap")
    let environment = [
      "HEAPCOUNT_FILE=\(heap.path)", "LD_PRELOAD=\(try options.file("heapcount"))",
    ]
    let child = try surroundings.start(contestant, environment: environment)
    defer { child.end() }
    let meter = Meter(process: child.id, heap: heap, homePort: surroundings.homePort)

    try surroundings.await(cycles: 0..<Self.warmUpCycles, of: contestant, child)
    let before = try meter.countsAtRest()
    if options.isTracing { try HeapCounts.startTracing(heap) }
    let measured = Self.warmUpCycles..<Self.warmUpCycles + options.cycles
    try surroundings.await(cycles: measured, of: contestant, child)
    let counts = try meter.countsAtRest() - before

    func perCycle(_ count: Int) -> Double { Double(count) / Double(options.cycles) }
    let attributes = try FileManager.default.attributesOfItem(
      atPath: try options.file(contestant.rawValue))
    binaryBytes = attributes[.size] as? Int ?? 0
    ownAllocations = counts.heap.ownCalls
    libraryAllocationsPerCycle = perCycle(counts.heap.libraryCalls)
    wakeUpsPerMinute = perCycle(counts.wakeUps) * 60 / Double(World.cycleSeconds)
    threads = try Threads(ofProcess: child.id).count
    memoryKibibytes = try Memory(ofProcess: child.id)
    sentBytesPerCycle = perCycle(counts.wire.sentBytes)
    receivedBytesPerCycle = perCycle(counts.wire.receivedBytes)
    if options.isTracing { try Trace(child.words()).report(options) }
  }
}

/// Reads the counts of a process.
private struct Meter {
  let process: Int32
  let heap: URL
  let homePort: Int

  func countsAtRest() throws -> Counts {
    try atRest(process) {
      Counts(
        wakeUps: try Threads(ofProcess: process).wakeUps, heap: try HeapCounts(reading: heap),
        wire: try WireCounts(toPort: homePort))
    }
  }
}

/// Where our own allocations come from, as `heapcount.c` printed it.
struct Trace {
  /// How often each list of callers occurred.
  private var callers: [String: Int] = [:]

  init(_ words: String) {
    for line in words.split(separator: "\n") {
      // heapcount: own BYTES OFFSET...
      let fields = line.split(separator: " ")
      guard fields.starts(with: ["heapcount:", "own"]) else { continue }
      callers[fields.dropFirst(3).joined(separator: " "), default: 0] += 1
    }
  }

  /// Names the functions, the most frequent callers first.
  func report(_ options: Options) throws {
    for (offsets, count) in callers.sorted(by: { $0.value > $1.value }) {
      let symbols = try run(
        [
          try options.file("symbolizer"), "--obj=\(try options.file("agent")).debug",
          "--basenames", "--pretty-print",
        ]
          + offsets.split(separator: " ").map(String.init))
      progress("\(count) times:\n\(symbols)")
    }
  }
}
