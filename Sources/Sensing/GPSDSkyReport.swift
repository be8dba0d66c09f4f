import Bytes

/// The satellites in a SKY of gpsd (`gpsd_json(5)`). Missing values are nil: newer releases write
/// some reports with only the dilutions or the number in use.
struct GPSDSkyReport: Equatable {
  /// Limit of a count of satellites: more than any receiver sees.
  static let satellitesMax: Int64 = 512
  /// gpsd writes 99.99 for an unknown dilution.
  static let dilutionMax = 50.0

  var seen: Int64?
  var used: Int64?
  /// Horizontal dilution of precision (HDOP).
  var horizontalDilution: Double?

  /// Nil if the line is not exactly one JSON object.
  init?(_ line: Span<UInt8>) {
    do throws(JSONError) { try read(line) } catch { return nil }
  }

  private mutating func read(_ line: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(line)
    var counted: (seen: Int64, used: Int64)?
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      switch kind {
      case .number where key.elementsEqual("nSat"): seen = try reader.integerIfWhole()
      case .number where key.elementsEqual("uSat"): used = try reader.integerIfWhole()
      case .number where key.elementsEqual("hdop"):
        horizontalDilution = FixedPoint(written: try reader.number())?.double
      case .array where key.elementsEqual("satellites"): counted = try Self.count(&reader)
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    // Releases before 3.22 leave the counting to the reader.
    seen = Self.plausible(seen ?? counted?.seen)
    used = Self.plausible(used ?? counted?.used)
    horizontalDilution = horizontalDilution.flatMap {
      $0 > 0 && $0 <= Self.dilutionMax ? $0 : nil
    }
  }

  private static func plausible(_ count: Int64?) -> Int64? {
    count.flatMap { (0...satellitesMax).contains($0) ? $0 : nil }
  }

  private static func count(
    _ reader: inout JSONReader
  ) throws(JSONError) -> (seen: Int64, used: Int64) {
    var (seen, used): (Int64, Int64) = (0, 0)
    try reader.openArray()
    while try reader.nextElement() {
      guard try reader.nextKind() == .object else {
        try reader.skipValue()
        continue
      }
      seen += 1
      if try isUsed(&reader) { used += 1 }
    }
    return (seen, used)
  }

  private static func isUsed(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    var isUsed = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      let isWord = key.elementsEqual("used")
      if try reader.nextKind() == .boolean, isWord {
        isUsed = try reader.boolean()
      } else {
        try reader.skipValue()
      }
    }
    return isUsed
  }
}

/// The heading in an ATT of gpsd. (`magtrack` of a TPV is a course over ground, not a heading: gpsd
/// up to 3.22 makes only that of a compass that sends HDG.)
struct GPSDAttitudeReport: Equatable {
  /// Degrees from true north, 0...359.
  var heading: Int64?
  /// Degrees from magnetic north, 0...359.
  var magneticHeading: Int64?

  /// Nil if the line is not exactly one JSON object.
  init?(_ line: Span<UInt8>) {
    do throws(JSONError) { try read(line) } catch { return nil }
  }

  private mutating func read(_ line: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(line)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      switch kind {
      case .number where key.elementsEqual("heading"): heading = try Self.degrees(&reader)
      case .number where key.elementsEqual("mheading"): magneticHeading = try Self.degrees(&reader)
      default: try reader.skipValue()
      }
    }
    try reader.finish()
  }

  private static func degrees(_ reader: inout JSONReader) throws(JSONError) -> Int64? {
    guard let number = FixedPoint(written: try reader.number())?.rounded(to: 0),
      (0...360).contains(number.coefficient)
    else { return nil }
    return number.coefficient % 360
  }
}
