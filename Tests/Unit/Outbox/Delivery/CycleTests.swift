import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// Which message of a cycle is next, and what its answer means.
@Suite struct CycleTests {
  private final class Rig {
    var cycle: Cycle
    let batch = Batch()
    private let events = DeliveryEvents()
    let history = History.forTests()
    let registration: Registration
    var now = Instant(nanoseconds: 0)
    private var nonceNumber: UInt8 = 0
    private(set) var challenge = Challenge.zeros

    init(
      _ protection: Delivery.Protection = .sealed, untold: Webhook.UpdateRegistration? = nil
    ) throws {
      registration = try .forTests(isPlain: protection != .sealed)
      cycle = Cycle(
        of: batch, events, trackerID: [UInt8]("board".utf8), wantsZones: false,
        protection: protection, untold: untold)
    }

    func next() -> Delivery.Message { cycle.nextMessage(now: now) }

    func declare(_ name: String) throws -> SensorIndex {
      let declared = batch.declare(.plain(name))
      let sensor = try #require(declared)
      batch.record(sensor, .number(FixedPoint(1)))
      return sensor
    }

    func record(_ fix: Fix) { batch.record(fix) }

    /// The message goes out: its answer counts from now on.
    func write(_ message: Delivery.Message) {
      nonceNumber += 1
      var bytes = InlineArray<24, UInt8>(repeating: 0)
      bytes[0] = nonceNumber
      let nonce = Nonce(randomBytes: bytes)
      challenge = Challenge(of: nonce)
      var buffer = ByteBuffer(capacity: 64 * 1024)
      cycle.messageDue()
      cycle.write(message, history, for: registration, nonce: nonce, into: &buffer)
    }

    func answered(_ message: Delivery.Message, _ answer: String) -> Cycle.Outcome {
      let content = [UInt8](answer.utf8)
      return cycle.answered(message, content.span, now: now)
    }

    func dropped(_ message: Delivery.Message) -> Cycle.Outcome {
      cycle.dropped(message)
    }

    func keyAnswered(_ result: Webhook.EnableEncryption.Result) -> Cycle.Outcome {
      cycle.keyAnswered(result)
    }

    func proven() { cycle.proven() }

    func told() -> [DeliveryEvent] { events.takeAll() }

    /// Home Assistant has said what it is.
    func acquainted() -> Rig {
      _ = answered(.configuration, DeliveryRig.configuration)
      return self
    }

    var provingAnswer: String {
      #"{"\#(challenge.key)":{"success":false,"error":{"code":"not_registered"}}}"#
    }
  }

  private func isFailure(_ outcome: Cycle.Outcome, _ cause: OutageCause) -> Bool {
    if case .failed(cause) = outcome { true } else { false }
  }

  private func goesOn(_ outcome: Cycle.Outcome) -> Bool {
    if case .goesOn = outcome { true } else { false }
  }

  private func sends(_ outcome: Cycle.Outcome) -> Delivery.Message? {
    if case .sends(let message) = outcome { message } else { nil }
  }

  private func isProof(_ outcome: Cycle.Outcome) -> Bool {
    if case .proven = outcome { true } else { false }
  }

  // MARK: The order

  /// Invariant 2.
  @Test func whatIsDueBesideReadingsComesFirst() throws {
    let rig = try Rig(.plain, untold: .boat)
    let bilge = try rig.declare("bilge")
    rig.record(.here(at: 0))
    #expect(rig.next() == .key)
    #expect(rig.next() == .configuration)
    _ = rig.answered(.configuration, DeliveryRig.configuration)
    #expect(rig.next() == .registration)
    _ = rig.answered(.registration, Webhook.UpdateRegistration.answeredForBoat)
    #expect(rig.next() == .sensor(bilge))
    _ = rig.answered(.sensor(bilge), #"{"success":true}"#)
    #expect(rig.next() == .location)
    #expect(rig.next() == .states)
  }

  @Test func aServerThatIsDoubtedIsAskedWhatItIs() throws {
    let rig = try Rig().acquainted()
    #expect(rig.next() == .states)
    rig.cycle.serverDoubted()
    #expect(rig.next() == .configuration)
  }

  @Test func aNewRegistrationKnowsAllAboutTheDeviceAndHasItsOwnKey() throws {
    let rig = try Rig(untold: .boat).acquainted()
    rig.cycle.registrationReplaced(.plain)
    #expect(rig.next() == .key)
    #expect(rig.next() == .configuration)
    _ = rig.acquainted()
    #expect(rig.next() == .states)
    rig.cycle.registrationReplaced(.sealed)
    #expect(rig.next() == .configuration)
  }

  // MARK: The key

  @Test func aKeyIsNoConditionForTheRestOfTheCycle() throws {
    let rig = try Rig(.plain)
    _ = rig.next()
    #expect(goesOn(rig.keyAnswered(.notAvailable)))
    #expect(rig.told() == [.sealingImpossible])
    #expect(isFailure(rig.keyAnswered(.alreadyEnabled), .encryptionRequired))
  }

  // MARK: The configuration

  @Test func addressesInTheCloudAreTold() throws {
    let rig = try Rig()
    let configuration =
      DeliveryRig.configuration.dropLast()
      + #","cloudhook_url":"https://hooks/1","remote_ui_url":"https://ui"}"#
    guard
      case .addressesTold("https://hooks/1", "https://ui") = rig.answered(
        .configuration, String(configuration))
    else {
      Issue.record("they were told")
      return
    }
  }

  @Test func oneThatCannotBeReadHoldsUpNothing() throws {
    let rig = try Rig()
    #expect(goesOn(rig.answered(.configuration, "{}")))
    #expect(rig.told() == [.configurationUnreadable])
  }

  // MARK: The device

  @Test func whatHasChangedIsKnownWithTheProof() throws {
    let rig = try Rig(untold: .boat).acquainted()
    _ = rig.told()
    #expect(goesOn(rig.answered(.registration, Webhook.UpdateRegistration.answeredForBoat)))
    rig.cycle.began()
    #expect(rig.next() == .registration, "the cycle was not proven")
    _ = rig.answered(.registration, Webhook.UpdateRegistration.answeredForBoat)
    #expect(rig.told() == [])
    rig.proven()
    #expect(
      rig.told() == [.registrationTold(fingerprint: Webhook.UpdateRegistration.boat.fingerprint)])
  }

  // MARK: The location

  @Test func theFirstLocationIsLookedUpAndThenItGoesOnTrust() throws {
    let rig = try Rig().acquainted()
    rig.record(.here(at: 0))
    _ = rig.next()
    #expect(sends(rig.answered(.location, "{}")) == .readBack)
    rig.write(.readBack)
    let stored = readBack(ofLocation: #"{"gps":[52.0000000,0.0000000]}"#)
      .replacing(#"{"p":"#, with: #"{"\#(rig.challenge.key)":"#)
    #expect(sends(rig.answered(.readBack, stored)) == .states)
    #expect(sends(rig.dropped(.location)) == .states)
  }

  @Test func whatIsNoAnswerToTheLookUpIsNoProofOfAnything() throws {
    let rig = try Rig().acquainted()
    rig.record(.here(at: 0))
    _ = rig.next()
    rig.write(.readBack)
    #expect(isFailure(rig.answered(.readBack, "{}"), .otherAnswer))
    let former = #"{"\#(rig.challenge.key)":{"e":null}}"#
    rig.write(.readBack)
    #expect(isFailure(rig.answered(.readBack, former), .otherAnswer))
  }

  @Test func withoutALocationThatIsLookedUpNoneIsTrusted() throws {
    let rig = try Rig()
    #expect(sends(rig.answered(.location, "{}")) == .states, "the device has no id yet")
    _ = rig.acquainted()
    #expect(sends(rig.answered(.location, "{}")) == .readBack)
  }

  // MARK: The proof

  /// Invariant 1.
  @Test func onlyTheAnswerToTheLastMessageProves() throws {
    let rig = try Rig().acquainted()
    rig.write(.states)
    let answer = rig.provingAnswer
    rig.cycle.messageDue()
    #expect(isFailure(rig.answered(.states, answer), .otherAnswer), "the next is not written")
    rig.write(.states)
    #expect(isFailure(rig.answered(.states, answer), .otherAnswer), "that is an old one")
    #expect(isProof(rig.answered(.states, rig.provingAnswer)))
  }

  @Test func aSensorThatIsForgottenMakesTheCycleGoOn() throws {
    let rig = try Rig().acquainted()
    let bilge = try rig.declare("bilge")
    _ = rig.answered(.sensor(bilge), #"{"success":true}"#)
    rig.write(.states)
    let forgotten = #","bilge":{"success":false,"error":{"code":"not_registered"}}}"#
    #expect(goesOn(rig.answered(.states, rig.provingAnswer.dropLast() + forgotten)))
    #expect(rig.next() == .sensor(bilge))
  }

  // MARK: An answer of nothing

  @Test func anAnswerOfNothingIsTheRightOneToSomeMessages() throws {
    let rig = try Rig(untold: .boat)
    let bilge = try rig.declare("bilge")
    #expect(goesOn(rig.dropped(.sensor(bilge))))
    #expect(rig.batch.status(of: bilge) == .declined)
    #expect(goesOn(rig.dropped(.registration)))
    #expect(rig.told() == [.registrationDropped])
    #expect(goesOn(rig.dropped(.history)))
  }

  @Test(arguments: [Delivery.Message.key, .configuration, .readBack, .states])
  func toOthersItMeansThatTheyWereDropped(message: Delivery.Message) throws {
    let rig = try Rig()
    #expect(isFailure(rig.dropped(message), .dropped))
  }

  // MARK: History

  @Test(arguments: [true, false])
  func aChunkCountsAsAnsweredInItsOwnCycleOnly(isDropped: Bool) throws {
    let rig = try Rig()
    #expect(!rig.cycle.isHistoryAnswered)
    #expect(goesOn(isDropped ? rig.dropped(.history) : rig.answered(.history, "{}")))
    #expect(rig.cycle.isHistoryAnswered)
    rig.cycle.began()
    #expect(!rig.cycle.isHistoryAnswered)
  }
}
