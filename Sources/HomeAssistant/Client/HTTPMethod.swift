/// The methods of HTTP that Home Assistant's REST interface knows.
public enum HTTPMethod: Equatable, Sendable {
  /// Reads something.
  case get
  /// Has something done.
  case post
  /// Puts something in a place.
  case put
  /// Changes something.
  case patch
  /// Removes something.
  case delete
  /// Reads only what is said about something.
  case head
  /// Asks what is possible.
  case options

  /// As it stands in a request.
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
