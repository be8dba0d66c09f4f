import Bytes
import Testing

@testable import Sensing

extension FixFilterTests {
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
      report.speedMetersPerSecond = 0
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
      case .rejected, .noFix, .misdated, .frozen: nil
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
    #expect(verdicts([100, 10, 10, 11, 11, 12]).last == true, "with echoes, too")
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

  @Test func aTimeThatIsNoneSetsNoDistance() {
    var clock = ReceiverClock()
    let now = Instant(nanoseconds: 10_000_000_000)
    let times: [Int64] = [.min, .min + 1, 1_800_000_000_000_000_000]
    let ages = times.map { clock.age(of: WallTime(nanoseconds: $0), now: now) }
    #expect(ages.allSatisfy { $0 == nil }, "the first that can be one is the first")
  }
}
