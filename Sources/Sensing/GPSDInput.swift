public import Bytes

/// The output of gpsd, split into lines.
///
/// A line that is malformed, or longer than gpsd's useful ones, costs only itself.
///
/// Of the TPVs of one receiver that came together, the newest is read first and the older ones are
/// passed over, because it replaces them. If the newest is unusable, the older ones are read too,
/// and then the newest once more (`readPassedOver`). Position and time are the same as from reading
/// all lines; the bound of the age may be looser, as the older reports would have narrowed it.
public struct GPSDInput: ~Copyable {
  enum Line {
    /// `line` holds a report.
    case said
    /// The line is not a report of gpsd.
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
  private var order = Order.unknown
  /// The report for which older ones are passed over; nil if there are none.
  private var newest: Newest?
  /// Range of the line that was read last.
  private(set) var readRange = 0..<0
  /// Whether a TPV was passed over just before the last line.
  private(set) var hasEpochEnded = false

  /// The last line in `buffer` that is a TPV with a fix and not an echo of another.
  private struct Newest {
    let range: Range<Int>
    let head: GPSDReportHead

    /// Whether this report replaces the one at `place`.
    func replaces(_ place: Range<Int>, of input: borrowing ByteBuffer) -> Bool {
      head.replaces(input.bytes.extracting(place), in: input.bytes.extracting(range))
    }
  }

  /// The order in which the lines in `buffer` are read.
  private enum Order {
    /// No TPV was read yet.
    case unknown
    case asTheyCame
    /// Reports that the newest replaces are passed over, the first of them at `from`.
    case newestFirst(from: Int?)
    /// The newest was read, and the reports from `from` on were passed over for it.
    case newestRead(from: Int?)
    /// Only the reports that were passed over are read, up to the line that begins at `until`.
    case passedOver(until: Int)
  }

  init() {}

  /// Returns the next line with content; nil if no line is complete.
  mutating func nextLine() -> Line? {
    hasEpochEnded = false
    while let end = buffer.bytes.firstIndex(of: UInt8(ascii: "\n"), from: lineStart) {
      let range = lineStart..<end
      lineStart = end + 1
      if skippedByteCount > 0 {
        skippedByteCount = 0
      } else if !isPassedOver(range), let line = readLine(at: range) {
        return line
      }
    }
    byteCount += lineStart
    buffer.removeFirst(lineStart)
    lineStart = 0
    (order, newest) = (.unknown, nil)
    return skipOverlongLine()
  }

  // MARK: Reports passed over

  /// Receiver whose older reports are passed over.
  var newestDevice: Range<Int> {
    guard let newest else { return 0..<0 }
    let start = newest.range.lowerBound
    return start + newest.head.device.lowerBound..<start + newest.head.device.upperBound
  }

  /// Whether older reports were passed over for the last line.
  var hasPassedOver: Bool { if case .newestRead(_?) = order { true } else { false } }

  /// Returns to the reports that were passed over: the last line does not replace them, and is read
  /// again after them.
  mutating func readPassedOver() {
    switch order {
    case .newestFirst(let start?), .newestRead(let start?):
      order = .passedOver(until: readRange.lowerBound)
      lineStart = start
    case .unknown, .asTheyCame, .newestFirst, .newestRead, .passedOver: break
    }
  }

  private mutating func isPassedOver(_ range: Range<Int>) -> Bool {
    switch order {
    case .unknown where GPSDReportHead(buffer.bytes.extracting(range)) != nil:
      newest = findNewestReport(from: range.lowerBound)
      order = newest == nil ? .asTheyCame : .newestFirst(from: nil)
    // The newest report replaced the older ones.
    case .newestRead: order = .newestFirst(from: nil)
    case .passedOver(let until) where range.lowerBound >= until: order = .asTheyCame
    case .unknown, .asTheyCame, .newestFirst, .passedOver: break
    }
    guard let newest else { return false }
    switch order {
    case .unknown, .asTheyCame, .newestRead: return false
    case .passedOver: return !newest.replaces(range, of: buffer)
    case .newestFirst(let start):
      if newest.range == range { order = .newestRead(from: start) }
      guard newest.replaces(range, of: buffer) else { return false }
      order = .newestFirst(from: start ?? range.lowerBound)
      malformedLineCount = 0
      hasEpochEnded = true
      return true
    }
  }

  /// Of reports with the same time the first counts: the others are its echoes.
  private func findNewestReport(from start: Int) -> Newest? {
    let bytes = buffer.bytes
    var newest: Newest?
    // The bytes behind the last newline are an incomplete line.
    var end = bytes.lastIndex(of: UInt8(ascii: "\n"), before: bytes.count)
    while let lineEnd = end, lineEnd > start {
      end = bytes.lastIndex(of: UInt8(ascii: "\n"), before: lineEnd)
      let range = (end.map { $0 + 1 } ?? 0)..<lineEnd
      let line = bytes.extracting(range)
      guard let head = GPSDReportHead(line), head.hasFix else { continue }
      if let newest, !newest.head.isEcho(of: head, line, in: bytes.extracting(newest.range)) {
        break
      }
      newest = Newest(range: range, head: head)
    }
    return newest
  }

  /// Whether the last line is another report of the receiver whose newest is still to be read.
  private var isBetweenReports: Bool {
    guard case .newestFirst(_?) = order, let newest, line.reportClass == .position else {
      return false
    }
    let device = buffer.bytes.extracting(newest.range).extracting(newest.head.device)
    return device.elementsEqual(buffer.bytes.extracting(line.device))
  }

  private var isPassingOver: Bool {
    switch order {
    case .newestFirst(_?), .newestRead(_?): true
    case .unknown, .asTheyCame, .newestFirst, .newestRead, .passedOver: false
    }
  }

  // MARK: Lines

  private mutating func readLine(at range: Range<Int>) -> Line? {
    readRange = range
    if line.read(range, of: buffer) {
      malformedLineCount = 0
      if line.reportClass == .version { isGPSD = true }
      guard isBetweenReports else { return .said }
      readPassedOver()
      return nil
    }
    if buffer.bytes.extracting(range).trimmed().isEmpty { return nil }
    // The malformed line may be the newest report, or the newest may never be reached.
    if isPassingOver {
      readPassedOver()
      return nil
    }
    malformedLineCount += 1
    return isGPSD && malformedLineCount < GPSDSession.malformedLinesMax
      ? .malformed : .foreign(range)
  }

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
    (order, newest) = (.unknown, nil)
    isGPSD = false
  }

  /// Records that the socket is empty.
  mutating func emptied() { byteCount = 0 }
}
