public import Bytes

/// Collects the details that the receivers of one gpsd report besides their positions, and updates
/// each detail once a cycle.
///
/// Of the lines of a cycle it keeps the newest list of satellites, the newest SKY without one, and
/// the newest ATT; they are read when the cycle ends. A SKY counts if it is of the receiver that
/// supplies the fixes; if there is none, or it has gone, of the first that sends one.
///
/// A receiver of many constellations sends its list in growing parts, several in an epoch, which
/// ends with its next TPV. The largest list of an epoch counts, and an unfinished epoch does not
/// replace a finished one.
struct ReceiverDetails: ~Copyable {
  /// Lines that a cycle waits for.
  private enum Expectation {
    case nothing
    case sky
    case list
  }

  /// Number of cycles in a row without a report after which a detail is unknown.
  static let cyclesMax = 3
  /// Smallest change of a heading to report: the compass of a boat at anchor never rests.
  static let headingDegreesMin: Int64 = 10
  /// Highest plausible vertical speed, in metres per second.
  static let climbMax = 1000.0
  /// Position error that gpsd assumes for a dilution of 1, in metres.
  static let errorMetersOfDilution = 19.0
  /// Highest plausible dilution; gpsd writes 99.99 for an unknown one.
  static let dilutionMax = 50.0
  /// Longest ATT that is read, and longest SKY without a list.
  private static let shortByteCountMax = 1024

  let wanted: ReceiverDetailSet
  /// Largest list of the newest finished epoch; empty if that has none.
  private var list: ByteBuffer
  /// Largest list of the unfinished epoch.
  private var part: ByteBuffer
  /// Whether an epoch had more than one list.
  private var comesInParts = false
  /// Newest SKY without a list.
  private var summary: ByteBuffer
  private var attitude: ByteBuffer
  /// Receivers of the lines, by the checksum of the path.
  private var skySpeaker: UInt32?
  private var attitudeSpeaker: UInt32?
  private var expectation = Expectation.nothing
  /// Whether a cycle has already waited for unknown satellites.
  private var hasSearched = false
  private var values = InlineArray<6, Value?>(repeating: nil)
  /// Number of cycles since each detail was reported.
  private var ages = InlineArray<6, Int>(repeating: 0)
  /// HDOP from the SKY of the cycle.
  private(set) var horizontalDilution: Double?

  init(_ wanted: ReceiverDetailSet) {
    self.wanted = wanted
    let isOn = !wanted.isEmpty
    list = ByteBuffer(capacity: isOn ? GPSDSession.lineByteCountMax : 1)
    part = ByteBuffer(capacity: isOn ? GPSDSession.lineByteCountMax : 1)
    summary = ByteBuffer(capacity: isOn ? Self.shortByteCountMax : 1)
    attitude = ByteBuffer(capacity: isOn ? Self.shortByteCountMax : 1)
  }

  /// Returns the value of a detail; nil if it was never reported.
  subscript(_ detail: ReceiverDetail) -> Value? { values[detail.rawValue] }

  /// Whether the cycle has every kind of line that the previous one had.
  var isComplete: Bool {
    switch expectation {
    case .nothing: true
    case .sky: !summary.isEmpty || hasList
    // If there is a SKY without a list, the lists may come in parts.
    case .list: comesInParts || !summary.isEmpty ? !list.isEmpty : hasList
    }
  }

  private var hasList: Bool { !list.isEmpty || !part.isEmpty }

  // MARK: Lines

  /// Stores a line of `input` that is not a TPV. `chosen` is the checksum of the receiver whose
  /// satellites count; nil for the first that sends some.
  mutating func lineRead(
    _ input: borrowing ByteBuffer, _ range: Range<Int>, _ kind: GPSDLine.Class, chosen: UInt32?
  ) {
    guard !wanted.isEmpty else { return }
    let line = input.bytes.extracting(range)
    switch kind {
    case .satellites:
      let speaker = Self.speaker(of: line)
      guard Self.isHeard(speaker, among: chosen ?? skySpeaker) else { return }
      if let speaker, speaker != skySpeaker { forgetSky() }
      skySpeaker = speaker ?? skySpeaker
      keep(sky: line)
    case .attitude:
      let speaker = Self.speaker(of: line)
      guard Self.isHeard(speaker, among: attitudeSpeaker), line.count <= attitude.capacity
      else { return }
      attitudeSpeaker = speaker ?? attitudeSpeaker
      attitude.removeAll()
      attitude.append(line)
    case .version, .position, .error, .other: break
    }
  }

  private mutating func keep(sky line: Span<UInt8>) {
    // gpsd writes the satellites last.
    let end = line.trimmed().count
    guard end > 1, line[end - 1] == UInt8(ascii: "}"), line[end - 2] == UInt8(ascii: "]") else {
      guard line.count <= summary.capacity else { return }
      summary.removeAll()
      summary.append(line)
      return
    }
    if !part.isEmpty { comesInParts = true }
    // A list with more satellites is longer.
    guard line.count >= part.count else { return }
    part.removeAll()
    part.append(line)
  }

  /// Ends the epoch of the receiver with this checksum, which has reported another time.
  mutating func epochEnded(of speaker: UInt32) {
    guard !part.isEmpty, Self.isHeard(speaker, among: skySpeaker) else { return }
    swap(&list, &part)
    part.removeAll()
  }

  /// Whether a line counts. A line without a device path is accepted from any receiver.
  private static func isHeard(_ speaker: UInt32?, among wanted: UInt32?) -> Bool {
    guard let speaker, let wanted else { return true }
    return speaker == wanted
  }

  /// Returns the receiver of a line `{"class":"SKY","device":"/dev/ttyUSB0",`.
  private static func speaker(of line: Span<UInt8>) -> UInt32? {
    let start: StaticString = #"{"class":"SKY","device":""#
    let place = start.utf8CodeUnitCount
    guard line.count > place,
      line.extracting(14..<place).elementsEqual(#","device":""#),
      let end = line.firstIndex(of: UInt8(ascii: "\""), from: place)
    else { return nil }
    return CRC32C(of: line.extracting(place..<end)).value
  }

  /// Drops the stored lines, which belong to an earlier cycle.
  mutating func forgetLines() {
    forgetSky()
    attitude.removeAll()
  }

  private mutating func forgetSky() {
    list.removeAll()
    part.removeAll()
    summary.removeAll()
  }

  /// Drops everything that was reported on the ended connection.
  mutating func connectionEnded() {
    forgetLines()
    (skySpeaker, attitudeSpeaker, comesInParts) = (nil, nil, false)
    (expectation, hasSearched) = (.nothing, false)
    for index in 0..<6 { (values[index], ages[index]) = (nil, 0) }
  }

  // MARK: Values

  private mutating func readSky(_ reader: GPSDReader) {
    let report = readList(reader)
    let summary = summary.isEmpty ? nil : reader.read(summary.bytes)
    horizontalDilution = Self.dilution(in: report) ?? Self.dilution(in: summary)
    if let seen = report?.satellitesSeen ?? summary?.satellitesSeen {
      tell(.satellitesSeen, .number(FixedPoint(seen)))
    }
    if let used = report?.satellitesUsed ?? summary?.satellitesUsed {
      tell(.satellitesUsed, .number(FixedPoint(used)))
    }
  }

  private static func dilution(in report: GPSDReport?) -> Double? {
    guard let dilution = report?.horizontalDilution, dilution > 0, dilution <= dilutionMax
    else { return nil }
    return dilution
  }

  /// Returns the content of the list that counts; nil if there is none.
  private func readList(_ reader: GPSDReader) -> GPSDReport? {
    guard !part.isEmpty, !comesInParts || part.count >= list.count else {
      return list.isEmpty ? nil : reader.read(list.bytes)
    }
    guard let report = reader.read(part.bytes) else { return nil }
    // For some cycles, the values of a whole epoch are better.
    if comesInParts, ages[ReceiverDetail.satellitesSeen.rawValue] <= Self.cyclesMax,
      case .number(let known)? = self[.satellitesSeen], let seen = report.satellitesSeen,
      seen < known.coefficient
    {
      return nil
    }
    return report
  }

  /// Lines that the next cycle waits for: the kinds that this one had. After a cycle without any,
  /// one cycle waits for a list that may come a moment later.
  private var nextExpectation: Expectation {
    if hasList { return .list }
    if !summary.isEmpty { return .sky }
    let satellites: ReceiverDetailSet = [
      ReceiverDetailSet(.satellitesSeen), ReceiverDetailSet(.satellitesUsed),
    ]
    return hasSearched || wanted.isDisjoint(with: satellites) ? .nothing : .list
  }

  /// Ends a cycle with the newest TPV of the receiver; nil if it sent none.
  mutating func cycleEnded(_ position: FixReport?, _ reader: GPSDReader) {
    guard !wanted.isEmpty else { return }
    for index in 0..<6 { ages[index] = min(ages[index] + 1, Self.cyclesMax + 1) }
    readSky(reader)
    readAttitude(reader)
    if let position { take(position) }
    for index in 0..<6 where ages[index] > Self.cyclesMax && values[index] != nil {
      values[index] = .unknown
    }
    expectation = nextExpectation
    hasSearched = true
    if ages[ReceiverDetail.satellitesSeen.rawValue] > Self.cyclesMax { skySpeaker = nil }
    if ages[ReceiverDetail.heading.rawValue] > Self.cyclesMax,
      ages[ReceiverDetail.magneticHeading.rawValue] > Self.cyclesMax
    {
      attitudeSpeaker = nil
    }
    forgetLines()
  }

  private mutating func readAttitude(_ reader: GPSDReader) {
    guard !attitude.isEmpty, let report = reader.read(attitude.bytes) else { return }
    tell(.heading, heading: report.headingDegrees)
    tell(.magneticHeading, heading: report.magneticHeadingDegrees)
  }

  private mutating func take(_ position: FixReport) {
    switch position.mode {
    case 1: tell(.fix, .text(InlineText("no fix")))
    case 2: tell(.fix, .text(InlineText("2D")))
    case 3: tell(.fix, .text(InlineText("3D")))
    default: tell(.fix, .unknown)
    }
    let climb = position.climbMetersPerSecond
    let isPlausible = position.mode == 3 && climb.magnitude <= Self.climbMax
    if isPlausible, let climb = FixedPoint(rounding: climb, decimals: 1) {
      tell(.climb, .number(climb))
    } else if self[.climb] != nil {
      tell(.climb, .unknown)
    }
  }

  private mutating func tell(_ detail: ReceiverDetail, heading: Double) {
    guard let degrees = FixedPoint(rounding: heading, decimals: 0)?.coefficient,
      (0...360).contains(degrees)
    else { return }
    let heading = degrees % 360
    ages[detail.rawValue] = 0
    if case .number(let told)? = self[detail] {
      let difference = (heading - told.coefficient).magnitude
      if min(difference, 360 - difference) < Self.headingDegreesMin.magnitude { return }
    }
    tell(detail, .number(FixedPoint(heading)))
  }

  private mutating func tell(_ detail: ReceiverDetail, _ value: Value) {
    values[detail.rawValue] = value
    ages[detail.rawValue] = 0
  }
}

/// A value of a receiver besides its position, each a sensor.
public enum ReceiverDetail: Int, CaseIterable, Sendable {
  /// `no fix`, `2D` or `3D`.
  case fix
  case satellitesSeen
  case satellitesUsed
  /// Vertical speed, upward, in metres per second.
  case climb
  /// Compass heading from true north.
  case heading
  /// Compass heading from magnetic north.
  case magneticHeading

  /// Keys of the configuration, in the order of the cases.
  public static let keys: [StaticString] = [
    "fix", "satellites_seen", "satellites_used", "climb", "heading", "magnetic_heading",
  ]
  private static let names: [StaticString] = [
    "GPS fix", "GPS satellites seen", "GPS satellites used", "GPS climb", "Compass heading",
    "Compass magnetic heading",
  ]

  /// Description for Home Assistant. No detail has a state class: Home Assistant would keep its
  /// statistics without limit.
  public var description: SensorDescription {
    let isAngle = self == .heading || self == .magneticHeading
    return SensorDescription(
      uniqueID: [UInt8]("gps_") + [UInt8](Self.keys[rawValue]),
      name: [UInt8](Self.names[rawValue]),
      unit: isAngle ? [UInt8]("°") : self == .climb ? [UInt8]("m/s") : nil,
      deviceClass: self == .fix ? [UInt8]("enum") : self == .climb ? [UInt8]("speed") : nil,
      icon: self == .climb
        ? nil : isAngle ? [UInt8]("mdi:compass-outline") : [UInt8]("mdi:satellite-variant"),
      isDiagnostic: true)
  }

  /// Smallest change to report; nil if every change counts, or if the value is reported in steps.
  public var minChange: FixedPoint? {
    switch self {
    case .satellitesSeen, .satellitesUsed: FixedPoint(2)
    case .climb: FixedPoint(5, decimals: 1)
    case .fix, .heading, .magneticHeading: nil
    }
  }
}

public struct ReceiverDetailSet: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ detail: ReceiverDetail) { rawValue = 1 << UInt8(detail.rawValue) }

  public static let all = ReceiverDetailSet(rawValue: 1 << 6 - 1)
}
