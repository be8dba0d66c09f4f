import Bytes
import Sensing
import Testing

/// `SupervisorTests` holds what a supervisor makes of it.
@Suite struct SupervisionTests {
  private let missing = SourceFailure.missing(InlineText("gpsd"))
  private let silent = SourceFailure.silent(InlineText("gpsd"))
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func theSameKindOfFailureOfSomethingElseIsAnother() {
    var supervision = Supervision()
    let first = SourceFailure.failed(InlineText("gpsd"), errno: 104)
    let second = SourceFailure.failed(InlineText("gpsd"), errno: 113)
    #expect(supervision.failed(first, now: at(0)) == first)
    #expect(supervision.failed(second, now: at(1)) == second)
  }

  /// What a bad cable brings is now no number, and then one that cannot be.
  @Test func textThatIsNoValueIsOneTroubleHoweverItLooks() {
    var supervision = Supervision()
    let part = InlineText("28-0316a2796cff")
    let empty = SourceFailure.malformed(part, found: InlineText("nothing"))
    let hot = SourceFailure.implausible(part, found: InlineText("127 °C"), why: InlineText("x"))
    let other = SourceFailure.malformed(InlineText("BAT0"), found: InlineText("nothing"))
    #expect(supervision.failed(empty, now: at(0)) == empty)
    #expect(supervision.failed(hot, now: at(5)) == nil)
    #expect(supervision.failed(empty, now: at(10)) == nil)
    #expect(supervision.failed(other, now: at(15)) == other)
  }

  @Test func aFailureLastsOnceThePausesAreAsLongAsTheyGet() {
    var supervision = Supervision()
    #expect(!supervision.isLasting)
    for second in Int64(0)..<4 {
      _ = supervision.failed(missing, now: at(second))
      #expect(!supervision.isLasting)
    }
    _ = supervision.failed(missing, now: at(4))
    #expect(supervision.isLasting)
    _ = supervision.succeeded()
    #expect(!supervision.isLasting)
  }

  /// A bad cable: every other reading fails (ha-onewire-sysbus issue 299, w1thermsensor issue 54).
  @Test func aSourceThatComesAndGoesIsReportedAsThatOnce() {
    var supervision = Supervision()
    /// The failures that are told; nil for a recovery.
    var reports: [SourceFailure?] = []
    for second in stride(from: Int64(0), to: 7200, by: 10) {
      if let report = supervision.failed(silent, now: at(second)) { reports.append(report) }
      if supervision.succeeded() { reports.append(nil) }
      if supervision.settled(now: at(second + 5)) { reports.append(nil) }
    }
    #expect(reports == [silent, nil, silent, nil, .intermittent(silent)])
    #expect(supervision.steadyAt == at(7190 + 3600))
    #expect(supervision.settled(now: at(7190 + 3599)) == false)
    #expect(supervision.settled(now: at(7190 + 3600)) == true)
    #expect(supervision.steadyAt == nil)
    #expect(supervision.settled(now: at(7190 + 3601)) == false)
    #expect(supervision.failed(silent, now: at(20_000)) == silent, "a trouble of its own")
  }

  @Test func whatCameAndWentAndThenFailsForGoodIsReportedAsThat() {
    var supervision = Supervision()
    for second in Int64(0)..<3 {
      _ = supervision.failed(silent, now: at(second * 10))
      if second < 2 { _ = supervision.succeeded() }
    }
    #expect(supervision.failed(missing, now: at(3000)) == nil)
    #expect(supervision.failed(missing, now: at(3620)) == missing)
    #expect(supervision.failed(missing, now: at(3680)) == nil)
    #expect(supervision.succeeded() == true)
  }

  @Test func failuresThatAreHoursApartAreOneEach() {
    var supervision = Supervision()
    for hour in Int64(0)..<10 {
      #expect(supervision.failed(silent, now: at(hour * 3600)) == silent)
      #expect(supervision.succeeded() == true)
    }
  }
}
