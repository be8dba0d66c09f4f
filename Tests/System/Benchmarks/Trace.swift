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
