import Bytes

/// Address of a server of Redis or Valkey, and who asks it:
/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]` or `redis+unix:///PATH`.
struct RedisAddress: Equatable {
  /// A name or an address, or the path of a socket.
  let host: Text
  /// 0 for a socket's path.
  let port: UInt16
  let database: UInt16
  /// User and password; nil for a server that asks for nothing.
  var credentials: Credentials?

  struct Credentials: Equatable {
    /// Empty for the server's own one.
    let user: [UInt8]
    let password: [UInt8]

    /// Reads `PASSWORD` or `USER:PASSWORD`.
    init(_ text: [UInt8]) {
      let colon = text.firstIndex(of: UInt8(ascii: ":"))
      user = Array(text[..<(colon ?? 0)])
      password = Array(text[(colon.map { $0 + 1 } ?? 0)...])
    }
  }

  /// Reads an address; returns nil if it has another form.
  init?(_ text: [UInt8]) {
    // The library takes text that ends with a zero.
    guard text.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    if let path = Self.rest(of: text, after: "redis+unix://") {
      guard path.first == UInt8(ascii: "/") else { return nil }
      self.init(host: path, port: 0, database: 0, nil)
    } else if let rest = Self.rest(of: text, after: "redis://") {
      self.init(rest)
    } else {
      return nil
    }
  }

  /// Whether a store of this name is a server, and not a file.
  static func isOne(_ text: [UInt8]) -> Bool {
    rest(of: text, after: "redis://") != nil || rest(of: text, after: "redis+unix://") != nil
      || rest(of: text, after: "rediss://") != nil
  }

  private static func rest(of text: [UInt8], after prefix: StaticString) -> ArraySlice<UInt8>? {
    text.starts(with: utf8(prefix)) ? text[prefix.utf8CodeUnitCount...] : nil
  }

  private init?(_ text: ArraySlice<UInt8>) {
    var rest = text
    var credentials: Credentials?
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
      credentials = Credentials(Array(rest[..<at]))
      rest = rest[(at + 1)...]
    }
    var database: Int64 = 0
    if let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
      let digits = rest[(slash + 1)...]
      guard let number = digits.isEmpty ? 0 : decimal(digits) else { return nil }
      database = number
      rest = rest[..<slash]
    }
    guard let (host, port) = Self.hostAndPort(rest), let database = UInt16(exactly: database)
    else { return nil }
    self.init(host: host, port: port, database: database, credentials)
  }

  private static func hostAndPort(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, UInt16)? {
    var (host, port) = (text, UInt16(6379))
    let bracket = text.lastIndex(of: UInt8(ascii: "]")) ?? -1
    if let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > bracket {
      guard let number = decimal(text[(colon + 1)...]), let found = UInt16(exactly: number),
        found > 0
      else { return nil }
      port = found
      host = text[..<colon]
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(UInt8(ascii: ":")) {
      return nil
    }
    return host.isEmpty ? nil : (host, port)
  }

  private init(
    host: ArraySlice<UInt8>, port: UInt16, database: UInt16, _ credentials: Credentials?
  ) {
    self.host = Text(Array(host))
    self.port = port
    self.database = database
    self.credentials = credentials
  }

  /// The address for people, without who asks.
  var text: String {
    if port == 0 { return host.string }
    return host.bytes.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// The address as `--store` has it, without who asks.
  var url: String { port == 0 ? "redis+unix://\(text)" : "redis://\(text)/\(database)" }
}

/// Whole number of a text of digits; nil if it is another text, or too large.
func decimal(_ text: some Collection<UInt8>) -> Int64? {
  let isNegative = text.first == UInt8(ascii: "-")
  let digits = Array(isNegative ? text.dropFirst() : text[...])
  return digits.span.decimalValue.map { isNegative ? -$0 : $0 }
}
