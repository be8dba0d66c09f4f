/// Text from outside or for the outside: owned UTF-8, equal where the bytes are.
///
/// Nothing here knows Unicode's tables: "é" written in two ways is two texts, as it is for Home
/// Assistant. The bytes are not checked; `ByteBuffer.appendJSON` repairs what is not UTF-8.
public struct Text: Hashable, Sendable {
  /// The UTF-8, as it came.
  public let bytes: [UInt8]

  /// The text that these bytes are.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The text that these bytes are, copied.
  public init(_ bytes: Span<UInt8>) { self.bytes = [UInt8](bytes) }
  /// The text of a string.
  public init(_ string: String) { bytes = [UInt8](string.utf8) }

  /// For programs that work with strings; what is no UTF-8 is U+FFFD there.
  public var string: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether there are no bytes.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Whether the first bytes are those of `prefix`.
  public func hasPrefix(_ prefix: Text) -> Bool {
    guard bytes.count >= prefix.bytes.count else { return false }
    for index in prefix.bytes.indices where bytes[index] != prefix.bytes[index] { return false }
    return true
  }

  /// The beginning of the text: at most so many bytes, and no part of a character.
  public func cut(to byteCountMax: Int) -> Text {
    guard bytes.count > byteCountMax else { return self }
    var end = byteCountMax
    // No character has more than three bytes that continue it.
    while end > 0, end > byteCountMax - 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Text([UInt8](bytes[..<end]))
  }

  /// One text behind the other.
  public static func + (left: Text, right: Text) -> Text { Text(left.bytes + right.bytes) }
}

extension Text: Comparable {
  /// By bytes, which is also the order of the scalars.
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
  /// What a string of JSON says, escapes undone. Half of a surrogate pair alone is U+FFFD.
  public init(_ text: JSONReader.Text) {
    guard text.raw.firstIndex(of: UInt8(ascii: "\\")) != nil else {
      self.init(text.raw)
      return
    }
    // What an escape stands for is never longer than the escape.
    var unescaped = ByteBuffer(capacity: text.raw.count)
    text.append(to: &unescaped)
    self.init(unescaped.bytes)
  }
}
