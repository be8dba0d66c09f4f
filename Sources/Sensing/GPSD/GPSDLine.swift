import Bytes

/// The head of a line of gpsd (`gpsd_json(5)`): its class, its receiver, and what decides whether a
/// TPV replaces an older one. The rest of a TPV is read by `GPSDReader`, if at all.
///
/// The TPVs of a receiver begin alike up to the time, so most of them are recognised by a
/// comparison with the last one. Ranges count from the start of the line.
struct GPSDLine: ~Copyable {
  enum Class { case version, position, satellites, attitude, error, other }

  /// Value of a TPV beside another of the same receiver.
  enum Worth: Int { case noFix, undatedFix, datedFix }

  private(set) var reportClass = Class.other
  /// Path of the receiver of a TPV; empty if there is none.
  private(set) var device = 0..<0
  /// Time of a TPV, as written; empty if there is none.
  private(set) var time = 0..<0
  /// Message of an ERROR.
  private(set) var message = 0..<0
  private var mode: UInt8?
  /// Start of the last TPV, to the end of its time; empty if it began in an unusual way.
  private var start = ByteBuffer(capacity: startByteCountMax)

  private static let startByteCountMax = 256
  private static let quote = UInt8(ascii: "\"")

  /// Whether a TPV is a fix, and has a time.
  var worth: Worth {
    guard mode == UInt8(ascii: "2") || mode == UInt8(ascii: "3") else { return .noFix }
    return time.isEmpty ? .undatedFix : .datedFix
  }

  /// Reads the head of the line at `range` of `input`. Returns whether the line is a JSON object
  /// with a class, as far as it is read: to its end, or to the time of a TPV.
  mutating func read(_ range: Range<Int>, of input: borrowing ByteBuffer) -> Bool {
    let line = input.bytes.extracting(range)
    if let reportClass = Self.classOfUnread(line) {
      self.reportClass = reportClass
      return true
    }
    guard line.endsObject else { return false }
    if beginsAsLast(line) {
      reportClass = .position
      return true
    }
    forget()
    do throws(JSONError) { return try readMembers(line) } catch { return false }
  }

  private mutating func forget() {
    reportClass = .other
    (device, time, message, mode) = (0..<0, 0..<0, 0..<0, nil)
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
    if key.elementsEqual("device") { device = text }
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
    self = .other
    for (word, reportClass) in Self.names where name.elementsEqual(word) { self = reportClass }
  }
}
