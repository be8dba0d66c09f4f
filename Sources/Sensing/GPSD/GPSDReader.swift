public import Bytes

/// Parses a report with libgps: reads `copy`, which ends with NUL and may be changed, sets what
/// libgps knows in `report`, and returns whether libgps accepted it.
public typealias GPSDParser = (_ copy: inout ByteBuffer, _ report: inout GPSDReport) -> Bool

/// Reads the TPV, SKY and ATT of gpsd with libgps.
///
/// libgps 3.22 never finishes some lines that are not JSON, and stops at an unknown key whose value
/// is an object or an array, and at a text that is too long for it. So libgps never gets the bytes
/// of a peer: of a line that is exactly one JSON object, it gets a copy of the members in `keys`
/// whose values it can hold.
///
/// What libgps cannot do is read here:
/// - `time`: of a date that is not in the calendar, libgps takes the digits up to the mistake.
/// - `nSat`, `uSat`: libgps 3.22 ignores them. The satellites are counted here if they are missing.
/// - `mheading`: libgps 3.22 ignores it.
final class GPSDReader {
  /// Largest copy of a report: 17 members of at most 32 bytes each, with their keys.
  private static let copyByteCountMax = 1024
  /// Keys of the numbers that libgps gets, those of a TPV first, then of a SKY and of an ATT. They
  /// stand as in the copy.
  private static let keys: [StaticString] = [
    #","mode":"#, #","altMSL":"#, #","alt":"#, #","lat":"#, #","lon":"#, #","speed":"#,
    #","track":"#, #","eph":"#, #","epv":"#, #","epx":"#, #","epy":"#, #","altHAE":"#,
    #","ecefx":"#, #","ecefy":"#, #","ecefz":"#, #","climb":"#, #","hdop":"#, #","heading":"#,
  ]
  private static let packedKeys = keys.compactMap { key in
    key.bytes.extracting(2..<key.utf8CodeUnitCount - 2).packed
  }
  private static let positionKeys = 0..<16
  private static let mode = 0
  private static let altitude = 1
  /// Name of the altitude in old releases of gpsd.
  private static let formerAltitude = 2
  /// Limit of a value: longer than any number of gpsd; libgps holds more.
  private static let valueByteCountMax = 32
  /// Limit of a mode; gpsd documents one digit.
  private static let modeByteCountMax = 3
  /// Limit of a count of satellites: more than any receiver sees.
  private static let satellitesMax: Int64 = 512

  private let parser: GPSDParser
  private var copy = ByteBuffer(capacity: copyByteCountMax)
  private var reportClass = GPSDLine.Class.other
  /// Range of the value of each of `keys` in the line; empty if there is none that libgps can hold.
  private var values = [Range<Int>](repeating: 0..<0, count: keys.count)
  /// Satellites in the list of the line.
  private var counted: (seen: Int64, used: Int64)?

  init(_ parser: @escaping GPSDParser) { self.parser = parser }

  /// Returns the report in `line`; nil if the line is not exactly one JSON object of one of the
  /// three classes, or libgps rejects it.
  func read(_ line: Span<UInt8>) -> GPSDReport? {
    var report = GPSDReport()
    (reportClass, counted) = (.other, nil)
    for index in values.indices { values[index] = 0..<0 }
    do throws(JSONError) { try readMembers(line, into: &report) } catch { return nil }
    report.satellitesSeen = Self.plausible(report.satellitesSeen ?? counted?.seen)
    report.satellitesUsed = Self.plausible(report.satellitesUsed ?? counted?.used)
    guard write(line), parser(&copy, &report) else { return nil }
    return report
  }

  private static func plausible(_ count: Int64?) -> Int64? {
    count.flatMap { (0...satellitesMax).contains($0) ? $0 : nil }
  }

  // MARK: Reading

  private func readMembers(
    _ line: Span<UInt8>, into report: inout GPSDReport
  ) throws(JSONError) {
    var reader = JSONReader(line)
    try reader.openObject()
    while let key = try reader.nextKey() {
      if let index = Self.index(of: key) {
        let value = try reader.skipValue()
        values[index] = Self.canHold(line.extracting(value), at: index) ? value : 0..<0
      } else {
        try readOwn(key, try reader.nextKind(), of: &reader, into: &report)
      }
    }
    try reader.finish()
  }

  private static func index(of key: JSONReader.Text) -> Int? {
    guard let key = key.raw.packed else { return nil }
    return packedKeys.firstIndex(of: key)
  }

  /// Whether libgps can hold a value: a number that is short enough.
  private static func canHold(_ value: Span<UInt8>, at index: Int) -> Bool {
    guard value[0].isASCIIDigit || value[0] == UInt8(ascii: "-"), value.count <= valueByteCountMax
    else { return false }
    return index != mode
      || value.count <= modeByteCountMax && value[value.count - 1].isASCIIDigit
  }

  /// Reads a member that libgps does not get.
  private func readOwn(
    _ key: JSONReader.Text, _ kind: JSONReader.Kind, of reader: inout JSONReader,
    into report: inout GPSDReport
  ) throws(JSONError) {
    switch kind {
    case .string where key.elementsEqual("class"):
      reportClass = GPSDLine.Class(try reader.text().raw)
    case .string where key.elementsEqual("time"):
      report.fix.time = WallTime(iso8601: try reader.text().raw)
    case .number where key.elementsEqual("nSat"):
      report.satellitesSeen = try reader.integerIfWhole()
    case .number where key.elementsEqual("uSat"):
      report.satellitesUsed = try reader.integerIfWhole()
    case .number where key.elementsEqual("mheading"):
      report.magneticHeadingDegrees = FixedPoint(written: try reader.number())?.double ?? .nan
    case .array where key.elementsEqual("satellites"): counted = try Self.count(&reader)
    default: try reader.skipValue()
    }
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

  // MARK: The copy

  /// Copies the members for libgps, as they stand. Returns whether libgps knows the class.
  private func write(_ line: Span<UInt8>) -> Bool {
    copy.removeAll()
    switch reportClass {
    case .position:
      copy.append("{\"class\":\"TPV\"")
      for index in Self.positionKeys { write(index, of: line) }
    case .satellites:
      copy.append("{\"class\":\"SKY\"")
      write(Self.positionKeys.upperBound, of: line)
    case .attitude:
      copy.append("{\"class\":\"ATT\"")
      write(Self.positionKeys.upperBound + 1, of: line)
    case .version, .error, .other: return false
    }
    copy.append("}")
    copy.append(0)
    return true
  }

  private func write(_ index: Int, of line: Span<UInt8>) {
    let isFormer = index == Self.formerAltitude
    guard !values[index].isEmpty, !isFormer || values[Self.altitude].isEmpty else { return }
    copy.append(Self.keys[isFormer ? Self.altitude : index])
    copy.append(line.extracting(values[index]))
  }
}

/// A TPV, SKY or ATT of gpsd. Fields that the report does not have are NaN or nil.
public struct GPSDReport: Equatable, Sendable {
  /// Position of a TPV.
  public var fix = FixReport(mode: 0, time: nil)
  /// Horizontal dilution of precision (HDOP) of a SKY.
  public var horizontalDilution = Double.nan
  /// Satellites of a SKY. Newer releases of gpsd write some SKYs without them.
  public var satellitesSeen: Int64?
  public var satellitesUsed: Int64?
  /// Heading of an ATT from true north. (`magtrack` of a TPV is a course over ground, not a
  /// heading: gpsd up to 3.22 makes only that of a compass that sends HDG.)
  public var headingDegrees = Double.nan
  /// Heading of an ATT from magnetic north.
  public var magneticHeadingDegrees = Double.nan

  public init() {}
}

/// A report of a receiver before it is judged. A missing field is NaN.
public struct FixReport: Equatable, Sendable {
  /// Mode of gpsd: 2 and 3 mean a fix, 0 and 1 do not.
  public var mode: Int32
  public var time: WallTime?
  public var latitude = Double.nan
  public var longitude = Double.nan
  public var altitudeMeters = Double.nan
  public var speedMetersPerSecond = Double.nan
  public var climbMetersPerSecond = Double.nan
  public var trackDegrees = Double.nan
  public var horizontalErrorMeters = Double.nan
  public var verticalErrorMeters = Double.nan
  /// The parts of the horizontal error (epx, epy), for a receiver that gives only those.
  public var eastErrorMeters = Double.nan
  public var northErrorMeters = Double.nan
  public var ellipsoidHeightMeters = Double.nan
  /// Position of the receiver in ECEF coordinates, in metres from the centre of Earth.
  public var earthXMeters = Double.nan
  public var earthYMeters = Double.nan
  public var earthZMeters = Double.nan

  public init(mode: Int32, time: WallTime?) {
    self.mode = mode
    self.time = time
  }
}

/// Time at which a report was read, by the clocks of the board.
public struct Arrival: Equatable, Sendable {
  public var instant: Instant
  public var wallTime: WallTime
  /// Instant at which the socket was empty: the report came later.
  public var since: Instant

  public init(instant: Instant, wallTime: WallTime, since: Instant) {
    self.instant = instant
    self.wallTime = wallTime
    self.since = since
  }
}
