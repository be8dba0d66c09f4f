public import Bytes

/// A command over the WebSocket, and what comes back.
public protocol Request: Sendable {
  associatedtype Response: JSONDecodable = NoContent

  /// The `type` of the message, such as `auth/current_user`.
  var command: Text { get }
  /// What stands beside `id` and `type`.
  var payload: JSONObject { get }
  /// Whether it is sent again where a connection ended without its answer.
  var retry: Retry { get }
}

extension Request {
  public var payload: JSONObject { [:] }
  public var retry: Retry { .within(.seconds(10)) }
}

/// A subscription over the WebSocket, and what its events hold.
public protocol SubscriptionRequest: Sendable {
  associatedtype Event: JSONDecodable

  var command: Text { get }
  var payload: JSONObject { get }
  /// Whether it is made again on the next connection. What runs once is not.
  var isResubscribed: Bool { get }
}

extension SubscriptionRequest {
  public var payload: JSONObject { [:] }
  public var isResubscribed: Bool { true }
}

/// A call to the REST API, and what comes back.
public protocol RESTRequest: Sendable {
  associatedtype Response: JSONDecodable = NoContent

  var method: HTTPMethod { get }
  /// Below `/api/`, and not percent-encoded: `states/sun.sun`.
  var path: Text { get }
  var query: [(name: Text, value: Text)] { get }
  /// What is sent along; a GET has none.
  var body: JSON? { get }
}

extension RESTRequest {
  public var query: [(name: Text, value: Text)] { [] }
  public var body: JSON? { nil }
}

/// What nobody wants to look at; it decodes from anything.
public struct NoContent: JSONDecodable, Equatable, Sendable {
  public init() {}
  public init(json: JSON) {}
}

/// Why there is no answer to a request, or none that can be used.
public enum RequestError: Error, Equatable, Sendable {
  /// Home Assistant refused the command.
  case server(code: Text, message: Text)
  /// The REST API answered with this status, 400 or above.
  case http(status: Int, body: Text)
  /// The answer is not what was expected.
  case decoding(JSONDecodingError)
  /// The REST API could not be reached, and this is why.
  case transport(Text)
  /// The credential was refused. It is not tried again, for Home Assistant may ban the address.
  case rejected
  /// There was no answer in time, or no connection before the request was too old.
  case expired
  /// The connection ended, and the request must not be repeated: nobody knows whether Home
  /// Assistant acted on it.
  case disconnected
  case cancelled
  /// It is longer than Home Assistant accepts.
  case tooLarge
}

/// A command that has no type of its own here.
public struct RawRequest: Request {
  public typealias Response = JSON

  public var command: Text
  public var payload: JSONObject
  public var retry: Retry

  public init(_ command: Text, _ payload: JSONObject = [:], retry: Retry = .within(.seconds(10))) {
    self.command = command
    self.payload = payload
    self.retry = retry
  }
}

/// A subscription that has no type of its own here.
public struct RawSubscription: SubscriptionRequest {
  public typealias Event = JSON

  public var command: Text
  public var payload: JSONObject
  public var isResubscribed: Bool

  public init(_ command: Text, _ payload: JSONObject = [:], isResubscribed: Bool = true) {
    self.command = command
    self.payload = payload
    self.isResubscribed = isResubscribed
  }
}

/// A call to the REST API that has no type of its own here.
public struct RawRESTRequest: RESTRequest {
  public typealias Response = JSON

  public var method: HTTPMethod
  public var path: Text
  public var query: [(name: Text, value: Text)]
  public var body: JSON?

  public init(
    _ method: HTTPMethod, _ path: Text, query: [(name: Text, value: Text)] = [], body: JSON? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }
}
