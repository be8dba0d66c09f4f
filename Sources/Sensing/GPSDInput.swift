public import Bytes

/// What gpsd says, cut into lines.
///
/// A line that makes no sense, and one that is longer than gpsd's useful ones, costs itself alone.
///
/// Of the TPVs of one receiver that came together the newest is read first, and the older ones are
/// passed over: it takes their place. Where it is of no use after all they are read, too, and then
/// it once more (`readPassedOver`). The position and its time are those that come of all the lines;
/// how old it is at most may be known less well, as the older reports would have told that.
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
  private var order = Order.unknown
  /// What the older reports are passed over for, where they are.
  private var newest: Newest?
  /// Where the line stands that was read last.
  private(set) var readRange = 0..<0
  /// Whether a TPV was passed over since the line before that one.
  private(set) var hasEpochEnded = false

  /// The last line in `buffer` that is a TPV with a fix, and no echo of another.
  private struct Newest {
    let range: Range<Int>
    let head: GPSDReportHead

    /// Whether it takes the place of the report that stands there.
    func replaces(_ place: Range<Int>, of input: borrowing ByteBuffer) -> Bool {
      head.replaces(input.bytes.extracting(place), in: input.bytes.extracting(range))
    }
  }

  /// How the lines in `buffer` are read.
  private enum Order {
    /// No TPV was seen yet.
    case unknown
    case asTheyCame
    /// Reports that the newest replaces are passed over, the first of them where `from` is.
    case newestFirst(from: Int?)
    /// The newest was read, and those from there on were passed over for it.
    case newestRead(from: Int?)
    /// They, and nothing else, are read up to the line that begins there.
    case passedOver(until: Int)
  }

  init() {}

  /// The next line that says something; nil where it is not complete yet.
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

  // MARK: What is passed over

  /// The receiver whose older reports are passed over.
  var newestDevice: Range<Int> {
    guard let newest else { return 0..<0 }
    let start = newest.range.lowerBound
    return start + newest.head.device.lowerBound..<start + newest.head.device.upperBound
  }

  /// Whether older reports were passed over for the one that was read last.
  var hasPassedOver: Bool { if case .newestRead(_?) = order { true } else { false } }

  /// The line that was read last does not take their place. It comes again, behind them.
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
    // It took their place.
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
    // What stands behind the last line is not complete.
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

  /// Whether the line that was read is another report of the receiver whose newest is to be read.
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
    // The newest report may be what makes no sense, or may never be reached.
    if isPassingOver {
      readPassedOver()
      return nil
    }
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
    (order, newest) = (.unknown, nil)
    isGPSD = false
  }

  /// The socket is empty.
  mutating func emptied() { byteCount = 0 }
}
