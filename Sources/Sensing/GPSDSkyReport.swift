import Bytes

/// What a SKY of gpsd says of the satellites (`gpsd_json(5)`). What it does not say is nil: newer
/// releases write some that have dilutions, or the number in use, and nothing else.
struct GPSDSkyReport: Equatable {
  /// More than any receiver sees.
  static let satellitesMax: Int64 = 512
  /// gpsd writes 99.99 for one that is not known.
  static let dilutionMax = 50.0

  var seen: Int64?
  var used: Int64?
  /// HDOP.
  var horizontalDilution: Double?

  /// Nil where the line is no object of JSON and nothing else.
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
    // Releases before 3.22 leave it to the reader to count.
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

/// What an ATT of gpsd says of where the bow points. (`magtrack` of a TPV is a course over ground,
/// and no heading: of a compass that sends HDG, gpsd up to 3.22 makes nothing else.)
struct GPSDAttitudeReport: Equatable {
  /// Degrees from true north, 0...359.
  var heading: Int64?
  /// Degrees from magnetic north, 0...359.
  var magneticHeading: Int64?

  /// Nil where the line is no object of JSON and nothing else.
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
