import Bytes
import HomeAssistant

/// Channel of messages to the webhook: HTTP, or the WebSocket if the configuration prefers it and
/// it is open.
///
/// Invariant: at most one message is returned or in transit.
struct WebhookChannel {
  private enum Carrier { case http, webSocket }

  private enum State {
    case idle
    /// A message waits for `nextSending`.
    case ready(Delivery.Message)
    case underWay(Delivery.Message)
  }

  private let carriesMessages: Bool
  /// Address of the WebSocket; a message to another address uses HTTP.
  private let webSocketURL: [UInt8]
  private var state = State.idle
  private var carrier = Carrier.http
  private(set) var isWebSocketOpen = false
  /// Whether the WebSocket of the last answer is still open.
  private var isWebSocketKept = false

  init(carriesMessages: Bool, webSocketURL: [UInt8]) {
    self.carriesMessages = carriesMessages
    self.webSocketURL = webSocketURL
  }

  /// Message that is due or in transit.
  var message: Delivery.Message? {
    switch state {
    case .idle: nil
    case .ready(let message), .underWay(let message): message
    }
  }

  /// Whether a message waits for `nextSending`.
  var isReady: Bool { if case .ready = state { true } else { false } }

  /// Whether Home Assistant cannot have restarted since the last message.
  func isConnectionKept(isHTTPKept: Bool) -> Bool {
    carrier == .http ? isHTTPKept : isWebSocketKept
  }

  mutating func webSocketChanged(isOpen: Bool) {
    isWebSocketOpen = isOpen
    if !isOpen { isWebSocketKept = false }
  }

  mutating func send(_ message: Delivery.Message) { state = .ready(message) }

  /// Returns the action that sends the due message over a route with this address; nil without one.
  mutating func nextSending(over route: Route, to url: [UInt8]) -> Uplink.Action? {
    guard case .ready(let message) = state else { return nil }
    state = .underWay(message)
    let isPosted = carriesMessages && isWebSocketOpen && url == webSocketURL
    carrier = isPosted ? .webSocket : .http
    // Home Assistant gives a key only once.
    let ifWritable = message == .key
    return isPosted
      ? .post(ifWritable: ifWritable) : .send(.message(over: route), ifWritable: ifWritable)
  }

  /// Handles a WebSocket that cannot send the message: it is sent over HTTP.
  mutating func postRefused() {
    guard let message, carrier == .webSocket else { return }
    isWebSocketOpen = false
    state = .ready(message)
  }

  /// Ends the message, with or without an answer, and returns it.
  mutating func ended(isAnswered: Bool) -> Delivery.Message? {
    defer { state = .idle }
    isWebSocketKept = isAnswered && carrier == .webSocket
    return message
  }

  /// Cancels the message. Returns whether a request must be ended.
  mutating func cancelled() -> Bool {
    defer { state = .idle }
    return if case .underWay = state { true } else { false }
  }
}
