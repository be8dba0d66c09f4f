import Bytes

/// Head of an HTTP/1 response (RFC 9112): its status, then its fields.
struct HTTPResponseHead: ~Escapable {
  /// Name and value of a field, without surrounding white space.
  struct Field: ~Escapable {
    let name: Span<UInt8>
    let value: Span<UInt8>

    /// Whether the field has this name, given in lower case.
    func isNamed(_ lowercaseName: StaticString) -> Bool {
      name.elementsEqualIgnoringCase(lowercaseName)
    }
  }

  static let beginning: StaticString = "HTTP/1."

  let status: Int
  private let bytes: Span<UInt8>
  private var position: Int

  /// Reads the first line. `bytes` is the whole head without its final empty line, so every line
  /// ends with CR LF.
  @_lifetime(copy bytes)
  init?(_ bytes: Span<UInt8>) {
    // HTTP/1.1 101 Switching Protocols
    guard bytes.count >= 14, bytes.starts(with: Self.beginning), bytes[7].isASCIIDigit,
      bytes[8] == UInt8(ascii: " "), bytes[12] == UInt8(ascii: " ") || bytes[12] == 0x0D,
      let status = bytes.extracting(9..<12).decimalValue
    else { return nil }
    self.status = Int(status)
    self.bytes = bytes
    guard let end = bytes.endOfLine(from: 0) else { return nil }
    position = end + 2
  }

  /// Returns the next field, or nil after the last.
  ///
  /// - Throws: `.notHTTP` if a line is not a field; a value that continues on the next line is
  ///   obsolete in HTTP, and fails too.
  @_lifetime(copy self)
  mutating func nextField() throws(WebSocketRefusal) -> Field? {
    guard position < bytes.count else { return nil }
    guard let end = bytes.endOfLine(from: position) else { throw .notHTTP }
    let line = bytes.extracting(position..<end)
    position = end + 2
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { throw .notHTTP }
    let name = line.extracting(0..<colon)
    for index in name.indices where name[index] <= 0x20 { throw .notHTTP }
    return Field(name: name, value: line.extracting(colon + 1..<line.count).trimmed())
  }
}

extension Span where Element == UInt8 {
  /// Returns the position of the CR LF that ends the line at `start`.
  fileprivate func endOfLine(from start: Int) -> Int? {
    var index = start
    while let found = firstIndex(of: 0x0D, from: index), found + 1 < count {
      if self[found + 1] == 0x0A { return found }
      index = found + 1
    }
    return nil
  }

  /// Whether `lowercase` is an element of this comma-separated list.
  func listContains(_ lowercase: StaticString) -> Bool {
    var start = 0
    while start <= count {
      let end = firstIndex(of: UInt8(ascii: ","), from: start) ?? count
      if extracting(start..<end).trimmed().elementsEqualIgnoringCase(lowercase) { return true }
      start = end + 1
    }
    return false
  }
}
