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
  public func hasPrefix(_ prefix: Text) -> Bool { bytes.span.starts(with: prefix.bytes.span) }

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
  public init(stringLiteral literal: StaticString) { bytes = [UInt8](literal) }
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

/// Short text from outside, stored without a heap allocation.
public struct InlineText: Equatable, Sendable {
  /// Maximum length, in bytes of UTF-8.
  public static let byteCountMax = 47

  private var storage = InlineArray<47, UInt8>(repeating: 0)
  private var byteCount: UInt8 = 0

  // Inlined: a call would copy the whole text.

  /// Length in bytes of UTF-8.
  @inline(__always)
  public var count: Int { Int(byteCount) }

  /// Copies the text, cut between two scalars if it is longer than `byteCountMax`. Control
  /// characters and bytes that are not UTF-8 become `?`, so that the text is safe in JSON, in a log
  /// and on a terminal.
  public init(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      if length == 0 || bytes.isControl(at: index) {
        guard count < Self.byteCountMax else { return }
        append(UInt8(ascii: "?"))
      } else {
        guard count + length <= Self.byteCountMax else { return }
        for offset in 0..<length { append(bytes[index + offset]) }
      }
      index += max(length, 1)
    }
  }

  /// Creates the text of a literal, treated like one from outside.
  public init(_ text: StaticString) { self.init(text.bytes) }

  /// Bytes of the text in UTF-8.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) @inline(__always) get { storage.span.extracting(0..<count) }
  }

  public static func == (left: InlineText, right: InlineText) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }

  private mutating func append(_ byte: UInt8) {
    storage[count] = byte
    byteCount += 1
  }
}

extension Span where Element == UInt8 {
  /// Whether the scalar at `index` is in U+0000...U+001F or U+007F...U+009F.
  public func isControl(at index: Int) -> Bool {
    switch self[index] {
    case 0x00..<0x20, 0x7F: true
    case 0xC2: self[index + 1] < 0xA0
    default: false
    }
  }
}

extension ByteBuffer {
  /// Appends the UTF-8 of the text, or nothing if it does not fit.
  public mutating func append(_ text: InlineText) { append(text.bytes) }
}
