import Bytes
import Sensing
import Testing

@Suite struct FixJudgeTests {
  private let now = Instant(nanoseconds: 5)

  private func time(_ second: Int64) -> WallTime {
    WallTime(nanoseconds: (1_714_564_800 + second) * 1_000_000_000)
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
  private func verdict(_ report: FixReport) -> FixJudge.Verdict {
    var judge = FixJudge()
    return judge.reported(report, notBefore: now)
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
  func aModeThatNobodyDocumentsIsNoFix(mode: Int32) {
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
    let max = FixJudge.speedMetersPerSecondMax
    #expect(try fix { $0.speedMetersPerSecond = max }.speedMetersPerSecond == max)
    #expect(try fix { $0.speedMetersPerSecond = max.nextUp }.speedMetersPerSecond == nil)
  }

  @Test func theDeadSeaIsBelowTheSea() throws {
    #expect(try fix { $0.altitudeMeters = -430 }.altitudeMeters == -430)
  }

  @Test func aReportWithoutATimeCannotBeToldFromAnOldOne() {
    var report = report()
    report.time = nil
    #expect(verdict(report) == .rejected(.noTime))
  }

  // MARK: The receiver's clock

  /// The verdicts on reports of these seconds: true for usable, false for not newer.
  private func verdicts(_ seconds: [Int64]) -> [Bool?] {
    var judge = FixJudge()
    return seconds.map { second in
      switch judge.reported(report(at: second), notBefore: now) {
      case .usable: true
      case .rejected(.notNewer): false
      case .rejected, .noFix: nil
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
    var judge = FixJudge()
    for mode in [0, 1, 9] as [Int32] {
      _ = judge.reported(report(mode: mode, at: 50), notBefore: now)
    }
    var nowhere = report(at: 50)
    nowhere.latitude = .nan
    _ = judge.reported(nowhere, notBefore: now)
    guard case .usable = judge.reported(report(at: 10), notBefore: now) else {
      Issue.record("an unusable report counted as the last fix")
      return
    }
  }
}
