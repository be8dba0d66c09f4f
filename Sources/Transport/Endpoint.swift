import Bytes
import CCurl
public import HomeAssistant

/// URL, method and headers of a request, in the form that libcurl needs.
@safe public final class Endpoint {
  /// Source of trust in the server's certificate, and whether a client certificate is used.
  public enum Trust: Equatable, Sendable {
    /// The settings of the client.
    case configured
    /// The system's authorities, without a client certificate. For a server to which the settings
    /// do not apply.
    case system
  }

  let method: HTTPMethod
  /// Source of trust in the server.
  public let trust: Trust
  let terminatedURL: [UInt8]
  let headers: UnsafeMutablePointer<curl_slist>?

  /// Creates a request below an address. Neither the address nor the path may contain a NUL.
  ///
  /// - Parameters:
  ///   - address: address of the server, without a slash at its end: `http://192.168.1.5:8123`; a
  ///     whole URL if `path` is empty.
  ///   - path: path below the address, percent-encoded, optionally with a query.
  ///   - method: HTTP method; if it has a body, `HTTPClient.request` is sent.
  ///   - encoding: media type of the body; ignored without a body.
  ///   - bearerToken: access token to send, or nil.
  ///   - trust: source of trust in the server.
  public init(
    address: [UInt8], path: [UInt8] = [], method: HTTPMethod = .post,
    encoding: AuthCall.Encoding = .json, bearerToken: [UInt8]? = nil, trust: Trust = .configured
  ) {
    self.method = method
    self.trust = trust
    var url: [UInt8] = []
    url.reserveCapacity(address.count + path.count + 1)
    url += address
    url += path
    url.append(0)
    terminatedURL = url
    // With it libcurl would wait a second for a "100 Continue", which Home Assistant does not send.
    var list = unsafe Self.append([UInt8]("Expect:"), to: nil)
    // No header means the same as `*/*`, and costs no bytes (RFC 9110, section 12.5.1).
    unsafe list = Self.append([UInt8]("Accept:"), to: list)
    if method.hasBody { unsafe list = Self.append([UInt8](encoding.header), to: list) }
    if let bearerToken {
      unsafe list = Self.append([UInt8]("Authorization: Bearer ") + bearerToken, to: list)
    }
    unsafe headers = list
  }

  /// Creates a request of the login, which carries no access token.
  public convenience init(address: [UInt8], _ call: AuthCall) {
    self.init(address: address, path: call.path, encoding: call.encoding)
  }

  deinit { unsafe curl_slist_free_all(headers) }

  @unsafe
  private static func append(
    _ header: [UInt8], to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    unsafe withCString(header + [0]) { unsafe curl_slist_append(list, $0) }
  }
}

extension AuthCall.Encoding {
  fileprivate var header: StaticString {
    switch self {
    case .json: "Content-Type: application/json"
    case .form: "Content-Type: application/x-www-form-urlencoded"
    }
  }
}

extension WebSocketAddress {
  /// Splits a URL to which libcurl has just connected, so that the handshake names the server
  /// exactly as libcurl found it.
  init?(terminatedURL: [UInt8]) {
    guard let url = ParsedURL(terminatedURL), let scheme = url.part(CURLUPART_SCHEME),
      // Names beyond ASCII are sent in their DNS form.
      let host = url.part(CURLUPART_HOST, CURLU_PUNYCODE),
      let digits = url.part(CURLUPART_PORT, CURLU_DEFAULT_PORT),
      let port = digits.span.decimalValue.flatMap({ UInt16(exactly: $0) }),
      var path = url.part(CURLUPART_PATH, CURLU_URLENCODE)
    else { return nil }
    if let query = url.part(CURLUPART_QUERY, CURLU_URLENCODE) {
      path += [UInt8(ascii: "?")] + query
    }
    self.init(
      isSecure: scheme.span.elementsEqual("https"), host: host, port: port, path: path)
  }
}

/// URL parsed by libcurl.
@safe private final class ParsedURL {
  private let url: OpaquePointer

  init?(_ terminated: [UInt8]) {
    guard let url = unsafe curl_url() else { return nil }
    unsafe self.url = url
    let result = unsafe withCString(terminated) {
      unsafe curl_url_set(url, CURLUPART_URL, $0, 0)
    }
    guard result == CURLUE_OK else { return nil }
  }

  deinit { unsafe curl_url_cleanup(url) }

  /// Returns a part of the URL; nil without it.
  func part(_ part: CURLUPart, _ flags: Int32 = 0) -> [UInt8]? {
    guard let text = unsafe ccurl_url_part(url, part, UInt32(flags)) else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
