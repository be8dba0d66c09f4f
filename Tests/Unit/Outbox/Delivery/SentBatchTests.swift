import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// What one cycle sends of a batch, and what each answer acknowledges of it.
@Suite struct SentBatchTests {
  private final class Rig {
    let batch = Batch()
    private let events = DeliveryEvents()
    private(set) lazy var sent = SentBatch(of: batch, events)
    var now = Instant(nanoseconds: 0)
    let challenge = Challenge(of: Nonce(randomBytes: InlineArray(repeating: 7)))
    private(set) var states = ""

    /// A sensor that says this; one that Home Assistant knows, unless another status is given.
    func sensor(_ name: String, _ status: SensorStatus = .registered) throws -> SensorIndex {
      let declared = batch.declare(.plain(name))
      let sensor = try #require(declared)
      batch.record(sensor, .number(FixedPoint(1)))
      batch.setStatus(status, of: sensor)
      return sensor
    }

    func record(_ fix: Fix) { batch.record(fix) }
    func change(_ sensor: SensorIndex) { batch.record(sensor, .number(FixedPoint(2))) }
    func next() -> Delivery.Message { sent.nextMessage(now: now) }
    func fate(of sensor: SensorIndex) -> Batch.Fate { batch.fate(of: sensor) }
    func status(of sensor: SensorIndex) -> SensorStatus { batch.status(of: sensor) }
    var fix: Fix? { batch.fix }
    var superseded: Batch.Superseded { sent.superseded }
    var superfluous: Batch.Superseded { batch.superseded }

    func writeStates() {
      var data = ByteBuffer(capacity: 64 * 1024)
      sent.writeStates(challenge, into: &data)
      states = String(decoding: [UInt8](data.bytes), as: UTF8.self)
    }

    /// The answer to the states, with the repeated challenge in front.
    func statesAnswered(_ verdicts: String...) -> Cycle.Outcome {
      let repeated =
        #""\#(challenge.key)":{"success":false,"error":{"code":"not_registered","message":""}}"#
      return replayed("{" + ([repeated] + verdicts).joined(separator: ",") + "}")
    }

    func replayed(_ answer: String) -> Cycle.Outcome {
      let content = [UInt8](answer.utf8)
      return sent.statesAnswered(content.span, to: challenge)
    }

    func sensorAnswered(_ sensor: SensorIndex, _ answer: String) {
      let content = [UInt8](answer.utf8)
      sent.sensorAnswered(sensor, content.span)
    }

    func lookedUp(_ verdict: Webhook.LocationReadBack.Verdict?) {
      sent.locationLookedUp(verdict)
    }

    func proven() { sent.proven() }

    func told() -> [DeliveryEvent] { events.takeAll() }

    /// Sends a fix; what follows it are the states.
    func sendFix() -> Fix {
      let fix = Fix.here(at: 0)
      record(fix)
      #expect(next() == .location)
      return fix
    }
  }

  private static let accepted = #"{"success":true}"#
  private static let disabled = #"{"success":true,"is_disabled":true}"#
  private static let unknown = #"{"success":false,"error":{"code":"not_registered"}}"#
  private static let refused = #"{"success":false,"error":{"code":"invalid_format"}}"#

  private func isProven(_ verdict: Cycle.Outcome) -> Bool {
    if case .proven = verdict { true } else { false }
  }

  private func isIncomplete(_ verdict: Cycle.Outcome) -> Bool {
    if case .goesOn = verdict { true } else { false }
  }

  private func cause(_ verdict: Cycle.Outcome) -> OutageCause? {
    if case .failed(let cause) = verdict { cause } else { nil }
  }

  // MARK: What is sent

  @Test func sensorsComeBeforeTheLocationAndThatBeforeTheStates() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge", .unregistered)
    rig.record(.here(at: 0))
    #expect(rig.next() == .sensor(bilge))
    rig.sensorAnswered(bilge, Self.accepted)
    #expect(rig.next() == .location)
    #expect(rig.next() == .states)
  }

  @Test(arguments: [(Duration.zero, true), (.nanoseconds(1), false)])
  func aFixOfAMinuteIsSentAndNoneThatIsOlder(later: Duration, isSent: Bool) {
    let rig = Rig()
    rig.record(.here(at: 0))
    rig.now = rig.now + Delivery.fixAgeMax + later
    #expect(rig.next() == (isSent ? .location : .states))
    #expect((rig.fix == nil) == !isSent)
    #expect(rig.superfluous.fixes == (isSent ? 0 : 1), "it goes as history")
  }

  @Test func aFixThatIsNoLocationIsNotSent() {
    let rig = Rig()
    var fix = Fix.here(at: 0)
    fix.horizontalErrorMeters = -1
    rig.record(fix)
    #expect(rig.next() == .states)
    #expect(rig.fix == nil)
  }

  /// Invariant 3.
  @Test func aNewerFixWaitsForTheNextCycle() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.record(.here(at: 1))
    #expect(rig.next() == .states)
    #expect(rig.fix == .here(at: 1))
  }

  @Test func aFixThatWasSentIsNotLostWhereANewerOneTookItsPlace() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.record(.here(at: 1))
    rig.writeStates()
    #expect(rig.superseded.fixes == 0)
    rig.record(.here(at: 2))
    rig.writeStates()
    #expect(rig.superseded.fixes == 1, "the second was never sent")
  }

  @Test func whatWasReplacedBeforeTheStatesWereWrittenIsTold() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge")
    rig.change(bilge)
    rig.writeStates()
    #expect(rig.superseded == Batch.Superseded(readings: 1, fixes: 0))
  }

  // MARK: A sensor is offered

  @Test(arguments: [(accepted, true), (refused, false), ("{", false), ("", false)])
  func onlyASuccessRegistersASensor(answer: String, isRegistered: Bool) throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge", .unregistered)
    rig.sensorAnswered(bilge, answer)
    #expect(rig.status(of: bilge) == (isRegistered ? .registered : .declined))
    #expect(rig.told() == (isRegistered ? [.sensorRegistered(bilge)] : []))
  }

  /// The no may have been an old answer: that the states know the sensor is the proof.
  @Test func aSensorThatWasDeclinedAndIsKnownAllTheSameIsRegistered() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge", .declined)
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(#""bilge":\#(Self.accepted)"#)))
    rig.proven()
    #expect(rig.told() == [.sensorRegistered(bilge)])
    #expect(rig.fate(of: bilge) == .taken)
    #expect(rig.sent.result == .proven(readings: 1, hasLocation: false))
  }

  @Test func aSensorThatWasDeclinedAndIsNotKnownIsRefusedWithTheProof() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge", .declined)
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(#""bilge":\#(Self.unknown)"#)))
    #expect(rig.status(of: bilge) == .declined && rig.told() == [])
    rig.proven()
    #expect(rig.status(of: bilge) == .refused)
    #expect(rig.told() == [.sensorRefused(bilge)])
  }

  // MARK: The states are answered

  @Test(arguments: [accepted, disabled])
  func whatIsAcceptedIsAcknowledgedAndCounted(verdict: String) throws {
    let rig = Rig()
    let (bilge, other) = (try rig.sensor("bilge"), try rig.sensor("other"))
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(#""bilge":\#(verdict)"#)))
    #expect(rig.fate(of: bilge) == .taken)
    #expect(rig.fate(of: other) == .kept, "the answer does not name it")
    #expect(rig.sent.result == .proven(readings: 1, hasLocation: false))
    #expect(rig.told() == [])
  }

  @Test func aValueThatIsRefusedIsToldAndNotCounted() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge")
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(#""bilge":\#(Self.refused)"#)))
    #expect(rig.fate(of: bilge) == .refused)
    #expect(rig.told() == [.readingRefused(bilge)])
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: false))
  }

  /// Invariant 1: another program, or an answer of before.
  @Test(arguments: [
    #"{"bilge":{"success":true}}"#, "{}", "", "[]",
    #"{"AAAAAA":{"success":false,"error":{"code":"not_registered"}},"bilge":{"success":true}}"#,
  ])
  func withoutTheChallengeNothingIsAcknowledged(answer: String) throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge")
    rig.writeStates()
    #expect(cause(rig.replayed(answer)) == .otherAnswer)
    #expect(rig.fate(of: bilge) == .kept)
  }

  @Test func anAnswerThatBreaksOffBehindTheChallengeIsNoProof() throws {
    let rig = Rig()
    _ = try rig.sensor("bilge")
    rig.writeStates()
    #expect(cause(rig.statesAnswered(#""bilge":{"succ"#)) == .unreadableAnswer)
  }

  @Test func aSensorThatIsNoneOfOursSaysNothing() throws {
    let rig = Rig()
    let bilge = try rig.sensor("bilge")
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(#""attic":\#(Self.unknown)"#)))
    #expect(rig.fate(of: bilge) == .kept)
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: false))
  }

  /// Invariant 2.
  @Test func aSensorThatWasForgottenIsRegisteredAgainOnceInACycle() throws {
    let rig = Rig()
    let (bilge, other) = (try rig.sensor("bilge"), try rig.sensor("other"))
    rig.writeStates()
    let verdicts = [#""bilge":\#(Self.unknown)"#, #""other":\#(Self.accepted)"#]
    #expect(isIncomplete(rig.statesAnswered(verdicts[0], verdicts[1])))
    #expect(rig.told() == [.sensorForgotten(bilge)])
    #expect(rig.fate(of: other) == .taken)
    #expect(rig.next() == .sensor(bilge))
    rig.sensorAnswered(bilge, Self.accepted)
    rig.writeStates()
    #expect(isProven(rig.statesAnswered(verdicts[0])))
    #expect(rig.fate(of: bilge) == .kept, "it is registered with the next cycle")
  }

  // MARK: The location

  @Test func aLocationIsAcknowledgedByTheProofAlone() {
    let rig = Rig()
    let fix = rig.sendFix()
    rig.writeStates()
    _ = rig.statesAnswered()
    #expect(rig.fix == fix)
    rig.proven()
    #expect(rig.fix == nil)
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: true))
    #expect(rig.superfluous.fixes == 0)
  }

  @Test func theNewerFixStaysWhenTheOneThatWasSentIsProven() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.record(.here(at: 1))
    rig.proven()
    #expect(rig.fix == .here(at: 1))
    #expect(rig.superfluous.fixes == 0, "what arrived was not replaced")
  }

  @Test(arguments: [.stored, nil] as [Webhook.LocationReadBack.Verdict?])
  func aLocationThatIsShownOrNotJudgedHasArrived(verdict: Webhook.LocationReadBack.Verdict?) {
    let rig = Rig()
    _ = rig.sendFix()
    rig.lookedUp(verdict)
    rig.proven()
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: true))
    #expect(rig.fix == nil && rig.told() == [])
  }

  /// It goes nowhere, and another one would as well: nothing of it is kept for later.
  @Test func withoutATrackerALocationIsDoneButDoesNotCount() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.lookedUp(.noTracker)
    rig.proven()
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: false))
    #expect(rig.fix == nil && rig.superfluous.fixes == 0)
  }

  @Test func aLocationThatWasDroppedGoesAsHistory() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.lookedUp(.dropped)
    #expect(rig.told() == [.locationDropped])
    #expect(rig.fix == nil && rig.superfluous.fixes == 1)
    rig.writeStates()
    #expect(rig.superseded.fixes == 1)
    #expect(rig.sent.result == .proven(readings: 0, hasLocation: false))
  }

  @Test func theNewerFixStaysWhenTheOneThatWasSentIsDropped() {
    let rig = Rig()
    _ = rig.sendFix()
    rig.record(.here(at: 1))
    rig.lookedUp(.dropped)
    #expect(rig.fix == .here(at: 1))
    rig.proven()
    #expect(rig.fix == .here(at: 1) && rig.superfluous.fixes == 1)
  }
}
