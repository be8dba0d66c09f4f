/// A request, taken out of its connection.
public struct Request: Sendable {
  public var method: String
  /// Without the query.
  public var path: String
  private let headers: [String: String]
  public var body: [UInt8]
  /// Set if the body was larger than the server reads; `body` is empty then.
  public var isTooLarge: Bool

  public init(
    method: String, path: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], isTooLarge: Bool = false
  ) {
    self.method = method
    self.path = path
    self.headers = Dictionary(
      headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
    self.isTooLarge = isTooLarge
  }

  /// A header, whatever the case of its name.
  public func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// A response, before it meets a connection.
public struct Response: Sendable, Equatable {
  /// What the connection does with it.
  public enum Delivery: Sendable, Equatable {
    case complete
    case never
    case after(Duration)
    case half
    /// It goes on for as long as the client listens: the events of the page.
    case events
  }

  public var status: Int
  public var contentType: String?
  public var body: [UInt8]
  public var delivery = Delivery.complete
  /// Set if the connection becomes a WebSocket: what proves that the request was understood.
  public var acceptedSocket: String?
  /// Set if no proxy on the way may keep it.
  var isUnstored = false
  /// What a page may load and do, for the browser to enforce.
  var contentSecurityPolicy: String?
  /// A field that Home Assistant does not send, such as `Location`.
  var foreignField: ForeignField?

  /// Empty where the reverse is worth knowing: no body, no type.
  public var headers: [(name: String, value: String)] {
    var headers = [
      (name: "Referrer-Policy", value: "no-referrer"),
      (name: "X-Content-Type-Options", value: "nosniff"),
      (name: "X-Frame-Options", value: "SAMEORIGIN"),
    ]
    if isUnstored {
      headers.append((name: "Cache-Control", value: "no-store"))
      headers.append((name: "Pragma", value: "no-cache"))
    }
    if let contentSecurityPolicy {
      headers.append((name: "Content-Security-Policy", value: contentSecurityPolicy))
    }
    if let contentType { headers.append((name: "Content-Type", value: contentType)) }
    if let foreignField { headers.append((name: foreignField.name, value: foreignField.value)) }
    return headers
  }
}

/// A field of the head of an answer that another server gives.
public struct ForeignField: Sendable, Equatable {
  let name: String
  let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The few kinds of answer Home Assistant has. Their content types differ in detail, and clients
/// may tell them apart by that alone.
enum Answer: Equatable {
  /// No body and no content type.
  case nothing(Int)
  /// `{}`, never sealed.
  case braces(Int)
  /// JSON, sealed if the registration has a secret.
  case content(JSON, status: Int = 200)
  /// JSON, never sealed.
  case open(JSON, status: Int = 200)
  /// JSON that no proxy may keep: tokens.
  case unstored(JSON)
  /// 400 with an error code, never sealed.
  case failure(String, String)
  /// The new secret, in clear.
  case secret(String)
  case text(Int, String)
  case page(String)
  /// What another server answers.
  case foreign(Int, type: String, String, ForeignField?)

  /// The response, sealing its content if there is a way to.
  func response(seal: ((JSON) -> JSON)? = nil) -> Response {
    switch self {
    case .nothing(let status): Response(status: status, contentType: nil, body: [])
    case .braces(let status): Self.charset(status, "{}")
    case .content(let content, let status):
      Response(
        status: status, contentType: "application/json", body: (seal?(content) ?? content).bytes)
    case .open(let content, let status):
      Response(status: status, contentType: "application/json", body: content.bytes)
    case .unstored(let content):
      Response(
        status: 200, contentType: "application/json", body: content.bytes, isUnstored: true)
    case .failure(let code, let message):
      Self.charset(
        400,
        "{\"success\": false, \"error\": {\"code\": \"\(code)\", \"message\": \"\(message)\"}}")
    case .secret(let secret): Self.charset(200, "{\"secret\": \"\(secret)\"}")
    case .text(let status, let text):
      Response(
        status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    case .foreign(let status, let type, let text, let field):
      Response(
        status: status, contentType: type, body: Array(text.utf8), foreignField: field)
    case .page(let text):
      Response(status: 200, contentType: "text/html; charset=utf-8", body: Array(text.utf8))
    }
  }

  private static func charset(_ status: Int, _ text: String) -> Response {
    Response(
      status: status, contentType: "application/json; charset=utf-8", body: Array(text.utf8))
  }
}
