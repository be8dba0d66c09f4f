import Bytes
import Sensing
import Testing

@Suite struct FixFilterTests {
  private let now = Instant(nanoseconds: 5)
  private var arrival: Arrival {
    Arrival(instant: Instant(nanoseconds: 1_000_000_005), wallTime: wallTime, since: now)
  }
  /// 2027-05-01 12:00 UTC.
  private let wallTime = WallTime(nanoseconds: 1_809_172_800 * 1_000_000_000)

  private func time(_ second: Int64) -> WallTime {
    WallTime(nanoseconds: (1_809_172_800 + second) * 1_000_000_000)
  }
  private func report(mode: Int32 = 3, at second: Int64 = 0) -> FixReport {
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
  private func verdict(_ report: FixReport) -> FixFilter.Verdict {
    var filter = FixFilter()
    return filter.reported(report, arrival)
  }
  private func fix(_ change: (inout FixReport) -> Void) throws -> Fix {
    var report = report()
    change(&report)
    guard case .usable(let fix) = verdict(report) else { throw NoFix() }
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
    var report = report()
    report.latitude = latitude
    report.longitude = longitude
    #expect(verdict(report) == .rejected(.noPosition))
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
      var report = report()
      (report.latitude, report.longitude) = (0, 0)
      report.horizontalErrorMeters = error
      return verdict(report)
    }
    for error in [.nan, 0, FixFilter.plausibleErrorMetersMax, .infinity] {
      #expect(equator(error) == .rejected(.emptyPosition))
    }
    guard case .usable = equator(5) else { throw NoFix() }
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

  // MARK: Dates that cannot be right

  private static let week: Int64 = 7 * 86_400

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
    for clock in [0, WallTime.released.nanoseconds - 1] {
      var filter = FixFilter()
      var report = report()
      report.time = WallTime(nanoseconds: WallTime.released.nanoseconds + weeks)
      var arrival = arrival
      arrival.wallTime = WallTime(nanoseconds: clock)
      guard case .misdated(_, let flaw) = filter.reported(report, arrival) else { throw NoFix() }
      #expect(flaw == (isWeeksOff ? .weeksOff : .impossible))
    }
  }

  @Test(arguments: [
    WallTime.released.nanoseconds - 1, 0, .min, .max, .min + 1, 315_964_800_000_000_000,
    WallTime.released.nanoseconds + 1024 * week * 1_000_000_000,
  ])
  func aDateThatCannotBeRightIsSaidToBeThatAndThePositionIsUsed(nanoseconds: Int64) throws {
    for wallTime in [self.wallTime, WallTime(nanoseconds: .min), WallTime(nanoseconds: .max)] {
      var filter = FixFilter()
      var report = report()
      report.time = WallTime(nanoseconds: nanoseconds)
      var arrival = arrival
      arrival.wallTime = wallTime
      guard case .misdated(let fix, _) = filter.reported(report, arrival) else { throw NoFix() }
      #expect(fix.time == wallTime)
    }
  }

  // MARK: How old it is

  /// How old the fixes are that are read at these seconds with the receiver's clock behind by so
  /// many milliseconds, in hundreds of milliseconds.
  private func ages(_ readings: [(at: Int64, behind: Int64)]) -> [Int64?] {
    var filter = FixFilter()
    return readings.map { reading in
      let instant = Instant(nanoseconds: (1000 + reading.at) * 1_000_000_000)
      let arrival = Arrival(instant: instant, wallTime: wallTime, since: Instant(nanoseconds: 0))
      var report = report()
      report.time = time(reading.at) - .milliseconds(reading.behind)
      guard case .usable(let fix) = filter.reported(report, arrival) else { return nil }
      return ((instant - fix.notBefore).nanoseconds + 50_000_000) / 100_000_000
    }
  }

  @Test func theAgeOfAFixIsHowMuchLaterItComesThanTheOthersDid() {
    #expect(ages([(0, 7000), (10, 7000), (20, 15_000), (30, 7000)]).dropFirst() == [0, 80, 0])
    #expect(ages([(0, 7000), (10, 6000), (20, 7000)]).dropFirst() == [0, 10])
    #expect(ages([(0, 0)]) == [10_000], "of the first it is known when the socket was empty")
  }

  @Test func aClockThatDriftsIsNotLate() {
    let day = (0...8640).map { (at: Int64($0) * 10, behind: Int64($0) * 2) }
    #expect(ages(day).dropFirst().allSatisfy { $0 == 0 })
  }

  // MARK: The receiver's clock

  /// The verdicts on reports of these seconds: true for usable, false for not newer.
  private func verdicts(_ seconds: [Int64]) -> [Bool?] {
    var filter = FixFilter()
    return seconds.map { second in
      switch filter.reported(report(at: second), arrival) {
      case .usable: true
      case .rejected(.notNewer): false
      case .rejected, .noFix, .misdated: nil
      }
    }
  }

  @Test func theEchoOfTheLastFixIsNoFix() {
    #expect(
      verdicts([10, 10, 10, 10, 10, 11, 11]) == [true, false, false, false, false, true, false])
    #expect(
      verdicts([100, 98, 99, 100]) == [true, false, false, false], "nor behind late reports")
  }

  @Test func aReportThatComesLateIsDropped() {
    #expect(verdicts([10, 9, 11, 10, 12, 11]) == [true, false, true, false, true, false])
  }

  @Test func aClockThatWasPutBackForGoodIsBelievedAfterItWentOn() {
    #expect(verdicts([100, 10, 11, 12, 13, 13]) == [true, false, false, true, true, false])
  }

  @Test func anOldReportThatIsRepeatedIsNeverBelieved() {
    #expect(verdicts([100, 10, 10, 10, 10, 10, 10]).dropFirst().allSatisfy { $0 == false })
    #expect(verdicts([100, 12, 11, 10, 9, 8, 7]).dropFirst().allSatisfy { $0 == false })
  }

  @Test func oldReportsBetweenNewOnesDoNotAddUp() {
    #expect(
      verdicts([100, 10, 11, 101, 12, 13, 102]) == [true, false, false, true, false, false, true])
  }

  @Test func aReportThatIsNoFixDoesNotMoveTheClock() {
    var filter = FixFilter()
    for mode in [0, 1, 9] as [Int32] {
      _ = filter.reported(report(mode: mode, at: 50), arrival)
    }
    var nowhere = report(at: 50)
    nowhere.latitude = .nan
    _ = filter.reported(nowhere, arrival)
    guard case .usable = filter.reported(report(at: 10), arrival) else {
      Issue.record("an unusable report counted as the last fix")
      return
    }
  }
}
