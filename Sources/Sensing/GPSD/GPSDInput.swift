public import Bytes

/// The output of gpsd, split into lines, in the order in which they came.
///
/// A line that is malformed, or longer than gpsd's useful ones, costs only itself.
public struct GPSDInput: ~Copyable {
  enum Line {
    /// `line` is the head of the line at `range`.
    case said
    /// The line at `range` is not a report of gpsd.
    case malformed
    /// The line is not a report, and the peer is not gpsd.
    case foreign(Range<Int>)
  }

  /// Longest part of a malformed line that a message shows.
  static let shownByteCountMax = 24

  /// Buffer into which the driver reads.
  public var buffer = ByteBuffer(capacity: GPSDSession.lineByteCountMax)
  /// Bytes read since `emptied`.
  private(set) var byteCount = 0
  /// Whether the peer has identified itself as gpsd.
  private(set) var isGPSD = false
  private(set) var line = GPSDLine()
  /// Start of the unread lines.
  private var lineStart = 0
  /// Bytes skipped of a line that is longer than `buffer`; 0 if there is no such line.
  private var skippedByteCount = 0
  private var malformedLineCount = 0
  /// Range of the last line in `buffer`.
  private(set) var range = 0..<0

  init() {}

  /// Returns the next line with content; nil if no line is complete.
  mutating func nextLine() -> Line? {
    while let end = buffer.bytes.firstIndex(of: UInt8(ascii: "\n"), from: lineStart) {
      range = lineStart..<end
      lineStart = end + 1
      if skippedByteCount > 0 {
        skippedByteCount = 0
      } else if let line = readLine() {
        return line
      }
    }
    byteCount += lineStart
    buffer.removeFirst(lineStart)
    lineStart = 0
    return skipOverlongLine()
  }

  private mutating func readLine() -> Line? {
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

  /// Returns a part of the last line.
  @_lifetime(borrow self)
  func part(_ part: Range<Int>) -> Span<UInt8> { buffer.bytes.extracting(range).extracting(part) }

  /// Makes room if a line is longer than `buffer`.
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

  /// Returns the start of a line up to its first digit: an unknown peer may send a position.
  func shown(_ range: Range<Int>) -> InlineText {
    var end = range.lowerBound
    while end < range.upperBound, end - range.lowerBound < Self.shownByteCountMax,
      !buffer[end].isASCIIDigit
    {
      end += 1
    }
    return InlineText(buffer.bytes.extracting(range.lowerBound..<end))
  }

  /// Discards all input: no line continues on another connection.
  mutating func connected() {
    buffer.removeAll()
    (byteCount, lineStart, skippedByteCount, malformedLineCount) = (0, 0, 0, 0)
    isGPSD = false
  }

  /// Records that the socket is empty.
  mutating func emptied() { byteCount = 0 }
}
