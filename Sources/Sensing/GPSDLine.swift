import Bytes

/// A line of gpsd (`gpsd_json(5)`).
///
/// libgps 3.22 never finishes some lines that are not JSON, and stops at an unknown key whose value
/// is an object or an array, and at a text that is too long for it. So libgps never gets the bytes
/// of a peer: a TPV that our own reader has read completely, as one object with nothing behind it,
/// is rewritten with only the keys of `keys` and the values that libgps can hold.
struct GPSDLine {
  enum Class { case version, position, satellites, attitude, error, other }

  private(set) var reportClass = Class.other
  /// Start of the line in the input; the ranges count from there.
  private var start = 0
  private var deviceText = 0..<0
  private var messageText = 0..<0
  /// Range of the value of each of `keys`; empty if there is none that libgps can hold.
  private var values = [Range<Int>](repeating: 0..<0, count: keys.count)

  /// Keys of a TPV that libgps gets: numbers, except the time.
  private static let keys: [StaticString] = [
    "mode", "time", "altMSL", "alt", "lat", "lon", "speed", "track", "eph", "epv", "epx",
    "epy", "altHAE", "ecefx", "ecefy", "ecefz", "climb",
  ]
  private static let packedKeys = keys.compactMap { [UInt8]($0).span.packed }
  private static let mode = 0
  private static let time = 1
  private static let altitude = 2
  /// The last key: only some callers want it.
  private static let climb = 16
  /// Name of the altitude in old releases of gpsd.
  private static let formerAltitude = 3
  /// Limit of a value: longer than any number or time of gpsd; libgps holds more.
  private static let valueByteCountMax = 32
  /// Limit of a mode; gpsd documents one digit.
  private static let modeByteCountMax = 3

  /// Reads the line at `range` of `input`. Returns whether it is one JSON object with a class.
  mutating func read(_ range: Range<Int>, of input: borrowing ByteBuffer) -> Bool {
    let line = input.bytes.extracting(range)
    if let reportClass = Self.classOfUnread(line) {
      self.reportClass = reportClass
      return true
    }
    forget()
    start = range.lowerBound
    do throws(JSONError) { return try read(line) } catch { return false }
  }

  private mutating func forget() {
    reportClass = .other
    (deviceText, messageText) = (0..<0, 0..<0)
    for index in values.indices { values[index] = 0..<0 }
  }

  /// Returns the class of a line that need not be read: most lines of gpsd have another class,
  /// which stands first. Nil for a line to read.
  private static func classOfUnread(_ line: Span<UInt8>) -> Class? {
    guard line.starts(with: "{\"class\":\"") else { return nil }
    let name = line.extracting(10...)
    if name.starts(with: "TPV\"") || name.starts(with: "VERSION\"")
      || name.starts(with: "ERROR\"")
    {
      return nil
    }
    if name.starts(with: "SKY\"") { return .satellites }
    return name.starts(with: "ATT\"") ? .attitude : .other
  }

  /// Returns whether there is a class.
  private mutating func read(_ line: Span<UInt8>) throws(JSONError) -> Bool {
    var reader = JSONReader(line)
    var hasClass = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if key.elementsEqual("class"), kind == .string {
        reportClass = Class(try reader.text())
        hasClass = true
      } else if let index = Self.index(of: key) {
        let value = try reader.skipValue()
        values[index] = Self.canHold(line.extracting(value), kind, at: index) ? value : 0..<0
      } else {
        let value = try reader.skipValue()
        guard kind == .string else { continue }
        let text = value.lowerBound + 1..<value.upperBound - 1
        if key.elementsEqual("device") { deviceText = text }
        if key.elementsEqual("message") { messageText = text }
      }
    }
    try reader.finish()
    return hasClass
  }

  private static func index(of key: JSONReader.Text) -> Int? {
    guard let key = key.raw.packed else { return nil }
    return packedKeys.firstIndex(of: key)
  }

  private static func canHold(_ value: Span<UInt8>, _ kind: JSONReader.Kind, at index: Int) -> Bool
  {
    guard value.count <= valueByteCountMax else { return false }
    switch index {
    case time:
      return kind == .string && WallTime(iso8601: value.extracting(1..<value.count - 1)) != nil
    case mode:
      return kind == .number && value.count <= modeByteCountMax
        && value[value.count - 1].isASCIIDigit
    default: return kind == .number
    }
  }

  /// Range of the receiver's path in the input; empty if there is none.
  var device: Range<Int> { place(of: deviceText) }
  /// Range of the message of an ERROR in the input.
  var message: Range<Int> { place(of: messageText) }

  /// Rewrites the TPV for libgps, with the NUL that libgps needs after it.
  func write(
    of input: borrowing ByteBuffer, withClimb: Bool = false, into report: inout ByteBuffer
  ) {
    report.append("{\"class\":\"TPV\"")
    for index in 0..<(withClimb ? Self.climb + 1 : Self.climb) where !values[index].isEmpty {
      if index == Self.formerAltitude, !values[Self.altitude].isEmpty { continue }
      report.append(",\"")
      report.append(Self.keys[index == Self.formerAltitude ? Self.altitude : index])
      report.append("\":")
      report.append(place(of: values[index]), of: input)
    }
    report.append("}")
    report.append(0)
  }

  /// Converts a range in the line to a range in the input.
  private func place(of part: Range<Int>) -> Range<Int> {
    start + part.lowerBound..<start + part.upperBound
  }
}

extension GPSDLine.Class {
  fileprivate init(_ name: JSONReader.Text) {
    if name.elementsEqual("TPV") {
      self = .position
    } else if name.elementsEqual("VERSION") {
      self = .version
    } else if name.elementsEqual("ERROR") {
      self = .error
    } else if name.elementsEqual("SKY") {
      self = .satellites
    } else if name.elementsEqual("ATT") {
      self = .attitude
    } else {
      self = .other
    }
  }
}
