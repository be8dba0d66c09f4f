public import Bytes

/// A command over the WebSocket and what comes back.
public protocol Request: Sendable {
  associatedtype Response: JSONDecodable = NoContent
  /// The `type` of the message, such as `auth/current_user`.
  var command: Text { get }
  /// The members of the message beside `id` and `type`.
  var payload: JSONObject { get }
  var retry: Retry { get }
}

extension Request {
  public var payload: JSONObject { [:] }
  public var retry: Retry { .within(.seconds(10)) }
}

/// A command over the WebSocket that is answered by events until it is ended.
public protocol SubscriptionRequest: Sendable {
  associatedtype Event: JSONDecodable
  var command: Text { get }
  var payload: JSONObject { get }
  /// Whether it is sent again on each new connection. A run that happens once says no.
  var isResubscribed: Bool { get }
}

extension SubscriptionRequest {
  public var payload: JSONObject { [:] }
  public var isResubscribed: Bool { true }
}

/// A call of the REST API. It needs no WebSocket and is sent once.
public protocol RESTRequest: Sendable {
  associatedtype Response: JSONDecodable = NoContent
  var method: HTTPMethod { get }
  /// Below `/api/` and not percent-encoded: `states/sun.sun`.
  var path: Text { get }
  var query: [(name: Text, value: Text)] { get }
  var body: JSON? { get }
}

extension RESTRequest {
  public var method: HTTPMethod { .get }
  public var query: [(name: Text, value: Text)] { [] }
  public var body: JSON? { nil }
}

/// For how long a request is sent again where its connection was lost before the answer came.
///
/// Home Assistant may have done what was asked and only the answer was lost, so what must not
/// happen twice says `never`.
public enum Retry: Equatable, Sendable {
  case never
  /// Counted from when the request was made.
  case within(Duration)
  case always
}

/// Why a request has no answer, or the wrong one.
public enum RequestError: Error, Equatable, Sendable {
  /// Home Assistant refused the command.
  case server(code: Text, message: Text)
  /// An answer of the REST API with a status that is no success. A redirection is none either:
  /// nobody acted on the call.
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
  case cancelled
  /// Events came faster than they were read.
  case overrun
  /// The message is larger than Home Assistant takes.
  case tooLarge
}

/// The answer to what has none worth reading. It decodes from anything.
public struct NoContent: JSONDecodable, Equatable, Sendable {
  public init() {}
  public init(json: JSON) {}
}
