import Bytes

/// Opening handshake of RFC 6455, section 4.1: one HTTP request, one answer.
struct WebSocketHandshake {
  /// Maximum size of the head of an answer, in bytes. Proxies add a cookie or two.
  static let responseByteCountMax = 8 * 1024
  /// Number of body bytes of a refusal that are read to identify its author: Apache's phrase ends
  /// at byte 250.
  static let bodyByteCountMax = 512
  /// Number of bytes that are read of a chunked body, sizes of the chunks included.
  static let chunkedByteCountMax = 2048

  static let userAgentByteCountMax = 256
  static let requestByteCountMax =
    WebSocketAddress.byteCountMax + userAgentByteCountMax + 256

  /// Expected answer to the client's key.
  private let accept: InlineArray<28, UInt8>
  /// Number of bytes of the answer that were searched for the end of its head.
  private var searchedByteCount = 0

  /// Writes the request, without extensions and subprotocols. `key` is unguessable, and new for
  /// each connection; an empty `userAgent` is left out.
  init(
    to address: WebSocketAddress, key: InlineArray<16, UInt8>, userAgent: [UInt8],
    into output: inout ByteBuffer
  ) {
    precondition(userAgent.count <= Self.userAgentByteCountMax, "a name, and not a story")
    output.append("GET ")
    output.append(address.path)
    output.append(" HTTP/1.1\r\nHost: ")
    output.append(address.host)
    if !address.isPortImplied {
      output.append(UInt8(ascii: ":"))
      output.append(decimal: address.port)
    }
    output.append("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ")
    var encodedKey = ByteBuffer(capacity: 64)
    encodedKey.append(key.span)
    Base64.encodeTail(of: &encodedKey, from: 0)
    output.append(encodedKey.bytes)
    output.append("\r\nSec-WebSocket-Version: 13\r\n")
    if !userAgent.isEmpty {
      output.append("User-Agent: ")
      output.append(userAgent)
      output.append("\r\n")
    }
    output.append("\r\n")
    accept = Self.accept(for: &encodedKey)
  }

  /// Returns the answer to a key: the Base64 of the SHA-1 of the key and a fixed text.
  private static func accept(for encodedKey: inout ByteBuffer) -> InlineArray<28, UInt8> {
    encodedKey.append("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    let digest = SHA1.digest(of: encodedKey.bytes)
    encodedKey.removeAll()
    encodedKey.append(digest.span)
    Base64.encodeTail(of: &encodedKey, from: 0)
    var accept = InlineArray<28, UInt8>(repeating: 0)
    for index in accept.indices { accept[index] = encodedKey[index] }
    return accept
  }

  /// Reads the server's answer at the start of `bytes`.
  ///
  /// - Returns: the length of its head, after which the frames begin; nil if the head, or the
  ///   necessary part of a refusal's body, is incomplete.
  mutating func read(_ bytes: Span<UInt8>) throws(WebSocketRefusal) -> Int? {
    for index in 0..<min(bytes.count, HTTPResponseHead.beginning.utf8CodeUnitCount)
    where unsafe bytes[index] != HTTPResponseHead.beginning.utf8Start[index] { throw .notHTTP }
    guard let end = endOfHead(in: bytes) else {
      guard bytes.count < Self.responseByteCountMax else { throw .responseTooLong }
      return nil
    }
    guard end + 2 <= Self.responseByteCountMax else { throw .responseTooLong }
    guard let head = HTTPResponseHead(bytes.extracting(0..<end)) else { throw .notHTTP }
    guard head.status == 101 else {
      guard let refusal = try Self.refusal(head, bytes.extracting(end + 2..<bytes.count)) else {
        return nil
      }
      throw .server(refusal)
    }
    try check(head)
    return end + 2
  }

  /// Returns the position of the empty line that ends the head.
  private mutating func endOfHead(in bytes: Span<UInt8>) -> Int? {
    var index = max(searchedByteCount - 3, 0)
    while let found = bytes.firstIndex(of: 0x0D, from: index), found + 4 <= bytes.count {
      if bytes.extracting(found..<found + 4).elementsEqual("\r\n\r\n") { return found + 2 }
      index = found + 1
    }
    searchedByteCount = bytes.count
    return nil
  }

  /// Returns nil if the necessary part of the body, in `rest`, is incomplete.
  private static func refusal(
    _ fields: consuming HTTPResponseHead, _ rest: Span<UInt8>
  ) throws(WebSocketRefusal) -> ServerRefusal? {
    var head = AnswerHead(status: fields.status)
    var byteCount = 0
    var isChunked = false
    while let field = try fields.nextField() {
      if field.isNamed("location") {
        head.location = [UInt8](field.value)
      } else if field.isNamed("content-type") {
        head.setContentType(field.value)
      } else if field.isNamed("www-authenticate") {
        head.setChallenge(field.value)
      } else if field.isNamed("content-length") {
        byteCount = min(Int(clamping: field.value.decimalValue ?? 0), bodyByteCountMax)
      } else if field.isNamed("transfer-encoding") {
        isChunked = field.value.listContains("chunked")
      }
    }
    if isChunked { return chunkedBody(rest).map { ServerRefusal(head, $0.span) } }
    guard rest.count >= byteCount else { return nil }
    return ServerRefusal(head, rest.extracting(first: byteCount))
  }

  /// Returns the beginning of a chunked body (RFC 9112, section 7.1), up to a size that is not one;
  /// nil if the necessary part is incomplete.
  private static func chunkedBody(_ rest: Span<UInt8>) -> [UInt8]? {
    let rest = rest.extracting(first: chunkedByteCountMax)
    var body: [UInt8] = []
    var position = 0
    while body.count < bodyByteCountMax {
      guard let end = rest.firstIndex(of: 0x0A, from: min(position, rest.count)) else {
        return rest.count < chunkedByteCountMax ? nil : body
      }
      let byteCount = chunkByteCount(rest.extracting(position..<end))
      guard byteCount > 0 else { break }
      body += [UInt8](rest.extracting(end + 1..<rest.count).extracting(first: byteCount))
      // Behind a chunk is the end of a line.
      position = end + 1 + byteCount + 2
    }
    return [UInt8](body.prefix(bodyByteCountMax))
  }

  /// Returns the size of a chunk, limited to that of a body; 0 if the line does not begin with one.
  private static func chunkByteCount(_ line: Span<UInt8>) -> Int {
    var byteCount = 0
    for index in line.indices {
      guard let digit = hexadecimalValue(of: line[index]) else { break }
      byteCount = min(byteCount * 16 + Int(digit), bodyByteCountMax)
    }
    return byteCount
  }

  private func check(_ head: consuming HTTPResponseHead) throws(WebSocketRefusal) {
    var isUpgrade = false
    var isWebSocket = false
    var acceptCount = 0
    while let field = try head.nextField() {
      if field.isNamed("upgrade") {
        isWebSocket = field.value.elementsEqualIgnoringCase("websocket")
      } else if field.isNamed("connection") {
        isUpgrade = isUpgrade || field.value.listContains("upgrade")
      } else if field.isNamed("sec-websocket-accept") {
        guard field.value.elementsEqual(accept.span) else { throw .wrongAccept }
        acceptCount += 1
      } else if field.isNamed("sec-websocket-extensions") {
        throw .unwantedExtension
      } else if field.isNamed("sec-websocket-protocol") {
        throw .unwantedSubprotocol
      }
    }
    guard isUpgrade, isWebSocket else { throw .notUpgraded }
    guard acceptCount == 1 else { throw .wrongAccept }
  }
}

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
