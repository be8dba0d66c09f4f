import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What an uplink counts, how it says that an attempt ended, and when a run that ends by itself is
/// over.
@Suite struct UplinkCountsTests {
  private func plainRig(_ durability: Durability = .memory) -> UplinkRig {
    let rig = UplinkRig(.init(isRegistered: true, isPlain: true, durability: durability))
    rig.firstCycle()
    rig.answer(400, UplinkRig.noKey)
    return rig
  }

  private func isDone(_ rig: UplinkRig, in duration: Duration) -> Bool {
    rig.uplink.isDone(by: rig.now + duration)
  }

  // MARK: Messages

  @Test func whatStaysPlainIsNotCountedAsSealed() {
    let rig = plainRig()
    rig.prove()
    #expect(rig.uplink.counts.proven == 1)
    #expect(rig.uplink.counts.sealed == 0)
    #expect(rig.uplink.counts.plain == rig.calls.count && rig.calls.count > 1)
  }

  @Test func theRequestForAKeyIsPlainAndWhatFollowsIsSealed() {
    let rig = UplinkRig(.init(isRegistered: true, isPlain: true))
    rig.firstCycle()
    rig.answer(200, #"{"secret":"\#(String(repeating: "6", count: 64))"}"#)
    #expect(rig.calls.count == 2)
    #expect(rig.uplink.counts.plain == 1 && rig.uplink.counts.sealed == 1)
  }

  @Test func aMessageThatTheWebSocketCannotTakeIsCountedOnce() {
    let rig = UplinkRig(.init(isRegistered: true, webSocket: .messages))
    rig.event { $0.webSocketChanged(.ready(.unknown), now: $1) }
    rig.firstCycle()
    rig.event { uplink, _ in uplink.postRefused() }
    #expect(rig.postCount == 1 && rig.calls.count == 1)
    #expect(rig.uplink.counts.sealed == 1)
  }

  // MARK: How an attempt ended

  @Test func beforeTheFirstAttemptEndsThereIsNoOutcome() {
    let rig = UplinkRig(.init(isRegistered: true))
    rig.firstCycle()
    #expect(rig.uplink.outcome == nil && !isDone(rig, in: .seconds(1)))
    #expect(isDone(rig, in: .zero), "its time is over")
  }

  @Test func whatIsProvenIsDoneWhenNothingIsLeft() throws {
    let rig = plainRig(.batch)
    let level = try rig.declare("level")
    rig.prove()
    #expect(rig.uplink.outcome == .proven && isDone(rig, in: .seconds(60)))
    rig.wait(.seconds(1))
    rig.record(level, 1)
    rig.wait(.seconds(29))
    rig.cycle()
    #expect(rig.uplink.outcome == .proven && !isDone(rig, in: .seconds(60)))
  }

  @Test func anAttemptThatFailsIsTheLastOfARunThatEndsByItself() {
    let rig = UplinkRig(.init(isRegistered: true))
    rig.firstCycle()
    for _ in 0..<4 { rig.answer(403) }
    #expect(rig.uplink.outcome == .outage(.server(.forbidden(status: 403))))
    #expect(rig.uplink.counts.unproven == 1 && rig.uplink.counts.proven == 0)
    #expect(isDone(rig, in: .seconds(60)))
  }

  @Test func aRegistrationThatIsRefusedIsAnOutcomeUntilThereIsOne() {
    let rig = UplinkRig()
    rig.wait(.zero)
    rig.answer(503)
    let problem = Enrollment.Problem.server(.unavailable(status: 503))
    #expect(rig.uplink.registrationProblem == problem)
    #expect(rig.uplink.outcome == .notRegistered(problem))
    rig.wait(.seconds(30))
    rig.answer(201, UplinkRig.registered)
    #expect(rig.uplink.registrationProblem == nil)
  }

  @Test func aStateDirectoryThatCannotBeWrittenPostponesTheAttempt() {
    let rig = UplinkRig()
    rig.isWritable = false
    rig.wait(.zero)
    #expect(rig.uplink.outcome == .postponed && isDone(rig, in: .seconds(60)))
  }

  // MARK: What became of what was read

  @Test func eachEventIsCountedAsWhatItIs() {
    var counts = Uplink.Counts()
    counts.happened(.proven(readings: 3, hasLocation: true))
    counts.happened(.proven(readings: 4, hasLocation: false))
    counts.happened(.sensorRefused(SensorIndex(0)))
    counts.happened(.readingRefused(SensorIndex(0)))
    counts.happened(.superseded(.init(readings: 5, fixes: 1)))
    counts.happened(.recovered(after: .seconds(9), .init(readings: 2, fixes: 3)))
    counts.happened(.historyProven(entries: 11))
    counts.happened(.outage(.noRoute))
    var expected = Uplink.Counts()
    expected.readings = 7
    expected.locations = 1
    expected.refused = 2
    expected.superseded = 11
    expected.history = 11
    expected.proven = 2
    expected.unproven = 1
    #expect(counts == expected)
  }
}
