import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// Over HTTP or over the WebSocket, and whether Home Assistant may have restarted meanwhile.
@Suite final class CarrierTests {
  private var now = Instant(nanoseconds: 0)
  private var delivery: Delivery

  init() { delivery = Self.delivery(webSocket: "http://ha") }

  /// One whose messages go to `http://ha`.
  private static func delivery(webSocket: String?) -> Delivery {
    Delivery(
      routes: .forTests(isPlainAllowedAway: true), history: .forTests(),
      trackerID: [UInt8]("board".utf8), webSocketURL: webSocket.map { [UInt8]($0.utf8) }, seed: 1)
  }

  private func webSocket(isOpen: Bool) { delivery.webSocketChanged(isOpen: isOpen, now: now) }

  /// Takes the message that is due. Returns how it is carried; nil without one.
  private func next() -> Carrier? {
    while let action = delivery.nextAction() {
      if case .send = action { return delivery.underWay?.carrier }
    }
    return nil
  }

  /// The next attempt, after all the time that an outage may wait.
  private func send() -> Carrier? {
    now = delivery.deadline.map { max(now, $0) } ?? now
    delivery.deadlineReached(now: now)
    delivery.cycleDue(now: now)
    return next()
  }

  private func answered() {
    let body = ByteBuffer(capacity: 1)
    delivery.answerReceived(.gone, body: body, now: now)
  }

  private func isKept(isHTTPKept: Bool) -> Bool {
    delivery.carriers.isConnectionKept(isHTTPKept: isHTTPKept)
  }

  // MARK: Which way

  @Test func aMessageGoesOverTheWebSocketWhileThatIsOpen() {
    webSocket(isOpen: true)
    #expect(send() == .webSocket)
    answered()
    #expect(delivery.underWay?.carrier == nil)
    webSocket(isOpen: false)
    #expect(send() == .http)
  }

  @Test(arguments: ["https://hooks", nil])
  func itGoesOverHTTPToAnotherAddressAndWhereTheConfigurationWantsThat(webSocketURL: String?) {
    delivery = Self.delivery(webSocket: webSocketURL)
    webSocket(isOpen: true)
    #expect(send() == .http)
  }

  @Test func whatTheWebSocketDoesNotTakeGoesOverHTTP() {
    webSocket(isOpen: true)
    _ = send()
    let message = delivery.underWay?.message
    delivery.postRefused()
    #expect(delivery.underWay?.message == nil)
    #expect(next() == .http && delivery.underWay?.message == message)
    #expect(!delivery.carriers.isWebSocketOpen)
    answered()
    #expect(send() == .http)
  }

  /// A refusal that comes when the message is already on another way, or answered.
  @Test func aLateRefusalSendsNothingTwice() {
    #expect(send() == .http)
    delivery.postRefused()
    #expect(next() == nil && delivery.underWay?.carrier == .http)
    answered()
    webSocket(isOpen: true)
    #expect(send() == .webSocket)
    answered()
    delivery.postRefused()
    #expect(next() == nil && delivery.carriers.isWebSocketOpen)
  }

  @Test func aMessageWaitsWhileNoneMayBeSent() {
    delivery.cycleDue(now: now)
    #expect(delivery.nextAction(maySend: false) == nil)
    #expect(delivery.underWay?.message == nil)
    #expect(next() == .http)
  }

  // MARK: Whether Home Assistant may have restarted

  @Test(arguments: [true, false])
  func overHTTPItsConnectionTells(isKept: Bool) {
    _ = send()
    answered()
    #expect(self.isKept(isHTTPKept: isKept) == isKept)
  }

  @Test func overTheWebSocketThatOneTellsOfTheLastAnswer() {
    webSocket(isOpen: true)
    #expect(send() == .webSocket)
    #expect(!isKept(isHTTPKept: true))
    answered()
    #expect(isKept(isHTTPKept: false))
    // It broke, and is open again.
    webSocket(isOpen: false)
    webSocket(isOpen: true)
    #expect(!isKept(isHTTPKept: true))
  }

  @Test func withoutAnAnswerTheWebSocketTellsNothing() {
    webSocket(isOpen: true)
    _ = send()
    answered()
    #expect(send() == .webSocket)
    delivery.connectionFailed(InlineText("no answer"), now: now)
    #expect(!isKept(isHTTPKept: true))
  }
}
