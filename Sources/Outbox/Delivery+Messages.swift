public import Bytes
public import HomeAssistant
public import Sensing

// What goes to Home Assistant, and what is in it.

extension Delivery {
  /// What is to be sent now.
  public enum Message: Equatable, Sendable {
    /// Its answer goes to `keyAnswered`; those of all others to `answerReceived`.
    case key
    case configuration
    case registration
    case sensor(SensorIndex)
    case location
    case readBack
    case states
    case history

    public var type: MessageType {
      switch self {
      case .key: .enableEncryption
      case .configuration: .getConfiguration
      case .registration: .updateRegistration
      case .sensor: .registerSensor
      case .location: .updateLocation
      case .readBack: .renderTemplate
      case .states: .updateSensorStates
      case .history: .fireEvent
      }
    }
  }

  /// Writes the message that `nextAction` gave.
  public mutating func write(
    _ message: Message, for registration: borrowing Registration, nonce: Nonce,
    into buffer: inout ByteBuffer
  ) {
    let challenge = Challenge(of: nonce)
    self.challenge = challenge
    registration.write(message.type, nonce: nonce, into: &buffer) { data in
      writeData(of: message, challenge, into: &data)
    }
    precondition(!buffer.isOverflowed, "the buffer was made for as many sensors as there can be")
  }

  mutating func writeData(
    of message: Message, _ challenge: Challenge, into data: inout ByteBuffer
  ) {
    switch message {
    case .key: Webhook.EnableEncryption().write(into: &data)
    case .configuration: Webhook.GetConfiguration().write(into: &data)
    case .registration: untold?.write(into: &data)
    case .sensor(let sensor): batch.writeRegistration(of: sensor, into: &data)
    case .location: cycle.sent?.location.write(into: &data, for: acquaintance.server)
    case .readBack:
      guard let deviceID = acquaintance.deviceID else {
        preconditionFailure("a location is looked up by the id of its device")
      }
      Webhook.LocationReadBack(deviceID: deviceID, challenge: challenge).write(into: &data)
    case .states:
      batch.writeStates(challenge, into: &data)
      cycle.superseded = batch.superseded
      // The one that was sent is not lost.
      if let sent = cycle.sent, batch.fix != sent.fix { cycle.superseded.fixes -= 1 }
    case .history: history.writeChunk(into: &data)
    }
  }
}
