import Bytes

/// The lines that a program writes, of which so many are told, and no more of each: what comes
/// after that is read and dropped, so that the program is not held up.
struct ProgramOutput {
  static let linesMax = 10
  static let lineByteCountMax = 200

  private var line: [UInt8] = []
  private var isLineCut = false
  /// Complete lines that were not taken yet.
  private var lines: [[UInt8]] = []
  private var lineCount = 0
  /// Lines beyond the limit.
  private(set) var droppedCount = 0

  mutating func read(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if bytes[index] == UInt8(ascii: "\n") {
        endLine()
      } else if line.count < Self.lineByteCountMax {
        line.append(bytes[index])
      } else {
        isLineCut = true
      }
    }
  }

  /// Nothing more comes. What is not ended by a line feed is a line, too.
  mutating func ended() { if !line.isEmpty { endLine() } }

  mutating func takeLine() -> [UInt8]? { lines.isEmpty ? nil : lines.removeFirst() }

  private mutating func endLine() {
    defer {
      line.removeAll(keepingCapacity: true)
      isLineCut = false
    }
    // Lines without a word are no news.
    guard !line.isEmpty else { return }
    guard lineCount < Self.linesMax else { return droppedCount += 1 }
    lineCount += 1
    lines.append(isLineCut ? line + [UInt8]("…") : line)
  }
}
