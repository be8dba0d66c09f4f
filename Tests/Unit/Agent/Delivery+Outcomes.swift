import Bytes
import Testing

@testable import HomeAssistant
@testable import Outbox

extension Delivery {
  /// What is to be sent; what is told before is not looked at.
  func nextMessage() -> Message? {
    while let action = nextAction() {
      if case .send(let message) = action { return message }
    }
    return nil
  }

  /// One attempt over all routes, to which the same answer comes.
  func fail(_ answer: Answer, at time: Instant) {
    let body = ByteBuffer(capacity: 1)
    cycleDue(now: time)
    deadlineReached(now: time)
    while nextMessage() != nil { answerReceived(answer, body: body, now: time) }
  }

  /// One cycle that Home Assistant proves.
  func prove(at time: Instant) throws {
    let registration = try #require(
      Registration(webhookID: [UInt8]("hook".utf8), protection: .plain))
    let nonce = Nonce(randomBytes: InlineArray(repeating: 1))
    let verdict = #"{"success":false,"error":{"code":"not_registered","message":""}}"#
    var request = ByteBuffer(capacity: 64 * 1024)
    cycleDue(now: time)
    while let message = nextMessage() {
      write(message, for: registration, nonce: nonce, into: &request)
      var body = ByteBuffer(capacity: 1024)
      body.append([UInt8](#"{"\#(Challenge(of: nonce).key)":\#(verdict)}"#.utf8))
      answerReceived(.content(0..<body.count), body: body, now: time)
    }
    let provenAt = lastProvenAt
    try #require(provenAt == time)
  }
}
