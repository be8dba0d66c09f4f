import Bytes
import ModelDisk
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

extension SensorDescription {
  static func plain(_ uniqueID: String, isUrgent: Bool = false) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](uniqueID.utf8), name: [UInt8](uniqueID.utf8), icon: [UInt8]("mdi:eye"),
      isUrgent: isUrgent)
  }
}

extension Fix {
  /// A fix of that second, which can be told from its longitude.
  /// `time` is what the receiver says that the second is.
  static func here(at second: Int64, saying time: Int64? = nil, by clock: Clock = .receiver) -> Fix
  {
    Fix(
      mode: .twoDimensional, latitude: 52, longitude: Double(second) / 1000,
      horizontalErrorMeters: 3, time: WallTime(nanoseconds: (time ?? second) * 1_000_000_000),
      clock: clock, notBefore: Instant(nanoseconds: second * 1_000_000_000))
  }
}

extension Batch {
  func record(_ sensor: SensorIndex, _ value: Value) {
    _ = record(Reading(sensor: sensor, value: value, time: WallTime(nanoseconds: 0)))
  }
}

extension Delivery.Message {
  /// Whether it is about Home Assistant, and not about a reading.
  var isInquiry: Bool { self == .configuration || self == .readBack }
}

extension History {
  static func forTests(
    durability: Durability = .batch, bytesPerMinute: Int? = nil, kernelStart: UInt64 = 1
  ) -> History {
    History(
      Device(id: [UInt8]("board".utf8), name: [UInt8]("Boat".utf8)),
      spool: Spool(device: .boat, durability: durability, seed: 1),
      bytesPerMinute: bytesPerMinute, kernelStart: kernelStart)
  }
}

/// A delivery in virtual time, driven as the agent drives it: what it wants sent is written at
/// once, what it wants of the disk is done at once, and what it tells is taken at once.
///
/// Inquiries are answered at once, and do not show, unless a test wants to answer them itself.
final class DeliveryRig {
  static let configuration =
    #"{"version":"2025.4.4","location_name":"Home","time_zone":"UTC","latitude":52,"#
    + #""longitude":4,"unit_system":{"length":"km","mass":"g","temperature":"°C","volume":"L"},"#
    + #""hass_device_id":"5fa3","components":[],"entities":{"board":{"disabled":false}}}"#

  let delivery: Delivery
  let disk: ModelDisk
  private(set) var diskActions: [Spool.Action] = []
  var now = Instant(nanoseconds: 0)
  var answersInquiries = true
  /// The sensors that Home Assistant does not want.
  var unwanted: Set<String> = []
  /// What Home Assistant says of itself.
  var configuration = DeliveryRig.configuration
  /// How far the wall clock is ahead of the monotonic one.
  private(set) var clockAhead: Duration = .zero
  private(set) var underWay: Delivery.Message?
  /// The data of every message, in the order of their sending.
  private(set) var sent: [String] = []
  private(set) var events: [DeliveryEvent] = []
  /// The names of the refused sensors, looked up while the event was taken.
  private(set) var namesTold: [String] = []
  /// Which fix the location that was sent last was, and how old it was then.
  private(set) var lastSentFix: (notBefore: Instant, age: Duration)?
  private var lastLocation = ""
  /// No two messages have the same nonce.
  private var nonceNumber: UInt8 = 0
  /// What the answer to the last message repeats.
  private(set) var challenge = Challenge.zeros
  private let registration: Registration

  /// One that has its first cycle behind it.
  init(
    seed: UInt64 = 1, history: consuming History = .forTests(), disk: ModelDisk = ModelDisk(),
    isClockSynchronized: Bool = true
  ) throws {
    delivery = Delivery(
      routes: .direct, history: history, trackerID: [UInt8]("board".utf8), seed: seed)
    self.disk = disk
    registration = try .forTests()
    clockIs(synchronized: isClockSynchronized)
    try acceptedCycle()
    forgetWhatWasToldSoFar()
  }

  /// One that has not sent anything yet.
  init(
    beginning routes: Routes, protection: Delivery.Protection = .sealed,
    identity: RegistrationRequest? = nil, isIdentityTold: Bool = false,
    answersInquiries: Bool = false
  ) throws {
    delivery = Delivery(
      routes: routes, history: .forTests(), trackerID: [UInt8]("board".utf8),
      protection: protection, identity: identity, isIdentityTold: isIdentityTold, seed: 1)
    disk = ModelDisk()
    registration = try .forTests(isPlain: protection != .sealed)
    self.answersInquiries = answersInquiries
  }

  func sensor(_ uniqueID: String, _ value: Int64) throws -> SensorIndex {
    let sensor = try #require(delivery.batch.declare(.plain(uniqueID)))
    record(sensor, value)
    return sensor
  }

  func record(_ sensor: SensorIndex, _ value: Int64) {
    delivery.record(
      Reading(sensor: sensor, value: .number(FixedPoint(value)), time: wallTime))
    settle()
  }

  func record(_ fix: Fix) {
    delivery.record(fix)
    settle()
  }

  var isIdle: Bool { delivery.isIdle }
  var isInOutage: Bool { delivery.outage.isUnderWay }
  var deadline: Instant? { delivery.deadline }
  var route: Route? { delivery.routes.current?.route }

  // MARK: Time

  func sleep(_ duration: Duration) { now = now + duration }

  func clockIs(synchronized isSynchronized: Bool, ahead: Duration = .zero) {
    clockAhead = ahead
    _ = readClocks()
    delivery.history.isClockSynchronized = isSynchronized
    settle()
  }

  /// Returns whether the time is another one since the last time.
  func readClocks() -> Bool { delivery.history.clockRead(now, wallTime) }

  /// The best that is known of the time.
  var correctedTime: WallTime { delivery.history.corrected(wallTime) }

  private var wallTime: WallTime { WallTime(nanoseconds: now.nanoseconds) + clockAhead }

  func urgentChange() {
    delivery.urgentChange(now: now)
    performActions()
  }

  func cycleDue() {
    delivery.cycleDue(now: now)
    performActions()
  }

  /// Sleeps until the deadline and wakes there.
  func sleepUntilDeadline() throws {
    now = max(now, try #require(deadline, "there is no next attempt"))
    delivery.deadlineReached(now: now)
    performActions()
  }

  func presenceChanged(_ presence: HomeNetworks.Presence) {
    delivery.presenceChanged(presence, now: now)
    performActions()
  }

  /// What is under way ends with the registration that was being made meanwhile.
  func registrationRefused() {
    underWay = nil
    delivery.registrationRefused(now: now)
    performActions()
  }

  func wake() {
    delivery.deadlineReached(now: now)
    performActions()
  }

  // MARK: Answers

  /// A sealed answer to the message that is under way.
  func answered(_ json: String) { replayed(answering(json)) }

  /// A sealed or a plain answer, be it to this message or not.
  func replayed(_ json: String, isPlain: Bool = false) {
    var body = ByteBuffer(capacity: 64 * 1024)
    body.append([UInt8](json.utf8))
    underWay = nil
    let whole = 0..<body.count
    delivery.answerReceived(isPlain ? .content(whole) : .opened(whole), body: body, now: now)
    performActions()
  }

  /// A plain answer with something in it.
  func answered(content json: String) { replayed(answering(json), isPlain: true) }

  /// What Home Assistant says where a test says this: the challenge is repeated.
  private func answering(_ json: String) -> String {
    switch underWay {
    case .states where json.hasPrefix("{") && json.hasSuffix("}"):
      let verdict =
        #""\#(challenge.key)":{"success":false,"error":{"code":"not_registered","message":"x"}}"#
      return "{" + verdict + (json == "{}" ? "" : ",") + json.dropFirst()
    case .readBack:
      return json.replacing(#"{"p":"#, with: #"{"\#(challenge.key)":"#)
    default: return json
    }
  }

  func keyAnswered(_ result: Webhook.EnableEncryption.Result) {
    delivery.keyAnswered(result, now: now)
    if underWay == .key { underWay = nil }
    performActions()
  }

  func keyPostponed() {
    underWay = nil
    delivery.keyPostponed(now: now)
    performActions()
  }

  func answered(_ answer: Answer) {
    let body = ByteBuffer(capacity: 1)
    underWay = nil
    delivery.answerReceived(answer, body: body, now: now)
    performActions()
  }

  func connectionFailed(_ reason: StaticString = "Couldn't connect to server") {
    underWay = nil
    delivery.connectionFailed(InlineText(reason), now: now)
    performActions()
  }

  /// Answers as a Home Assistant that takes everything.
  func accept() throws {
    switch try #require(underWay) {
    case .key: Issue.record("a key is answered by the test")
    case .configuration: answered(configuration)
    case .zones: answered("[]")
    case .registration:
      let told = try #require(sent.last)
      answered(
        #"{"app_id":"homeward","app_name":"Homeward","supports_encryption":true,"#
          + told.dropFirst())
    case .readBack: answered(readBack(ofLocation: lastLocation))
    case .sensor:
      let told = try #require(sent.last)
      let isWanted = !unwanted.contains { told.contains(#""unique_id":"\#($0)""#) }
      answered(#"{"success":\#(isWanted)}"#)
    case .location, .history, .commandResult: answered(.unproven)
    case .states:
      let verdicts = try ids(in: try #require(sent.last)).map { id in
        let unknown = #"{"success":false,"error":{"code":"not_registered","message":""}}"#
        return #""\#(id)":\#(unwanted.contains(id) ? unknown : #"{"success":true}"#)"#
      }
      answered("{" + verdicts.joined(separator: ",") + "}")
    }
  }

  /// One cycle that Home Assistant takes; returns what was sent in it.
  @discardableResult
  func acceptedCycle() throws -> [String] {
    cycleDue()
    return try acceptAll()
  }

  /// The next attempt, which Home Assistant takes; returns what was sent in it.
  @discardableResult
  func acceptedAttempt() throws -> [String] {
    try sleepUntilDeadline()
    return try acceptAll()
  }

  /// Whether a cycle has nothing to tell but one state that Home Assistant has already.
  func isQuietCycle() throws -> Bool {
    let messages = try acceptedCycle()
    guard messages.count == 1, let message = messages.first, let event = events.last else {
      return false
    }
    return try ids(in: message).count <= 1 && event == .proven(readings: 0, hasLocation: false)
  }

  /// Takes what is under way and all that follows it; returns the data of those messages.
  @discardableResult
  func acceptAll() throws -> [String] {
    let start = sent.count - (underWay == nil ? 0 : 1)
    while underWay != nil { try accept() }
    return [String](sent[start...])
  }

  func forgetWhatWasToldSoFar() {
    events = []
    sent = []
  }

  /// Does what is wanted of the disk, in as many wake-ups as it wants.
  func settle() {
    performDiskActions()
    while let deadline = delivery.history.spool.deadline, deadline <= now {
      delivery.history.spool.deadlineReached(now: now)
      performDiskActions()
    }
  }

  private func performDiskActions() {
    while let action = delivery.history.nextAction() {
      diskActions.append(action)
      do throws(ModelDisk.Failure) {
        try disk.perform(action, for: delivery.history.spool)
        delivery.history.spool.performed(now: now)
      } catch {
        delivery.history.spool.failed(DiskFailure(code: error.code), now: now)
      }
    }
  }

  private func performActions() {
    settle()
    while let action = delivery.nextAction() {
      switch action {
      case .tell(let event): take(event)
      case .send(let message): send(message)
      }
    }
  }

  private func send(_ message: Delivery.Message) {
    #expect(underWay == nil, "one message at a time")
    let address = delivery.underWay.flatMap { delivery.routes.url(of: $0.route) }
    #expect(address != nil, "a message for nowhere")
    underWay = message
    var buffer = ByteBuffer(capacity: 64 * 1024)
    delivery.write(message, for: registration, nonce: nextNonce(), into: &buffer)
    let text = opened(&buffer).map { message == .states ? withoutChallenge($0) : $0 }
    if text == nil { Issue.record("a message that cannot be opened") }
    if message.isInquiry, answersInquiries {
      try? accept()
      return
    }
    sent.append(text ?? "")
    if message == .location, let text {
      lastLocation = text
      let notBefore = moment(ofLocation: text)
      lastSentFix = (notBefore, now - notBefore)
    }
  }

  private func nextNonce() -> Nonce {
    nonceNumber &+= 1
    var bytes = InlineArray<24, UInt8>(repeating: 0)
    bytes[0] = nonceNumber & 63
    bytes[1] = nonceNumber >> 6
    let nonce = Nonce(randomBytes: bytes)
    challenge = Challenge(of: nonce)
    return nonce
  }

  private func opened(_ message: inout ByteBuffer) -> String? {
    guard case .sealed(let key) = registration.protection else {
      let text = String(decoding: [UInt8](message.bytes), as: UTF8.self)
      return text.firstRange(of: #""data":"#).map { String(text[$0.upperBound...].dropLast()) }
    }
    let answer = Answer.read(AnswerHead(status: 200), body: &message, with: key)
    guard case .opened(let data) = answer else {
      return nil
    }
    return String(decoding: [UInt8](message.bytes.extracting(data)), as: UTF8.self)
  }

  private func take(_ event: DeliveryEvent) {
    if answersInquiries, case .configurationRead = event { return }
    events.append(event)
    if case .sensorRefused(let sensor) = event {
      namesTold.append(String(decoding: delivery.batch.sensors[sensor].name, as: UTF8.self))
    }
  }
}
