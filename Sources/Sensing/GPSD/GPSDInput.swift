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

  // Inlined: a call would copy the input.

  /// Returns a part of the last line.
  @inline(__always)
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

/// The head of a line of gpsd (`gpsd_json(5)`): its class, its receiver, and what decides whether a
/// TPV replaces an older one. The rest of a TPV is read by `GPSDReader`, if at all.
///
/// The TPVs of a receiver begin alike up to the time, so most of them are recognised by a
/// comparison with the last one. Ranges count from the start of the line.
struct GPSDLine: ~Copyable {
  enum Class { case version, position, satellites, attitude, error, other }

  /// Value of a TPV beside another of the same receiver. The last two have a time.
  enum Worth: Int {
    case noFix, undatedFix, twoDimensionalFix, threeDimensionalFix

    /// Whether a TPV of this worth replaces an earlier one that has another time: the newer fix
    /// counts, whatever its dimensions.
    func replaces(_ earlier: Self) -> Bool {
      rawValue >= min(earlier.rawValue, Self.twoDimensionalFix.rawValue)
    }
  }

  private(set) var reportClass = Class.other
  /// Path of the receiver of a TPV; empty if there is none.
  private(set) var device = 0..<0
  /// Checksum of that path.
  private(set) var sender = CRC32C().value
  /// Time of a TPV, as written; empty if there is none.
  private(set) var time = 0..<0
  /// Message of an ERROR.
  private(set) var message = 0..<0
  private var mode: UInt8?
  /// Start of the last TPV, to the end of its time; empty if it began in an unusual way.
  private var start = ByteBuffer(capacity: startByteCountMax)

  private static let startByteCountMax = 256
  private static let quote = UInt8(ascii: "\"")

  /// Whether a TPV is a fix, whether it has a time, and its dimensions.
  var worth: Worth {
    switch mode {
    case UInt8(ascii: "2"): time.isEmpty ? .undatedFix : .twoDimensionalFix
    case UInt8(ascii: "3"): time.isEmpty ? .undatedFix : .threeDimensionalFix
    default: .noFix
    }
  }

  /// Reads the head of the line at `range` of `input`. Returns whether the line is a JSON object
  /// with a class, as far as it is read: to its end, or to the time of a TPV.
  mutating func read(_ range: Range<Int>, of input: borrowing ByteBuffer) -> Bool {
    let line = input.bytes.extracting(range)
    let isWhole = line.endsObject
    if isWhole, beginsAsLast(line) {
      reportClass = .position
      return true
    }
    if let reportClass = Self.classOfUnread(line) {
      self.reportClass = reportClass
      return true
    }
    guard isWhole else { return false }
    forget()
    do throws(JSONError) { return try readMembers(line) } catch { return false }
  }

  private mutating func forget() {
    reportClass = .other
    (device, sender, time, message, mode) = (0..<0, CRC32C().value, 0..<0, 0..<0, nil)
    start.removeAll()
  }

  /// Returns the class of a line that need not be read: most lines of gpsd have another class,
  /// which stands first. Nil for a line to read.
  private static func classOfUnread(_ line: Span<UInt8>) -> Class? {
    guard line.starts(with: "{\"class\":\""), let end = line.firstIndex(of: quote, from: 10)
    else { return nil }
    switch Class(line.extracting(10..<end)) {
    case .position, .version, .error: return nil
    case let other: return other
    }
  }

  /// Whether `line` begins as the last TPV, except for its time.
  private func beginsAsLast(_ line: Span<UInt8>) -> Bool {
    guard !start.isEmpty, line.count > start.count,
      line[time.upperBound - 1] == start[time.upperBound - 1],
      line[time.upperBound] == Self.quote
    else { return false }
    return line.firstDifference(from: start.bytes).map { time.contains($0) } ?? true
  }

  private mutating func readMembers(_ line: Span<UInt8>) throws(JSONError) -> Bool {
    var reader = JSONReader(line)
    var hasClass = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if kind == .string, key.elementsEqual("class") {
        reportClass = Class(try reader.text().raw)
        hasClass = true
      } else {
        note(key, try reader.skipValue(), kind, of: line)
      }
      guard reportClass == .position, mode != nil, !device.isEmpty, !time.isEmpty else { continue }
      if reader.position == time.upperBound + 1, reader.position <= Self.startByteCountMax {
        start.append(line.extracting(0..<reader.position))
      }
      return true
    }
    try reader.finish()
    return hasClass
  }

  private mutating func note(
    _ key: JSONReader.Text, _ value: Range<Int>, _ kind: JSONReader.Kind, of line: Span<UInt8>
  ) {
    if kind == .number, key.elementsEqual("mode") {
      // gpsd documents one digit.
      mode = value.count == 1 ? line[value.lowerBound] : 0
    }
    guard kind == .string else { return }
    let text = value.lowerBound + 1..<value.upperBound - 1
    if key.elementsEqual("device") {
      device = text
      sender = CRC32C(of: line.extracting(text)).value
    }
    if key.elementsEqual("time") { time = text }
    if key.elementsEqual("message") { message = text }
  }
}

extension Span where Element == UInt8 {
  /// Whether the last byte that is not a space ends an object.
  fileprivate var endsObject: Bool {
    var end = count
    while end > 0, self[end - 1].isASCIISpace { end -= 1 }
    return end > 0 && self[end - 1] == UInt8(ascii: "}")
  }
}

extension GPSDLine.Class {
  private static let names: [(StaticString, Self)] = [
    ("TPV", .position), ("SKY", .satellites), ("ATT", .attitude), ("VERSION", .version),
    ("ERROR", .error),
  ]

  init(_ name: Span<UInt8>) {
    for (word, reportClass) in Self.names where name.elementsEqual(word) {
      self = reportClass
      return
    }
    self = .other
  }
}
