import Bytes

/// Gathers what the receivers of one gpsd tell beside their positions, and makes a value of each
/// detail once a cycle.
///
/// Of the lines of a cycle the newest list of satellites is kept, the newest SKY without one, and
/// the newest ATT; a list is read once, when the cycle ends. A SKY is one of the receiver whose
/// fixes are taken; before there is one, or when it is gone, of the first that speaks. What was not
/// told for `cyclesMax` cycles is unknown.
///
/// A receiver of many constellations tells its list in parts that grow, several in an epoch, which
/// ends with its next TPV. Of an epoch the largest list counts, and one that is not over replaces
/// none that is.
struct ReceiverDetails: ~Copyable {
  /// What a cycle waits for.
  private enum Expectation {
    case nothing
    case sky
    case list
  }

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
  /// The largest list of the newest epoch that is over, if that has one.
  private var list: ByteBuffer
  /// The largest one of the epoch that is not.
  private var part: ByteBuffer
  /// Whether an epoch had more than one.
  private var comesInParts = false
  /// The newest SKY without a list.
  private var summary: GPSDSkyReport?
  private var attitude: ByteBuffer
  /// Who told the lines, by the checksum of the path.
  private var skySpeaker: UInt32?
  private var attitudeSpeaker: UInt32?
  private var expectation = Expectation.nothing
  /// Whether a cycle has waited for satellites of which nothing was known.
  private var hasSearched = false
  private var values = InlineArray<6, Value?>(repeating: nil)
  /// In how many cycles each was not told.
  private var ages = InlineArray<6, Int>(repeating: 0)
  /// HDOP, by the SKY of the cycle.
  private(set) var horizontalDilution: Double?

  init(_ wanted: ReceiverDetailSet) {
    self.wanted = wanted
    let isOn = !wanted.isEmpty
    list = ByteBuffer(capacity: isOn ? GPSDSession.lineByteCountMax : 1)
    part = ByteBuffer(capacity: isOn ? GPSDSession.lineByteCountMax : 1)
    attitude = ByteBuffer(capacity: isOn ? Self.attitudeByteCountMax : 1)
  }

  /// What is known of a detail; nil where it was never told.
  subscript(_ detail: ReceiverDetail) -> Value? { values[detail.rawValue] }

  /// Whether the cycle has all that the one before had.
  var isComplete: Bool {
    switch expectation {
    case .nothing: true
    case .sky: summary != nil || hasList
    // Where there is a SKY without a list, the lists may come in parts.
    case .list: comesInParts || summary != nil ? !list.isEmpty : hasList
    }
  }

  private var hasList: Bool { !list.isEmpty || !part.isEmpty }

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
      if let speaker, speaker != skySpeaker { forgetSky() }
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
    // gpsd writes the satellites last.
    let end = line.trimmed().count
    guard end > 1, line[end - 1] == UInt8(ascii: "}"), line[end - 2] == UInt8(ascii: "]") else {
      summary = GPSDSkyReport(line) ?? summary
      return
    }
    if !part.isEmpty { comesInParts = true }
    // A list with more satellites is longer.
    guard line.count >= part.count else { return }
    part.removeAll()
    part.append(line)
  }

  /// The receiver with this checksum has told another time.
  mutating func epochEnded(of speaker: UInt32) {
    guard !part.isEmpty, Self.isHeard(speaker, among: skySpeaker) else { return }
    swap(&list, &part)
    part.removeAll()
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
    forgetSky()
    attitude.removeAll()
  }

  private mutating func forgetSky() {
    list.removeAll()
    part.removeAll()
    summary = nil
  }

  /// The connection ended: what was told on it counts no more.
  mutating func connectionEnded() {
    forgetLines()
    (skySpeaker, attitudeSpeaker, comesInParts) = (nil, nil, false)
    (expectation, hasSearched) = (.nothing, false)
    for index in 0..<6 { (values[index], ages[index]) = (nil, 0) }
  }

  // MARK: Values

  private mutating func readSky() {
    let report = readList()
    horizontalDilution = report?.horizontalDilution ?? summary?.horizontalDilution
    if let seen = report?.seen ?? summary?.seen {
      tell(.satellitesSeen, .number(FixedPoint(seen)))
    }
    if let used = report?.used ?? summary?.used {
      tell(.satellitesUsed, .number(FixedPoint(used)))
    }
  }

  /// What the list says that counts; nil if there is none.
  private func readList() -> GPSDSkyReport? {
    guard !part.isEmpty, !comesInParts || part.count >= list.count else {
      return list.isEmpty ? nil : GPSDSkyReport(list.bytes)
    }
    guard let report = GPSDSkyReport(part.bytes) else { return nil }
    // What is known of a whole epoch is better for some cycles.
    if comesInParts, ages[ReceiverDetail.satellitesSeen.rawValue] <= Self.cyclesMax,
      case .number(let known)? = self[.satellitesSeen], let seen = report.seen,
      seen < known.coefficient
    {
      return nil
    }
    return report
  }

  /// What the next cycle waits for: what this one had. A cycle that had nothing is followed by one
  /// that looks for what may come a moment later.
  private var nextExpectation: Expectation {
    if hasList { return .list }
    if summary != nil { return .sky }
    let satellites: ReceiverDetailSet = [
      ReceiverDetailSet(.satellitesSeen), ReceiverDetailSet(.satellitesUsed),
    ]
    return hasSearched || wanted.isDisjoint(with: satellites) ? .nothing : .list
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
