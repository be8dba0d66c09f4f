public import Bytes

/// Transport of a `Client`'s bytes: a loop with sockets, or a script in tests.
///
/// A driver reports events to the client from its loop, and never from inside one of these calls.
public protocol Driver: AnyObject {
  /// Current instant of the clock of all deadlines. With a clock that runs while the machine
  /// sleeps, the client detects a dead connection at once.
  var now: Instant { get }

  /// Connects to Home Assistant's `/api/websocket`, then calls `socketOpened` or `socketClosed`.
  func openSocket()

  /// Closes the socket, or stops opening it. The driver reports nothing more about it.
  func closeSocket(code: UInt16)

  /// Sends a message, or stores a copy until it can be sent.
  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>)

  /// Gets an access token, then calls `tokenFetched`. This call replaces an earlier one that is
  /// still open, whose token may be the refused one: the driver never answers that one.
  func fetchToken(_ reason: TokenReason)

  /// Makes a call to the REST API, with a token, then calls `httpAnswered` or `httpFailed`.
  func send(_ call: HTTPCall)

  /// Forgets a call. The driver reports nothing more about it.
  func cancelHTTP(_ id: RequestID)
}

/// Call to Home Assistant's REST API.
public struct HTTPCall: Equatable, Sendable {
  /// Identifier under which the driver reports the answer.
  public let id: RequestID
  /// HTTP method.
  public let method: HTTPMethod
  /// Path and query below the address of Home Assistant, percent-encoded: `/api/states/sun.sun`.
  public let target: [UInt8]
  /// JSON; nil for no body.
  public let body: [UInt8]?
}
