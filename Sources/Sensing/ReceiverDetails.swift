import Bytes

/// Gathers what the receivers of one gpsd tell beside their positions, and makes a value of each
/// detail once a cycle.
///
/// Of the lines of a cycle the newest SKY that has satellites is kept, else the newest, and the
/// newest ATT; each is read once, when the cycle ends. The SKY is one of the receiver whose fixes
/// are taken; before there is one, or when it is gone, of the first that speaks. What was not told
/// for `cyclesMax` cycles is unknown.
struct ReceiverDetails: ~Copyable {
  /// Cycles in a row in which a detail is not told, before it is unknown.
  static let cyclesMax = 3
  /// A compass of a boat at anchor is never still: a heading that is nearer to the one that was
  /// told last is told as that one.
  static let headingDegreesMin: Int64 = 10
  /// No receiver rises or sinks faster, in metres per second.
  static let climbMax = 1000.0
  /// What gpsd takes for the error of a position where the dilution is 1, in metres.
  static let errorMetersOfDilution = 19.0
  private static let attitudeByteCountMax = 1024

  let wanted: ReceiverDetailSet
  private var sky: ByteBuffer
  private var attitude: ByteBuffer
  /// Whether `sky` has satellites.
  private var hasSatellites = false
  /// Who told the lines, by the checksum of the path.
  private var skySpeaker: UInt32?
  private var attitudeSpeaker: UInt32?
  /// Whether a SKY came since the last cycle.
  private var hasSky = false
  /// Whether one came in the cycle before.
  private(set) var isSkyExpected = false
  private var values = InlineArray<6, Value?>(repeating: nil)
  /// In how many cycles each was not told.
  private var ages = InlineArray<6, Int>(repeating: 0)
  /// HDOP, by the SKY of the cycle.
  private(set) var horizontalDilution: Double?

  init(_ wanted: ReceiverDetailSet) {
    self.wanted = wanted
    let isOn = !wanted.isEmpty
    sky = ByteBuffer(capacity: isOn ? GPSDSession.lineByteCountMax : 1)
    attitude = ByteBuffer(capacity: isOn ? Self.attitudeByteCountMax : 1)
  }

  /// What is known of a detail; nil where it was never told.
  subscript(_ detail: ReceiverDetail) -> Value? { values[detail.rawValue] }

  /// Whether the cycle has all that the one before had.
  var isComplete: Bool { !isSkyExpected || hasSky }

  // MARK: Lines

  /// A line of `input` that is no TPV. `chosen` is the receiver whose satellites count, by its
  /// checksum; nil for the first that speaks.
  mutating func lineRead(
    _ input: borrowing ByteBuffer, _ range: Range<Int>, _ kind: GPSDLine.Class, chosen: UInt32?
  ) {
    guard !wanted.isEmpty else { return }
    let line = input.bytes.extracting(range)
    switch kind {
    case .satellites:
      let speaker = Self.speaker(of: line)
      guard Self.isHeard(speaker, among: chosen ?? skySpeaker) else { return }
      skySpeaker = speaker ?? skySpeaker
      keep(sky: line)
    case .attitude:
      let speaker = Self.speaker(of: line)
      guard Self.isHeard(speaker, among: attitudeSpeaker),
        line.count <= Self.attitudeByteCountMax
      else { return }
      attitudeSpeaker = speaker ?? attitudeSpeaker
      attitude.removeAll()
      attitude.append(line)
    case .version, .position, .error, .other: break
    }
  }

  private mutating func keep(sky line: Span<UInt8>) {
    hasSky = true
    // gpsd writes the satellites last.
    let end = line.trimmed().count
    let hasSatellites =
      end > 1 && line[end - 1] == UInt8(ascii: "}") && line[end - 2] == UInt8(ascii: "]")
    guard hasSatellites || !self.hasSatellites else { return }
    self.hasSatellites = hasSatellites
    sky.removeAll()
    sky.append(line)
  }

  /// One that does not say who it is may be anyone.
  private static func isHeard(_ speaker: UInt32?, among wanted: UInt32?) -> Bool {
    guard let speaker, let wanted else { return true }
    return speaker == wanted
  }

  /// `{"class":"SKY","device":"/dev/ttyUSB0",`
  private static func speaker(of line: Span<UInt8>) -> UInt32? {
    let start: StaticString = #"{"class":"SKY","device":""#
    let place = start.utf8CodeUnitCount
    guard line.count > place,
      line.extracting(14..<place).elementsEqual(#","device":""#),
      let end = line.firstIndex(of: UInt8(ascii: "\""), from: place)
    else { return nil }
    return ReceiverPath(line.extracting(place..<end)).checksum
  }

  /// What was read is not of this cycle.
  mutating func forgetLines() {
    sky.removeAll()
    attitude.removeAll()
    (hasSky, hasSatellites) = (false, false)
  }

  /// The connection ended: what was told on it counts no more.
  mutating func connectionEnded() {
    forgetLines()
    (skySpeaker, attitudeSpeaker, isSkyExpected) = (nil, nil, false)
    for index in 0..<6 { (values[index], ages[index]) = (nil, 0) }
  }

  // MARK: Values

  private mutating func readSky() {
    horizontalDilution = nil
    guard !sky.isEmpty, let report = GPSDSkyReport(sky.bytes) else { return }
    horizontalDilution = report.horizontalDilution
    if let seen = report.seen { tell(.satellitesSeen, .number(FixedPoint(seen))) }
    if let used = report.used { tell(.satellitesUsed, .number(FixedPoint(used))) }
  }

  /// A cycle ends, in which the receiver was in this state; nil where it said nothing.
  mutating func cycleEnded(_ state: ReceiverState?) {
    guard !wanted.isEmpty else { return }
    for index in 0..<6 { ages[index] = min(ages[index] + 1, Self.cyclesMax + 1) }
    readSky()
    readAttitude()
    if let state { take(state) }
    for index in 0..<6 where ages[index] > Self.cyclesMax && values[index] != nil {
      values[index] = .unknown
    }
    isSkyExpected = hasSky
    if ages[ReceiverDetail.satellitesSeen.rawValue] > Self.cyclesMax { skySpeaker = nil }
    if ages[ReceiverDetail.heading.rawValue] > Self.cyclesMax,
      ages[ReceiverDetail.magneticHeading.rawValue] > Self.cyclesMax
    {
      attitudeSpeaker = nil
    }
    forgetLines()
  }

  private mutating func readAttitude() {
    guard !attitude.isEmpty, let report = GPSDAttitudeReport(attitude.bytes) else { return }
    tell(.heading, heading: report.heading)
    tell(.magneticHeading, heading: report.magneticHeading)
  }

  private mutating func take(_ state: ReceiverState) {
    switch state.mode {
    case 1: tell(.fix, .text(InlineText("no fix")))
    case 2: tell(.fix, .text(InlineText("2D")))
    case 3: tell(.fix, .text(InlineText("3D")))
    default: tell(.fix, .unknown)
    }
    let isPlausible = state.mode == 3 && state.climb.magnitude <= Self.climbMax
    if isPlausible, let climb = FixedPoint(rounding: state.climb, decimals: 1) {
      tell(.climb, .number(climb))
    } else if self[.climb] != nil {
      tell(.climb, .unknown)
    }
  }

  private mutating func tell(_ detail: ReceiverDetail, heading: Int64?) {
    guard let heading else { return }
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
