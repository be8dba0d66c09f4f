/// Address of a WebSocket: the parts of an `http:` or `https:` URL.
public struct WebSocketAddress: Equatable, Sendable {
  /// Maximum length of host and path together, in bytes.
  public static let byteCountMax = 4096

  /// Whether the scheme is `https`, and the connection uses TLS.
  public let isSecure: Bool
  /// Name or address; an IPv6 address is in brackets.
  public let host: [UInt8]
  /// TCP port, even if the scheme implies it.
  public let port: UInt16
  /// Percent-encoded path from its slash on, with the query if there is one.
  public let path: [UInt8]

  /// Fails if the parts are invalid in a request: too long, with a space or a control character, or
  /// a path without a leading slash.
  ///
  /// - Parameters:
  ///   - isSecure: whether the scheme is `https`.
  ///   - host: name or address; an IPv6 address is in brackets.
  ///   - port: TCP port, even if the scheme implies it.
  ///   - path: percent-encoded path from its slash on, with the query if there is one.
  public init?(isSecure: Bool, host: [UInt8], port: UInt16, path: [UInt8]) {
    guard path.first == UInt8(ascii: "/"), !host.isEmpty,
      host.count + path.count <= Self.byteCountMax,
      (host + path).allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.path = path
  }

  /// Whether the port is the scheme's default, which `Host` leaves out.
  var isPortImplied: Bool { port == (isSecure ? 443 : 80) }
}
