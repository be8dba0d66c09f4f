import Bytes
import HomeAssistant
import Outbox
import Sensing

extension ByteBuffer {
  fileprivate mutating func append(_ event: DeliveryEvent) {
    switch event {
    case .proven(let readings, let hasLocation):
      append("proven ", readings)
      append(hasLocation ? " with location" : "")
    case .sensorRegistered(let sensor): append("registered ", sensor.value)
    case .sensorRefused(let sensor): append("sensor refused ", sensor.value)
    case .sensorForgotten(let sensor): append("forgotten ", sensor.value)
    case .outage(let cause): append(cause == .notLive ? "outage, not live" : "outage")
    case .recovered(let duration, let superseded):
      append("recovered after ")
      append(duration)
      append(" ", superseded.readings)
      append(" ", superseded.fixes)
    case .configurationRead(let configuration):
      append("acquainted with ")
      append(configuration.version.text.bytes)
    case .routeFailed(let route, _):
      append("route failed ", Route.allCases.firstIndex(of: route) ?? -1)
    case .routeTaken(let route): append("route taken ", Route.allCases.firstIndex(of: route) ?? -1)
    default: preconditionFailure("this event has no words here")
    }
  }
}

private let parityConfiguration: StaticString =
  """
  {"version":"2025.4.4","location_name":"Home","time_zone":"UTC","latitude":52,"longitude":4,\
  "unit_system":{"length":"km","mass":"g","temperature":"C","volume":"L"},\
  "hass_device_id":"5fa3","entities":{}}
  """

private func parityRoutes() -> Routes {
  Routes(
    instance: [UInt8]("http://ha:8123"), home: [UInt8]("http://10.0.0.2:8123"), cloudhook: nil,
    remoteUI: nil, presence: .home, isPlainAllowedAway: false, seed: 3,
    now: Instant(nanoseconds: 0))
}

/// A delivery through a first cycle, an outage and its end; the messages are written as they
/// would go out.
func deliver(to transcript: inout Transcript) {
  var life = Life()
  life.declareSensors()
  life.record(fixAt: 0)
  life.cycle(&transcript)
  life.answer(parityConfiguration, &transcript)
  life.answer("{\"success\":true}", &transcript)
  life.answer("{\"success\":false}", &transcript)
  life.answer(plain: "{}", &transcript)
  life.answer(
    #"{"Illlll":{"e":"device_tracker.board","lat":52.1,"lon":4.3,"acc":100,"age":0}}"#,
    &transcript)
  life.answer(states: #""level":{"success":false,"error":{"code":"not_registered"}}"#, &transcript)
  life.answer("{\"success\":true}", &transcript)
  life.answer(states: #""level":{"success":true}"#, &transcript)
  life.change()
  life.cycle(&transcript)
  life.connectionFailed(&transcript)
  for _ in 0..<8 {
    life.retry(&transcript)
    life.answer(plain: "", &transcript)
  }
  life.record(fixAt: life.now.nanoseconds / 1_000_000_000 - 60)
  life.retry(&transcript)
  life.answer(parityConfiguration, &transcript)
  life.answer("{\"success\":true}", &transcript)
  life.answer(states: #""level":{"success":true},"door":{"success":true}"#, &transcript)
  precondition(life.provenCount == 2, "the answers are those to what is sent")
}

private func parityHistory() -> History {
  History(
    History.Device(id: [UInt8]("board"), name: [UInt8]("Boat")),
    spool: Spool(device: DeviceFingerprint(low: 1, high: 2), durability: .memory, seed: 10))
}

private struct Life: ~Copyable {
  var now = Instant(nanoseconds: 0)
  private var delivery = Delivery(
    routes: parityRoutes(), history: parityHistory(), trackerID: [UInt8]("board"), seed: 9)
  private var buffer = ByteBuffer(capacity: 4096)
  private var nonceNumber: UInt8 = 0
  private(set) var provenCount = 0

  mutating func declareSensors() {
    let level = delivery.batch.declare(
      SensorDescription(
        uniqueID: [UInt8]("level"), name: [UInt8]("Level"), unit: [UInt8]("m"),
        stateClass: [UInt8]("measurement"),
        icon: [UInt8]("mdi:waves")))
    let door = delivery.batch.declare(
      SensorDescription(
        uniqueID: [UInt8]("door"), name: [UInt8]("Door \"aft\""), kind: .binarySensor,
        deviceClass: [UInt8]("door"), icon: [UInt8]("mdi:door"), isUrgent: true))
    guard let level, let door else { preconditionFailure("two sensors fit") }
    let time = WallTime(nanoseconds: 0)
    delivery.record(
      Reading(sensor: level, value: .number(FixedPoint(-125, decimals: 2)), time: time))
    delivery.record(Reading(sensor: door, value: .boolean(true), time: time))
  }

  mutating func change() {
    let time = WallTime(nanoseconds: 0)
    for value in [Value.text(InlineText("say \"ah\"")), .unknown, .unavailable] {
      delivery.record(Reading(sensor: SensorIndex(0), value: value, time: time))
    }
  }

  mutating func record(fixAt second: Int64) {
    delivery.record(
      Fix(
        mode: .threeDimensional, latitude: 52.1, longitude: 4.3, altitudeMeters: -0.04,
        trackDegrees: 359.7, time: WallTime(nanoseconds: 0),
        notBefore: Instant(nanoseconds: second * 1_000_000_000)))
  }

  mutating func cycle(_ transcript: inout Transcript) {
    delivery.cycleDue(now: now)
    performActions(&transcript)
  }

  mutating func retry(_ transcript: inout Transcript) {
    guard let deadline = delivery.deadline else { return }
    now = deadline
    delivery.deadlineReached(now: now)
    performActions(&transcript)
  }

  mutating func connectionFailed(_ transcript: inout Transcript) {
    delivery.connectionFailed(InlineText("Couldn't connect to server"), now: now)
    performActions(&transcript)
  }

  /// Answers with an envelope.
  mutating func answer(_ json: StaticString, _ transcript: inout Transcript) {
    seal({ $0.append(json) }, &transcript)
  }

  /// Answers states with their challenge and more verdicts.
  mutating func answer(states verdicts: StaticString, _ transcript: inout Transcript) {
    // A digit of Base64 for the first byte of the nonce; the others are the same in each.
    let digit = UInt8(ascii: nonceNumber < 26 ? "A" : "G") + nonceNumber
    seal(
      {
        $0.append("{\"")
        $0.append(digit)
        $0.append("lllll\":{\"success\":false,\"error\":{\"code\":\"not_registered\"}},")
        $0.append(verdicts)
        $0.append("}")
      }, &transcript)
  }

  private mutating func seal(
    _ write: (inout ByteBuffer) -> Void, _ transcript: inout Transcript
  ) {
    nonceNumber += 1
    Envelope.seal(
      .updateSensorStates, with: parityKey(), nonce: parityNonce(nonceNumber), into: &buffer
    ) { write(&$0) }
    read(&transcript)
  }

  mutating func answer(plain body: StaticString, _ transcript: inout Transcript) {
    buffer.removeAll()
    buffer.append(body)
    read(&transcript)
  }

  private mutating func read(_ transcript: inout Transcript) {
    let answer = Answer.read(AnswerHead(status: 200), body: &buffer, with: parityKey())
    delivery.answerReceived(answer, body: buffer, now: now)
    performActions(&transcript)
  }

  private mutating func performActions(_ transcript: inout Transcript) {
    while let action = delivery.nextAction() {
      switch action {
      case .tell(let event):
        if case .proven = event { provenCount += 1 }
        transcript.line("delivery") { $0.append(event) }
      case .send(let message): return send(message, &transcript)
      }
    }
    let deadline = delivery.deadline?.nanoseconds
    transcript.line("delivery rests until") { $0.append(deadline) }
  }

  private mutating func send(_ message: Delivery.Message, _ transcript: inout Transcript) {
    nonceNumber += 1
    delivery.write(
      message, for: parityRegistration(), nonce: parityNonce(nonceNumber), into: &buffer)
    transcript.line("delivery sends") { $0.append(hexadecimal: buffer.bytes) }
  }
}
