public import Bytes

/// What gpsd says, cut into lines.
///
/// A line that makes no sense, and one that is longer than gpsd's useful ones, costs itself alone.
public struct GPSDInput: ~Copyable {
  enum Line {
    /// It is `line`.
    case said
    /// It is no report of gpsd.
    case malformed
    /// The same, and what speaks there is not gpsd.
    case foreign(Range<Int>)
  }

  /// How much of a line that makes no sense is shown.
  static let shownByteCountMax = 24

  /// Where the driver puts what it reads.
  public var buffer = ByteBuffer(capacity: GPSDSession.lineByteCountMax)
  /// What was read since `emptied`.
  private(set) var byteCount = 0
  /// Whether the peer has said that it is gpsd.
  private(set) var isGPSD = false
  private(set) var line = GPSDLine()
  /// Where the lines begin that are not read yet.
  private var lineStart = 0
  /// How much of a line that is longer than `buffer` was skipped; 0 where there is none.
  private var skippedByteCount = 0
  private var malformedLineCount = 0

  init() {}

  /// The next line that says something; nil where it is not complete yet.
  mutating func nextLine() -> Line? {
    while let end = buffer.bytes.firstIndex(of: UInt8(ascii: "\n"), from: lineStart) {
      let range = lineStart..<end
      lineStart = end + 1
      if skippedByteCount > 0 {
        skippedByteCount = 0
      } else if let line = readLine(at: range) {
        return line
      }
    }
    byteCount += lineStart
    buffer.removeFirst(lineStart)
    lineStart = 0
    return skipOverlongLine()
  }

  private mutating func readLine(at range: Range<Int>) -> Line? {
    if line.read(range, of: buffer) {
      malformedLineCount = 0
      if line.reportClass == .version { isGPSD = true }
      return .said
    }
    if buffer.bytes.extracting(range).trimmed().isEmpty { return nil }
    malformedLineCount += 1
    return isGPSD && malformedLineCount < GPSDSession.malformedLinesMax
      ? .malformed : .foreign(range)
  }

  /// Makes room where a line is longer than `buffer`.
  private mutating func skipOverlongLine() -> Line? {
    guard buffer.freeCapacity == 0 || skippedByteCount > 0 else { return nil }
    skippedByteCount += buffer.count
    byteCount += buffer.count
    guard isGPSD, skippedByteCount <= GPSDSession.skippedByteCountMax else {
      return .foreign(0..<buffer.count)
    }
    buffer.removeAll()
    return nil
  }

  /// How a line begins, up to its first digit: what speaks there may tell a position.
  func shown(_ range: Range<Int>) -> InlineText {
    var end = range.lowerBound
    while end < range.upperBound, end - range.lowerBound < Self.shownByteCountMax,
      !buffer[end].isASCIIDigit
    {
      end += 1
    }
    return InlineText(buffer.bytes.extracting(range.lowerBound..<end))
  }

  /// No line begins on one connection and ends on another.
  mutating func connected() {
    buffer.removeAll()
    (byteCount, lineStart, skippedByteCount, malformedLineCount) = (0, 0, 0, 0)
    isGPSD = false
  }

  /// The socket is empty.
  mutating func emptied() { byteCount = 0 }
}
