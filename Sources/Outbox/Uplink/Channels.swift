import Bytes
import HomeAssistant

/// The way of messages to the webhook: HTTP, or the WebSocket where the configuration prefers it
/// and it is open.
///
/// Invariant: at most one message is handed out or under way.
struct WebhookChannel {
  private enum Carrier { case http, webSocket }

  private enum State {
    case idle
    /// It waits for `nextSending`.
    case ready(Delivery.Message)
    case underWay(Delivery.Message)
  }

  private let carriesMessages: Bool
  /// Where the WebSocket goes; over another address a message goes without it.
  private let webSocketURL: [UInt8]
  private var state = State.idle
  private var carrier = Carrier.http
  private(set) var isWebSocketOpen = false
  /// Whether the WebSocket of the last answer still stands.
  private var isWebSocketKept = false

  init(carriesMessages: Bool, webSocketURL: [UInt8]) {
    self.carriesMessages = carriesMessages
    self.webSocketURL = webSocketURL
  }

  /// The message that is to be sent or under way.
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

  /// The action that sends what is ready, over a route with this address; nil where nothing is.
  mutating func nextSending(over route: Route, to url: [UInt8]) -> Uplink.Action? {
    guard case .ready(let message) = state else { return nil }
    state = .underWay(message)
    let isPosted = carriesMessages && isWebSocketOpen && url == webSocketURL
    carrier = isPosted ? .webSocket : .http
    return isPosted ? .post : .send(.message(over: route))
  }

  /// The WebSocket cannot take the message: it goes over HTTP.
  mutating func postRefused() {
    guard let message, carrier == .webSocket else { return }
    isWebSocketOpen = false
    state = .ready(message)
  }

  /// The message has its answer, or will have none. Returns which it was.
  mutating func ended(isAnswered: Bool) -> Delivery.Message? {
    defer { state = .idle }
    isWebSocketKept = isAnswered && carrier == .webSocket
    return message
  }

  /// The message is given up. Returns whether a request is to be ended for that.
  mutating func cancelled() -> Bool {
    defer { state = .idle }
    return if case .underWay = state { true } else { false }
  }
}

/// The way of requests that show a token: the registration, and renewals of access tokens.
///
/// Invariant: at most one is under way.
struct LoginChannel {
  enum Errand { case registration, renewal }

  private var underWay: Errand?
  private var renewal: AuthCall?
  private var registration: [UInt8]?

  mutating func renew(_ call: AuthCall) { renewal = call }

  mutating func register(with token: [UInt8]) { registration = token }

  /// The next request, where none is under way.
  mutating func nextCall() -> Uplink.Call? {
    guard underWay == nil else { return nil }
    if let call = renewal.take() {
      underWay = .renewal
      return .token(call)
    }
    guard let token = registration.take() else { return nil }
    underWay = .registration
    return .registration(token: token)
  }

  /// The request has its answer, or will have none. Returns which it was.
  mutating func ended() -> Errand? { underWay.take() }

  /// The errand is given up.
  ///
  /// - Returns: nil where there was none; else whether a request is to be ended for that.
  mutating func cancel(_ errand: Errand) -> Bool? {
    let wasWaiting = errand == .renewal ? renewal.take() != nil : registration.take() != nil
    guard underWay == errand else { return wasWaiting ? false : nil }
    underWay = nil
    return true
  }
}
