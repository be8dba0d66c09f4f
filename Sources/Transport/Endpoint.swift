public import Bytes
import CCurl
public import HomeAssistant

/// What is asked of which URL, and the headers that go with it, in the form that libcurl wants.
@safe public final class Endpoint {
  /// What a body is written in.
  public enum ContentType: Equatable, Sendable {
    /// `application/json`
    case json
    /// `application/x-www-form-urlencoded`, as Home Assistant's token endpoint wants it.
    case form

    fileprivate var header: StaticString {
      switch self {
      case .json: "Content-Type: application/json"
      case .form: "Content-Type: application/x-www-form-urlencoded"
      }
    }
  }

  /// Who judges the server's certificate, and whether a certificate is shown to it.
  public enum Trust: Equatable, Sendable {
    /// The settings of the client.
    case configured
    /// The system's authorities; no certificate is shown. For a server that the settings are not
    /// about.
    case system
  }

  let method: HTTPMethod
  /// Who judges the server.
  public let trust: Trust
  let terminatedURL: [UInt8]
  let headers: UnsafeMutablePointer<curl_slist>?

  /// - Parameters:
  ///   - url: the whole URL; it holds no NUL.
  ///   - method: what is asked; where it has a body, `HTTPClient.request` is sent.
  ///   - contentType: of the body; left out where there is none.
  ///   - bearerToken: an access token to send along, or nil.
  ///   - trust: who judges the server.
  public init(
    url: borrowing ByteBuffer, method: HTTPMethod = .post, contentType: ContentType = .json,
    bearerToken: [UInt8]? = nil, trust: Trust = .configured
  ) {
    self.method = method
    self.trust = trust
    terminatedURL = [UInt8](url.bytes) + [0]
    // libcurl would wait a second for a "100 Continue" that nobody sends.
    var list = unsafe Self.append([UInt8]("Expect:"), to: nil)
    // No header means the same as `*/*`, and costs no bytes (RFC 9110, section 12.5.1).
    unsafe list = Self.append([UInt8]("Accept:"), to: list)
    if method.hasBody { unsafe list = Self.append([UInt8](contentType.header), to: list) }
    if let bearerToken {
      unsafe list = Self.append([UInt8]("Authorization: Bearer ") + bearerToken, to: list)
    }
    unsafe headers = list
  }

  deinit { unsafe curl_slist_free_all(headers) }

  @unsafe
  private static func append(
    _ header: [UInt8], to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    unsafe withCString(header + [0]) { unsafe curl_slist_append(list, $0) }
  }
}
