/// Text from outside or for the outside: its own copy of UTF-8, compared byte by byte.
///
/// It does not use Unicode's tables: the two encodings of "é" are different texts, as they are in
/// Home Assistant. The bytes are not checked; `ByteBuffer.appendJSON` replaces invalid UTF-8.
public struct Text: Hashable, Sendable {
  /// Bytes as received, normally UTF-8.
  public let bytes: [UInt8]

  /// Creates a text from bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// Creates a text from a copy of the bytes.
  public init(_ bytes: Span<UInt8>) { self.bytes = [UInt8](bytes) }
  /// Creates a text from a string.
  public init(_ string: String) { bytes = [UInt8](string.utf8) }

  /// Text as a string, for programs that use strings; invalid UTF-8 becomes U+FFFD.
  public var string: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether the text has no bytes.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Whether the text begins with `prefix`.
  public func hasPrefix(_ prefix: Text) -> Bool {
    guard bytes.count >= prefix.bytes.count else { return false }
    for index in prefix.bytes.indices where bytes[index] != prefix.bytes[index] { return false }
    return true
  }

  /// Returns the beginning of the text: at most `byteCountMax` bytes, ending at a whole character.
  public func cut(to byteCountMax: Int) -> Text {
    guard bytes.count > byteCountMax else { return self }
    var end = byteCountMax
    // A character has at most three continuation bytes.
    while end > 0, end > byteCountMax - 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Text([UInt8](bytes[..<end]))
  }

  /// Concatenates two texts.
  public static func + (left: Text, right: Text) -> Text { Text(left.bytes + right.bytes) }
}

extension Text: Comparable {
  /// Compares by bytes, which gives the order of the scalars.
  public static func < (left: Text, right: Text) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension Text: ExpressibleByStringLiteral {
  public init(stringLiteral literal: StaticString) {
    precondition(literal.hasPointerRepresentation, "a string literal has bytes")
    bytes = [UInt8](literal)
  }
}

extension Text: CustomStringConvertible {
  public var description: String { string }
}

extension Text {
  /// Creates a text from a JSON string, without escapes. A lone surrogate becomes U+FFFD.
  public init(_ text: JSONReader.Text) {
    guard text.raw.firstIndex(of: UInt8(ascii: "\\")) != nil else {
      self.init(text.raw)
      return
    }
    // An escape is never shorter than the character it stands for.
    var unescaped = ByteBuffer(capacity: text.raw.count)
    text.append(to: &unescaped)
    self.init(unescaped.bytes)
  }
}
