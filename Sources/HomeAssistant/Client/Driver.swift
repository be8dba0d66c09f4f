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

  /// Handles a change of network, in which Home Assistant may accept a login that it denied before.
  /// Does nothing by default.
  func networkChanged()

  /// Makes a call to the REST API, with a token, then calls `httpAnswered` or `httpFailed`.
  func send(_ call: HTTPCall)

  /// Forgets a call. The driver reports nothing more about it.
  func cancelHTTP(_ id: RequestID)
}

extension Driver {
  public func networkChanged() {}
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

/// HTTP methods of Home Assistant's REST API.
public enum HTTPMethod: Equatable, Sendable {
  /// Reads a resource.
  case get
  /// Runs an action.
  case post
  /// Stores a resource.
  case put
  /// Changes a resource.
  case patch
  /// Removes a resource.
  case delete
  /// Reads only the headers.
  case head
  /// Asks for the allowed methods.
  case options

  /// Name in a request.
  public var name: StaticString {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .head: "HEAD"
    case .options: "OPTIONS"
    }
  }

  /// Whether a request has a body, even an empty one.
  public var hasBody: Bool {
    switch self {
    case .post, .put, .patch: true
    case .get, .delete, .head, .options: false
    }
  }
}

/// Returns the address of a Home Assistant for appending paths: without trailing slashes, and
/// without a trailing `/api` or `/api/websocket`, which people copy along.
public func serverAddress(_ url: [UInt8]) -> [UInt8] {
  var address = url.withoutTrailingSlashes(keeping: 0)
  for path in [[UInt8]("/api/websocket"), [UInt8]("/api")] {
    let start = address.count - path.count
    // `http://api` is a host.
    guard start > 0, address[start - 1] != UInt8(ascii: "/"), address[start...].elementsEqual(path)
    else { continue }
    address.removeLast(path.count)
    break
  }
  return address.withoutTrailingSlashes(keeping: 0)
}
