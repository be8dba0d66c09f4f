public import Bytes

/// Command over the WebSocket, and the type of its answer.
public protocol Request: Sendable {
  /// Type of `result` in the answer.
  associatedtype Response: JSONDecodable = NoContent
  /// Member `type` of the message, such as `auth/current_user`.
  var command: Text { get }
  /// Members of the message beside `id` and `type`.
  var payload: JSONObject { get }
  /// Whether it is sent again if its connection is lost before the answer.
  var retry: Retry { get }
}

extension Request {
  /// No members.
  public var payload: JSONObject { [:] }
  /// Repeats the command for 10 seconds.
  public var retry: Retry { .within(.seconds(10)) }
}

/// Command over the WebSocket that is answered by events until it is ended.
public protocol SubscriptionRequest: Sendable {
  /// Type of each event.
  associatedtype Event: JSONDecodable
  /// Member `type` of the message, such as `subscribe_events`.
  var command: Text { get }
  /// Members of the message beside `id` and `type`.
  var payload: JSONObject { get }
  /// Whether it is sent again on each new connection; false for a run that happens once.
  var isResubscribed: Bool { get }
}

extension SubscriptionRequest {
  /// No members.
  public var payload: JSONObject { [:] }
  /// True: the subscription is repeated on each new connection.
  public var isResubscribed: Bool { true }
}

/// Call of the REST API. It needs no WebSocket and is sent once.
public protocol RESTRequest: Sendable {
  /// Type of the answer's body. A body whose type is not JSON is read as one text.
  associatedtype Response: JSONDecodable = NoContent
  /// HTTP method.
  var method: HTTPMethod { get }
  /// Path below `/api/`, not percent-encoded: `states/sun.sun`.
  var path: Text { get }
  /// Query items in their order, not percent-encoded.
  var query: [(name: Text, value: Text)] { get }
  /// Body, or nil; never with `get`.
  var body: JSON? { get }
}

extension RESTRequest {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// No query.
  public var query: [(name: Text, value: Text)] { [] }
  /// No body.
  public var body: JSON? { nil }
}

/// Reason that a request has no answer, or the wrong one.
public enum RequestError: Error, Equatable, Sendable {
  /// Home Assistant refused the command.
  case server(code: Text, message: Text)
  /// The REST API answered with a status that is not a success. Redirects count too: Home Assistant
  /// did not act on the call.
  case http(status: Int, body: Text)
  /// The answer has an unexpected form.
  case decoding(JSONDecodingError)
  /// The REST API gave no answer.
  case transport(Text)
  /// The credential was refused, and nothing more is sent. Only requests with `retry` `.always`
  /// wait for another credential.
  case rejected
  /// There was no answer in time, or the time limit of the request is over.
  case expired
  /// The connection was lost, and the request is not sent again.
  case disconnected
  /// The caller cancelled the request.
  case cancelled
  /// Events came faster than the caller read them.
  case overrun
  /// The message is larger than Home Assistant accepts, or its answer is larger than the limit.
  case tooLarge
  /// The client's driver does not support the REST API.
  case unsupported
}

extension RequestError {
  /// Summary for people: the end of an English sentence. It may quote a server's text, control
  /// characters included.
  public var summary: Text {
    switch self {
    case .server(_, let message): Text([UInt8]("Home Assistant refuses it: ") + message.bytes)
    case .http(let status, _): Self.answers(status)
    case .decoding: "Home Assistant's answer is malformed"
    case .transport(let words): Text([UInt8]("Home Assistant cannot be reached: ") + words.bytes)
    case .rejected: "Home Assistant no longer accepts the login"
    case .expired: "Home Assistant does not answer"
    case .disconnected: "the connection to Home Assistant was lost"
    case .cancelled: "the request was cancelled"
    case .overrun: "events came faster than they were read"
    case .tooLarge: "the message or its answer is too large"
    case .unsupported: "this client has no REST API"
    }
  }

  private static func answers(_ status: Int) -> Text {
    Text(("Home Assistant answers \(status)" as MessageText).bytes)
  }
}

/// Answer whose content is ignored. It decodes from any JSON.
public struct NoContent: JSONDecodable, Equatable, Sendable {
  /// Creates the value.
  public init() {}
  /// Accepts any JSON.
  public init(json: JSON) {}
}

extension AccessTokens.Problem {
  /// Error of a request that needs a token now.
  public var requestError: RequestError {
    guard case .denied(let reason) = self else { return .transport(words) }
    return .server(code: "access_denied", message: Text(reason.bytes))
  }
}
