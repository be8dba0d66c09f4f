public import Bytes

/// What carries a `Client`'s bytes: a loop with sockets, or a script in tests.
///
/// A driver tells the client what happened from its loop, and never from inside one of these calls.
public protocol Driver: AnyObject {
  /// The moment of now, on the clock that deadlines are measured with. A clock that goes on while
  /// the machine sleeps lets the client see at once that its connection is dead.
  var now: Instant { get }

  /// Connects to Home Assistant's `/api/websocket`, then tells `socketOpened` or `socketClosed`.
  func openSocket()

  /// Closes the socket, or gives up opening it. Nothing more of it is told.
  func closeSocket(code: UInt16)

  /// Sends a message, or keeps a copy until it can be sent.
  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>)

  /// Finds an access token, then tells `tokenFetched`. An earlier call that was not answered yet is
  /// never answered any more: its token may be the one that is refused by then.
  func fetchToken(_ reason: TokenReason)

  /// Makes a call to the REST API, with a token, then tells `httpAnswered` or `httpFailed`.
  func send(_ call: HTTPCall)

  /// Forgets a call; nothing more of it is told.
  func cancelHTTP(_ id: RequestID)
}

/// A call to Home Assistant's REST API.
public struct HTTPCall: Equatable, Sendable {
  /// What the client is told the answer by.
  public let id: RequestID
  /// What is done.
  public let method: HTTPMethod
  /// Path and query below the address of Home Assistant, percent-encoded: `/api/states/sun.sun`.
  public let target: [UInt8]
  /// JSON, or nil for none.
  public let body: [UInt8]?
}
