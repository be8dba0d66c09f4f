import Bytes
import Sensing
import Testing

@Suite struct FixFilterTests {
  let now = Instant(nanoseconds: 5)
  var arrival: Arrival {
    Arrival(instant: Instant(nanoseconds: 1_000_000_005), wallTime: wallTime, since: now)
  }
  /// 2027-05-01 12:00 UTC.
  let wallTime = WallTime(nanoseconds: 1_809_172_800 * 1_000_000_000)

  func time(_ second: Int64) -> WallTime {
    WallTime(nanoseconds: (1_809_172_800 + second) * 1_000_000_000)
  }
  func report(mode: Int32 = 3, at second: Int64 = 0) -> FixReport {
    var report = FixReport(mode: mode, time: time(second))
    report.latitude = 51.5
    report.longitude = -0.1
    report.altitudeMeters = 12.5
    report.speedMetersPerSecond = 1.492
    report.trackDegrees = 90.2
    report.horizontalErrorMeters = 17.1
    report.verticalErrorMeters = 27.6
    return report
  }
  /// What becomes of a report where it is the first and the board's clock is at `clock`.
  func verdict(_ report: FixReport, clock: WallTime? = nil) -> FixFilter.Verdict {
    var filter = FixFilter()
    var arrival = arrival
    if let clock { arrival.wallTime = clock }
    return filter.reported(report, arrival)
  }
  func verdict(
    clock: WallTime? = nil, _ change: (inout FixReport) -> Void
  ) -> FixFilter.Verdict {
    var report = report()
    change(&report)
    return verdict(report, clock: clock)
  }
  func fix(_ change: (inout FixReport) -> Void) throws -> Fix {
    guard case .usable(let fix) = verdict(change) else { throw NoFix() }
    return fix
  }
  private struct NoFix: Error {}

  @Test func aCompleteReportIsAFixWithEachValueInItsPlace() {
    let fix = Fix(
      mode: .threeDimensional, latitude: 51.5, longitude: -0.1, altitudeMeters: 12.5,
      speedMetersPerSecond: 1.492, trackDegrees: 90.2, horizontalErrorMeters: 17.1,
      verticalErrorMeters: 27.6, time: time(0), notBefore: now)
    #expect(verdict(report()) == .usable(fix))
  }

  @Test(arguments: [0, 1] as [Int32])
  func aReceiverWithoutAFixHasNone(mode: Int32) {
    #expect(verdict(report(mode: mode)) == .noFix)
    #expect(verdict(FixReport(mode: mode, time: nil)) == .noFix)
  }

  @Test(arguments: [-1, 4, 7, .max, .min] as [Int32])
  func anUndocumentedModeIsNoFix(mode: Int32) {
    #expect(verdict(report(mode: mode)) == .rejected(.unknownMode))
  }

  @Test func theAltitudeOfATwoDimensionalFixIsNotBelieved() throws {
    let fix = try fix { $0.mode = 2 }
    #expect(fix.mode == .twoDimensional)
    #expect(fix.altitudeMeters == nil)
    #expect(fix.speedMetersPerSecond == 1.492)
  }

  @Test(
    arguments: [
      (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity), (90.000_001, 0), (-90.000_001, 0),
      (0, 180.000_001), (0, -180.000_001), (1e300, 1e300),
    ] as [(Double, Double)])
  func aPlaceThatIsNotOnEarthIsRejected(latitude: Double, longitude: Double) {
    let verdict = verdict { ($0.latitude, $0.longitude) = (latitude, longitude) }
    #expect(verdict == .rejected(.noPosition))
  }

  @Test(arguments: [(90, 180), (-90, -180), (0, 0)] as [(Double, Double)])
  func thePolesAndTheDateLineAreOnEarth(latitude: Double, longitude: Double) throws {
    let fix = try fix {
      $0.latitude = latitude
      $0.longitude = longitude
    }
    #expect(fix.latitude == latitude)
    #expect(fix.longitude == longitude)
  }

  @Test(arguments: [.nan, .infinity, -.infinity, -0.001] as [Double])
  func aValueThatCannotBeIsLeftOutAndTheRestIsKept(value: Double) throws {
    let fix = try fix {
      $0.speedMetersPerSecond = value
      $0.trackDegrees = value
      $0.horizontalErrorMeters = value
      $0.verticalErrorMeters = value
      if !value.isFinite { $0.altitudeMeters = value }
    }
    #expect(fix.speedMetersPerSecond == nil)
    #expect(fix.trackDegrees == nil)
    #expect(fix.horizontalErrorMeters == nil)
    #expect(fix.verticalErrorMeters == nil)
    #expect(fix.altitudeMeters == (value.isFinite ? 12.5 : nil))
    #expect(fix.latitude == 51.5)
  }

  @Test(arguments: [(0, 0), (359.99, 359.99), (360, 0), (360.01, nil)] as [(Double, Double?)])
  func northIsZeroAndNever360(track: Double, degrees: Double?) throws {
    #expect(try fix { $0.trackDegrees = track }.trackDegrees == degrees)
  }

  @Test func aSpeedThatNothingReachesIsLeftOut() throws {
    let max = FixFilter.speedMetersPerSecondMax
    #expect(try fix { $0.speedMetersPerSecond = max }.speedMetersPerSecond == max)
    #expect(try fix { $0.speedMetersPerSecond = max.nextUp }.speedMetersPerSecond == nil)
  }

  @Test func theDeadSeaIsBelowTheSea() throws {
    #expect(try fix { $0.altitudeMeters = -430 }.altitudeMeters == -430)
  }

  /// gpsd says what its receiver says, when it does.
  @Test func aPositionWithoutATimeHasThatOfItsArrival() throws {
    var filter = FixFilter()
    var report = report()
    report.time = nil
    for _ in 0..<2 {
      guard case .usable(let fix) = filter.reported(report, arrival) else { throw NoFix() }
      #expect(fix.time == wallTime)
      #expect(fix.clock == .board)
      #expect(fix.notBefore == now)
    }
  }

  @Test func aPositionOfZeroIsBelievedWhereItHasAnAccuracy() throws {
    func equator(_ error: Double) -> FixFilter.Verdict {
      verdict { ($0.latitude, $0.longitude, $0.horizontalErrorMeters) = (0, 0, error) }
    }
    for error in [.nan, 0, FixFilter.plausibleErrorMetersMax, .infinity] {
      #expect(equator(error) == .rejected(.emptyPosition))
    }
    guard case .usable = equator(5) else { throw NoFix() }
  }

  /// gpsd 3.22 with a u-blox: three dimensions, a time, an error as it should be; and a receiver
  /// that says two dimensions.
  @Test(
    arguments: [(0, .nan), (.nan, 0), (0, 0), (-17.2, 0), (0, 17.2), (.nan, .nan)]
      as [(Double, Double)])
  func zerosInAllCoordinatesAreNoPosition(altitude: Double, height: Double) {
    var report = report()
    (report.latitude, report.longitude) = (0, -0.0)
    (report.altitudeMeters, report.ellipsoidHeightMeters) = (altitude, height)
    report.horizontalErrorMeters = 3.8
    #expect(verdict(report) == .rejected(.emptyPosition))
    report.latitude = 0.000_000_1
    #expect(verdict(report).isUsable, "the sea there is as real as any other")
  }

  /// In the Netherlands.
  private static let earth = (x: 3_874_674.7, y: 356_032.6, z: 5_036_901.1)

  func verdict(
    _ latitude: Double, _ longitude: Double, _ earth: (x: Double, y: Double, z: Double)
  ) -> FixFilter.Verdict {
    verdict {
      ($0.latitude, $0.longitude) = (latitude, longitude)
      ($0.earthXMeters, $0.earthYMeters, $0.earthZMeters) = (earth.x, earth.y, earth.z)
    }
  }

  @Test(
    arguments: [
      (0, 0), (0, 5.25), (52.5, 0), (52.5, -5.25), (-52.5, 5.25), (5.25, 52.5), (52.6, 5.25),
    ] as [(Double, Double)])
  func aPlaceThatTheSameReportHasElsewhereIsNone(latitude: Double, longitude: Double) {
    #expect(verdict(latitude, longitude, Self.earth) == .rejected(.contradictory))
  }

  @Test func bothWaysToSayAPlaceAgreeAtEachHeight() {
    let earth = Self.earth
    #expect(verdict(52.5, 5.25, earth).isUsable)
    for height in [-500, 12_000, 400_000] as [Double] {
      let scale = 1 + height / 6_370_000
      #expect(verdict(52.5, 5.25, (earth.x * scale, earth.y * scale, earth.z * scale)).isUsable)
    }
    #expect(verdict(90, 180, (0, 0, 6_356_752.3)).isUsable)
    #expect(verdict(0, -180, (-6_378_137, 0.1, 0)).isUsable)
  }

  @Test(
    arguments: [
      (0, 0, 0), (.nan, 0, 0), (.infinity, 0, 0), (6_371_000, .nan, 0), (1e300, 1e300, 1e300),
      (42_164_000, 0, 0),
    ] as [(Double, Double, Double)])
  func coordinatesThatAreNoPlaceContradictNothing(x: Double, y: Double, z: Double) {
    #expect(verdict(52.5, 5.25, (x, y, z)).isUsable)
  }

  // MARK: A place that stands still

  /// The verdicts on reports each five seconds with these speeds, all at one place.
  private func judged(
    _ speeds: [Double], moving: Bool = false, each seconds: Int64 = 5
  ) -> [FixFilter.Verdict] {
    var filter = FixFilter()
    return speeds.indices.map { index in
      var report = report(at: Int64(index) * seconds)
      report.speedMetersPerSecond = speeds[index]
      if moving { report.latitude += Double(index) * 1e-9 }
      var arrival = arrival
      arrival.instant = arrival.instant + .seconds(Int64(index) * seconds)
      return filter.reported(report, arrival)
    }
  }

  @Test func aPlaceThatStandsStillAtSpeedIsFrozen() {
    let verdicts = judged([7.5, 7.6, 7.5, 0, 7.5])
    #expect(verdicts.map(\.isFrozen) == [false, true, true, true, true])
    #expect(verdicts.map { $0.fix?.latitude } == Array(repeating: 51.5, count: 5))
    #expect(verdicts.last?.fix?.clock == .receiver)
  }

  @Test func aSlowVehicleIsFrozenWhereItShouldHaveMovedBySomeMetres() {
    let mower = judged(Array(repeating: 0.5, count: 12))
    #expect(mower.firstIndex { $0.isFrozen } == 10)
  }

  /// A boat at its berth that is asked each ten minutes: one gust, and its speed times ten minutes
  /// is 360 m.
  @Test func aSpeedSaysNothingOfTheTimeBetweenTwoReports() {
    let gusts = judged([0, 0.6, 0, 0, 4.9, 0.1, 0], each: 600)
    #expect(gusts.allSatisfy { $0.isUsable })
    #expect(judged([0, 5.1], each: 600).last?.isFrozen == true)
  }

  @Test func threeReportsOfStandstillEndIt() {
    let verdicts = judged([7.5, 7.5, 0, 0, 7.5, 0.1, 0, .nan, 0, 0.4])
    #expect(
      verdicts.map(\.isFrozen)
        == [false, true, true, true, true, true, true, false, false, false])
  }

  @Test func whatMovesAndWhatStandsIsNotFrozen() {
    for verdict in judged(Array(repeating: 7.5, count: 9), moving: true) {
      #expect(verdict.isUsable, "the last digit moves")
    }
    for speed in [0, 0.49, .nan] as [Double] {
      #expect(judged(Array(repeating: speed, count: 999)).allSatisfy { $0.isUsable })
    }
    // At a berth, with a receiver that has hundredths of a minute: gusts.
    let gusts = (0..<999).map { $0 % 4 == 0 ? 1.9 : 0.1 }
    #expect(judged(gusts).allSatisfy { $0.isUsable })
  }

  @Test func aPositionWithoutATimeCanBeFrozenToo() {
    var filter = FixFilter()
    var report = report()
    report.time = nil
    var arrival = arrival
    #expect(filter.reported(report, arrival).isUsable)
    report.speedMetersPerSecond = 7.5
    arrival.instant = arrival.instant + .seconds(60)
    #expect(filter.reported(report, arrival).isFrozen)
    report.longitude += 1e-7
    #expect(filter.reported(report, arrival).isUsable)
  }

  @Test func theErrorToTheEastAndToTheNorthMakeOne() throws {
    let fix = try fix {
      $0.horizontalErrorMeters = .nan
      ($0.eastErrorMeters, $0.northErrorMeters) = (3, 4)
    }
    #expect(fix.horizontalErrorMeters == 5)
    #expect(fix.errorSource == .parts)
    #expect(try self.fix { $0.eastErrorMeters = 3 }.horizontalErrorMeters == 17.1)
    #expect(try self.fix { $0.eastErrorMeters = 3 }.errorSource == .estimate)
    let half = try self.fix {
      $0.horizontalErrorMeters = .nan
      $0.eastErrorMeters = 3
    }
    #expect(half.horizontalErrorMeters == nil)
  }

  /// A board that is still in use after the seconds of 32 bits have passed.
  @Test func aDateAfter2038IsRight() throws {
    let time = WallTime(nanoseconds: 2_208_988_800 * 1_000_000_000)
    let verdict = verdict(clock: time + .milliseconds(200)) { $0.time = time }
    guard case .usable(let fix) = verdict else { throw NoFix() }
    #expect(fix.time == time && fix.clock == .receiver)
  }

  // MARK: Dates that cannot be right

  static let week: Int64 = 7 * 86_400

  @Test(arguments: [-1, 0, 1] as [Int64], [-3600, 0, 3600] as [Int64])
  func aDateThatIsAThousandWeeksOffIsSaidToBeThatAndThePositionIsUsed(
    weeks: Int64, seconds: Int64
  ) throws {
    let verdict = verdict(report(at: (weeks - 1) * 1024 * Self.week + seconds))
    guard weeks != 1 else {
      guard case .usable(let fix) = verdict else { throw NoFix() }
      #expect(fix.clock == .receiver)
      return
    }
    guard case .misdated(let fix, .weeksOff) = verdict else { throw NoFix() }
    #expect(fix.latitude == 51.5)
    #expect(fix.time == wallTime)
    #expect(fix.clock == .board)
  }

  /// A board without a battery for its clock, which begins in 1970 or at its last shutdown.
  @Test(arguments: [(1, true), (200, true), (270, false), (-600, false)])
  func whereTheClockIsNotSetADateIsAThousandWeeksOffThatWouldElseBeNear(
    weeksAfterRelease: Int64, isWeeksOff: Bool
  ) throws {
    let weeks = (weeksAfterRelease - 1024) * Self.week * 1_000_000_000
    let time = WallTime(nanoseconds: WallTime.released.nanoseconds + weeks)
    for nanoseconds in [0, WallTime.released.nanoseconds - 1] {
      let clock = WallTime(nanoseconds: nanoseconds)
      let verdict = verdict(clock: clock) { $0.time = time }
      guard case .misdated(_, let flaw) = verdict else { throw NoFix() }
      #expect(flaw == (isWeeksOff ? .weeksOff : .impossible))
    }
  }

  @Test(arguments: [
    WallTime.released.nanoseconds - 1, 0, .min, .max, .min + 1, 315_964_800_000_000_000,
    WallTime.released.nanoseconds + 1024 * week * 1_000_000_000,
  ])
  func aDateThatCannotBeRightIsSaidToBeThatAndThePositionIsUsed(nanoseconds: Int64) throws {
    for clock in [wallTime, WallTime(nanoseconds: .min), WallTime(nanoseconds: .max)] {
      let verdict = verdict(clock: clock) { $0.time = WallTime(nanoseconds: nanoseconds) }
      guard case .misdated(let fix, _) = verdict else { throw NoFix() }
      #expect(fix.time == clock)
    }
  }
}

extension FixFilter.Verdict {
  fileprivate var isUsable: Bool { if case .usable = self { true } else { false } }
  fileprivate var isFrozen: Bool { if case .frozen = self { true } else { false } }
  fileprivate var fix: Fix? {
    switch self {
    case .usable(let fix), .misdated(let fix, _), .frozen(let fix): fix
    case .noFix, .rejected: nil
    }
  }
}
