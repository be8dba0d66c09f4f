import Bytes
import Sensing

@testable import HomeAssistant
@testable import Outbox

/// Whatever may answer the messages of an agent: nothing of it is a trap, each message can be
/// written, and a cycle ends.
///
/// The input is a list of answers: a byte for the status and for the way it comes, two for a length
/// (the lower one first), and as many bytes.
func fuzz(_ input: Span<UInt8>) {
  var agent = Agent()
  agent.beginCycle()
  var place = 0
  while input.count - place >= 3 {
    let kind = input[place]
    let count = min(Int(input[place + 1]) | Int(input[place + 2]) << 8, input.count - place - 3)
    agent.answered(kind, input.extracting(place + 3..<place + 3 + count))
    place += 3 + count
  }
}

private let statuses = [200, 200, 200, 201, 400, 403, 404, 410, 503]

private struct Agent: ~Copyable {
  private let delivery: Delivery
  private let registration: Registration
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var message: Delivery.Message?
  private var request = ByteBuffer(
    capacity: Envelope.byteCount(sealing: SensorTable.dataByteCountMax))
  private var second: Int64 = 0

  init() {
    let board = [UInt8]("board")
    let history = History(
      History.Device(id: board, name: board),
      spool: Spool(device: DeviceFingerprint(low: 1, high: 2), durability: .memory, seed: 1))
    let routes = Routes(
      instance: [UInt8]("http://ha:8123"), home: nil, cloudhook: nil, remoteUI: nil,
      presence: .unknown, isPlainAllowedAway: true, seed: 1, now: now)
    delivery = Delivery(
      routes: routes, history: history, trackerID: board, protection: .plain, seed: 1)
    guard let registration = Registration(webhookID: board, protection: .plain) else {
      preconditionFailure("this is an id")
    }
    self.registration = registration
    for name in ["a", "b"] as [StaticString] {
      let sensor = delivery.batch.declare(
        SensorDescription(uniqueID: [UInt8](name), name: [UInt8](name), icon: [UInt8]("mdi:eye")))
      expect("there is room for a sensor", sensor != nil)
    }
  }

  mutating func beginCycle() {
    second += 1
    now = now + .seconds(10)
    let time = WallTime(nanoseconds: second * 1_000_000_000)
    for index in 0..<2 {
      delivery.record(
        Reading(sensor: SensorIndex(index), value: .number(FixedPoint(second)), time: time))
    }
    delivery.record(
      Fix(
        mode: .twoDimensional, latitude: 52, longitude: Double(second % 90),
        horizontalErrorMeters: 3, time: time, notBefore: now))
    delivery.cycleDue(now: now)
    performActions()
  }

  private mutating func performActions() {
    message = nil
    while let action = delivery.nextAction() {
      if case .send(let message) = action { write(message) }
    }
  }

  private mutating func write(_ next: Delivery.Message) {
    message = next
    delivery.write(
      next, for: registration, nonce: Nonce(randomBytes: InlineArray(repeating: 1)), into: &request)
    expect("a message fits", !request.isOverflowed)
    expect("a message is JSON", (try? JSON(parsing: request.bytes)) != nil)
  }

  mutating func answered(_ kind: UInt8, _ bytes: Span<UInt8>) {
    now = now + .milliseconds(Int64(kind))
    guard let message else {
      let isDue = delivery.deadline.map { $0 <= now } ?? false
      guard isDue else { return beginCycle() }
      delivery.deadlineReached(now: now)
      return performActions()
    }
    var body = ByteBuffer(capacity: max(bytes.count, 1))
    body.append(bytes)
    let status = statuses[Int(kind) % statuses.count]
    if message == .key {
      let result = Webhook.EnableEncryption.read(AnswerHead(status: status), body: body)
      delivery.keyAnswered(result, now: now)
      return performActions()
    }
    // What an envelope held is JSON of Home Assistant, and may yet be any.
    let answer =
      kind & 0x80 == 0
      ? registration.readAnswer(AnswerHead(status: status), body: &body) : .opened(0..<body.count)
    delivery.answerReceived(answer, body: body, now: now)
    performActions()
  }
}
