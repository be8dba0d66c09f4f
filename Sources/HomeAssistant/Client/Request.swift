public import Bytes

/// A command over the WebSocket and what comes back.
public protocol Request: Sendable {
  /// What `result` of the answer is read as.
  associatedtype Response: JSONDecodable = NoContent
  /// The `type` of the message, such as `auth/current_user`.
  var command: Text { get }
  /// The members of the message beside `id` and `type`.
  var payload: JSONObject { get }
  /// Whether it is sent again where its connection is lost before the answer.
  var retry: Retry { get }
}

extension Request {
  /// None.
  public var payload: JSONObject { [:] }
  /// Again, for 10 seconds.
  public var retry: Retry { .within(.seconds(10)) }
}

/// A command over the WebSocket that is answered by events until it is ended.
public protocol SubscriptionRequest: Sendable {
  /// What each event is read as.
  associatedtype Event: JSONDecodable
  /// The `type` of the message, such as `subscribe_events`.
  var command: Text { get }
  /// The members of the message beside `id` and `type`.
  var payload: JSONObject { get }
  /// Whether it is sent again on each new connection. A run that happens once says no.
  var isResubscribed: Bool { get }
}

extension SubscriptionRequest {
  /// None.
  public var payload: JSONObject { [:] }
  /// It is.
  public var isResubscribed: Bool { true }
}

/// A call of the REST API. It needs no WebSocket and is sent once.
public protocol RESTRequest: Sendable {
  /// What the body of the answer is read as. A body that is no JSON by its type is one text.
  associatedtype Response: JSONDecodable = NoContent
  /// What is done.
  var method: HTTPMethod { get }
  /// Below `/api/` and not percent-encoded: `states/sun.sun`.
  var path: Text { get }
  /// What follows the path behind a `?`, in this order and not percent-encoded.
  var query: [(name: Text, value: Text)] { get }
  /// What is sent along, or nil; never with `get`.
  var body: JSON? { get }
}

extension RESTRequest {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// None.
  public var query: [(name: Text, value: Text)] { [] }
  /// None.
  public var body: JSON? { nil }
}

/// Why a request has no answer, or the wrong one.
public enum RequestError: Error, Equatable, Sendable {
  /// Home Assistant refused the command.
  case server(code: Text, message: Text)
  /// An answer of the REST API with a status that is no success. A redirection is none either:
  /// Home Assistant did not act on the call.
  case http(status: Int, body: Text)
  /// The answer was not what was expected.
  case decoding(JSONDecodingError)
  /// The REST API gave no answer.
  case transport(Text)
  /// The credential was refused, and nothing is sent any more. Only a request that is sent again
  /// always is kept for another credential.
  case rejected
  /// There was no answer in time, or the time in which the request may be sent (again) is over.
  case expired
  /// The connection was lost, and the request is not sent again.
  case disconnected
  /// The program that asked wants no answer any more.
  case cancelled
  /// Events came faster than they were read.
  case overrun
  /// The message is larger than Home Assistant takes, or its answer larger than is read.
  case tooLarge
  /// The client's driver carries no calls of the REST API.
  case unsupported
}

extension RequestError {
  /// What happened, for people: the end of a sentence, in English. It may quote what a server said,
  /// control characters included.
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
    var words = ByteBuffer(capacity: 64)
    words.append("Home Assistant answers ")
    words.append(decimal: Int64(status))
    return Text(words.bytes)
  }
}

/// The answer to what has none worth reading. It decodes from anything.
public struct NoContent: JSONDecodable, Equatable, Sendable {
  /// Nothing.
  public init() {}
  /// Reads nothing, and so never fails.
  public init(json: JSON) {}
}
