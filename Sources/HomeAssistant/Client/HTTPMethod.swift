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
