public import Bytes

/// Command over the WebSocket with the type of its answer.
public struct TypedRequest<Response: JSONDecodable>: Request {
  public let command: Text
  public let payload: JSONObject
  public let retry: Retry

  /// Creates a command from its name, such as `config/label_registry/list`, and the members of the
  /// message beside `id` and `type`.
  public init(_ command: Text, _ payload: JSONObject = [:], retry: Retry = .within(.seconds(10))) {
    self.command = command
    self.payload = payload
    self.retry = retry
  }
}

/// Command over the WebSocket that has no type of its own in this library.
public typealias RawRequest = TypedRequest<JSON>

/// Command over the WebSocket that is answered by events of one type.
public struct TypedSubscription<Event: JSONDecodable>: SubscriptionRequest {
  public let command: Text
  public let payload: JSONObject
  public let isResubscribed: Bool

  /// Creates a subscription from its name, such as `subscribe_bootstrap_integrations`, and the
  /// members of the message beside `id` and `type`.
  public init(_ command: Text, _ payload: JSONObject = [:], isResubscribed: Bool = true) {
    self.command = command
    self.payload = payload
    self.isResubscribed = isResubscribed
  }
}

/// Subscription that has no type of its own in this library.
public typealias RawSubscription = TypedSubscription<JSON>

/// Call of the REST API with the type of its answer.
public struct TypedRESTRequest<Response: JSONDecodable>: RESTRequest {
  public let method: HTTPMethod
  public let path: Text
  public let query: [(name: Text, value: Text)]
  public let body: JSON?

  /// Creates a call from its path below `/api/`, such as `calendars`. The path and the query
  /// are not percent-encoded.
  public init(
    _ method: HTTPMethod, _ path: Text, query: [(name: Text, value: Text)] = [],
    body: JSON? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }
}

/// Call of the REST API that has no type of its own in this library.
public typealias RawRESTRequest = TypedRESTRequest<JSON>
