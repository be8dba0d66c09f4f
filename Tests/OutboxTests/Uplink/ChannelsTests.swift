import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// Over HTTP or over the WebSocket, and one message at a time.
@Suite struct WebhookChannelTests {
  private enum Sending { case http, webSocket }

  private static let url = [UInt8]("http://ha".utf8)
  private var channel = WebhookChannel(carriesMessages: true, webSocketURL: Self.url)

  private mutating func sending(to url: String = "http://ha") -> Sending? {
    switch channel.nextSending(over: .instance, to: [UInt8](url.utf8)) {
    case nil: return nil
    case .post: return .webSocket
    case .send(.message(over: .instance), _): return .http
    default:
      Issue.record("another action")
      return nil
    }
  }

  private mutating func send() -> Sending? {
    channel.send(.states)
    return sending()
  }

  @Test mutating func aMessageIsHandedOutOnce() {
    let before = sending()
    #expect(before == nil && channel.message == nil)
    let first = send()
    #expect(first == .http && channel.message == .states)
    let again = sending()
    #expect(again == nil && channel.message == .states)
    let ended = channel.ended(isAnswered: true)
    #expect(ended == .states && channel.message == nil)
    let late = channel.ended(isAnswered: true)
    #expect(late == nil)
  }

  // MARK: Which way

  @Test mutating func itGoesOverTheWebSocketWhileThatIsOpen() {
    channel.webSocketChanged(isOpen: true)
    let open = send()
    #expect(open == .webSocket)
    channel.webSocketChanged(isOpen: false)
    let closed = send()
    #expect(closed == .http)
  }

  @Test mutating func itGoesOverHTTPToAnotherAddressThanTheWebSockets() {
    channel.webSocketChanged(isOpen: true)
    channel.send(.states)
    let sent = sending(to: "https://hooks")
    #expect(sent == .http)
  }

  @Test mutating func itGoesOverHTTPWhereTheConfigurationWantsThat() {
    channel = WebhookChannel(carriesMessages: false, webSocketURL: Self.url)
    channel.webSocketChanged(isOpen: true)
    let sent = send()
    #expect(sent == .http)
  }

  @Test mutating func whatTheWebSocketDoesNotTakeGoesOverHTTP() {
    channel.webSocketChanged(isOpen: true)
    _ = send()
    channel.postRefused()
    let again = sending()
    #expect(again == .http)
    #expect(!channel.isWebSocketOpen)
    let next = send()
    #expect(next == .http)
  }

  /// A refusal that comes when the message is already on another way, or answered.
  @Test mutating func aLateRefusalSendsNothingTwice() {
    _ = send()
    channel.postRefused()
    let again = sending()
    #expect(again == nil)
    channel.webSocketChanged(isOpen: true)
    _ = channel.ended(isAnswered: true)
    _ = send()
    _ = channel.ended(isAnswered: true)
    channel.postRefused()
    let third = sending()
    #expect(third == nil && channel.isWebSocketOpen)
  }

  // MARK: Whether Home Assistant may have restarted

  @Test(arguments: [true, false])
  mutating func overHTTPItsConnectionTells(isKept: Bool) {
    channel.webSocketChanged(isOpen: true)
    channel.send(.states)
    _ = sending(to: "https://hooks")
    _ = channel.ended(isAnswered: true)
    #expect(channel.isConnectionKept(isHTTPKept: isKept) == isKept)
  }

  @Test mutating func overTheWebSocketThatOneTellsOfTheLastAnswer() {
    channel.webSocketChanged(isOpen: true)
    _ = send()
    #expect(!channel.isConnectionKept(isHTTPKept: true))
    _ = channel.ended(isAnswered: true)
    #expect(channel.isConnectionKept(isHTTPKept: false))
    // It broke, and is open again.
    channel.webSocketChanged(isOpen: false)
    channel.webSocketChanged(isOpen: true)
    #expect(!channel.isConnectionKept(isHTTPKept: true))
  }

  @Test mutating func withoutAnAnswerTheWebSocketTellsNothing() {
    channel.webSocketChanged(isOpen: true)
    _ = send()
    _ = channel.ended(isAnswered: true)
    _ = send()
    _ = channel.ended(isAnswered: false)
    #expect(!channel.isConnectionKept(isHTTPKept: true))
  }

  // MARK: Given up

  @Test mutating func onlyAMessageThatIsUnderWayIsARequestToBeEnded() {
    let none = channel.cancelled()
    #expect(!none)
    channel.send(.states)
    let ready = channel.cancelled()
    #expect(!ready && channel.message == nil)
    _ = send()
    let underWay = channel.cancelled()
    #expect(underWay && channel.message == nil)
    let next = sending()
    #expect(next == nil)
  }
}
