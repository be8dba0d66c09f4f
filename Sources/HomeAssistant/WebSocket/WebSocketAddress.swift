/// Where a WebSocket is opened: the parts of an `http:` or `https:` URL.
public struct WebSocketAddress: Equatable, Sendable {
  /// The longest host and path together.
  public static let byteCountMax = 4096

  /// Whether the scheme is `https`, and TLS goes over the connection.
  public let isSecure: Bool
  /// A name or an address; an IPv6 one is in brackets.
  public let host: [UInt8]
  /// Of TCP; also where the scheme implies it.
  public let port: UInt16
  /// From its slash on, percent-encoded, with the query where there is one.
  public let path: [UInt8]

  /// Nil where the parts cannot stand in a request: too long, with a space or a control character,
  /// or a path that begins with no slash.
  ///
  /// - Parameters:
  ///   - isSecure: whether the scheme is `https`.
  ///   - host: a name or an address, an IPv6 one in brackets.
  ///   - port: also where the scheme implies it.
  ///   - path: from its slash on, percent-encoded, with the query where there is one.
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

  /// Whether the port is the one that the scheme stands for; then `Host` does not name it.
  var isPortImplied: Bool { port == (isSecure ? 443 : 80) }
}
