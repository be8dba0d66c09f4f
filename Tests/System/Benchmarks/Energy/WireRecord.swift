import Foundation

/// What went over the wire, as `tls-link` has written it down.
struct WireRecord {
  struct Line {
    enum Kind: String { case open, data, close }

    /// In seconds of the agent's clock.
    let at: Double
    let sentBytes: Int
    let receivedBytes: Int
    let sentSegments: Int
    let receivedSegments: Int
    let kind: Kind
  }

  private(set) var lines: [Line] = []

  init(reading file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    // Without an end, the last line is being written.
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst(2).prefix(4).compactMap { Int($0) }
      guard words.count == 7, numbers.count == 4, let at = Double(words[0]),
        let kind = Line.Kind(rawValue: String(words[6]))
      else { throw Failure(.software, "\(file.path) holds \"\(line)\"") }
      lines.append(
        Line(
          at: at, sentBytes: numbers[0], receivedBytes: numbers[1], sentSegments: numbers[2],
          receivedSegments: numbers[3], kind: kind))
    }
  }

  /// Drops what came before the line of this number.
  mutating func drop(first count: Int) { lines.removeFirst(count) }

  var connections: Int { lines.count { $0.kind == .open } }
  /// Of TLS and what is in it.
  var sentBytes: Int { lines.reduce(0) { $0 + $1.sentBytes } }
  var receivedBytes: Int { lines.reduce(0) { $0 + $1.receivedBytes } }
  var sentSegments: Int { lines.reduce(0) { $0 + $1.sentSegments } }
  var receivedSegments: Int { lines.reduce(0) { $0 + $1.receivedSegments } }
}
