/// JSON (RFC 8259), written straight into a buffer and compact.
///
/// The byte before a member or an element decides whether a comma is needed, so no nesting is
/// stored. The caller must balance the braces.
extension ByteBuffer {
  /// Begins an object, as a value or an element.
  public mutating func openJSONObject() {
    separate()
    append(UInt8(ascii: "{"))
  }
  /// Ends the innermost open object.
  public mutating func closeJSONObject() { append(UInt8(ascii: "}")) }

  /// Begins an array, as a value or an element.
  public mutating func openJSONArray() {
    separate()
    append(UInt8(ascii: "["))
  }
  /// Ends the innermost open array.
  public mutating func closeJSONArray() { append(UInt8(ascii: "]")) }

  // Called, not inlined into each caller, like the other appending functions of `ByteBuffer`.
  /// Appends the key of the next member; its value comes next. The key must not need escapes.
  @inline(never)
  public mutating func appendJSON(key: StaticString) {
    separate()
    append(UInt8(ascii: "\""))
    append(key)
    append("\":")
  }

  /// Appends the key of the next member, escaped if necessary; its value comes next.
  public mutating func appendJSON(key: Span<UInt8>) {
    appendJSON(key)
    append(UInt8(ascii: ":"))
  }

  /// Appends a string; bytes that are not UTF-8 become U+FFFD, because one of them makes Home
  /// Assistant drop the whole message.
  @inline(never)
  public mutating func appendJSON(_ text: Span<UInt8>) {
    separate()
    append(UInt8(ascii: "\""))
    var index = 0
    while index < text.count {
      let end = text.endOfPlainJSON(from: index)
      append(text.extracting(index..<end))
      index = end
      guard index < text.count else { break }
      let length = text.lengthOfScalar(at: index)
      switch (length, text[index]) {
      case (0, _): append("\u{FFFD}")
      case (1, UInt8(ascii: "\"")), (1, UInt8(ascii: "\\")):
        append(UInt8(ascii: "\\"))
        append(text[index])
      case (1, 0..<0x20): appendEscaped(control: text[index])
      default: append(text.extracting(index..<index + length))
      }
      index += max(length, 1)
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a string; bytes that are not UTF-8 become U+FFFD.
  public mutating func appendJSON(_ text: [UInt8]) { appendJSON(text.span) }

  /// Appends a literal as a string, escaped if necessary.
  public mutating func appendJSON(_ text: StaticString) { appendJSON(text.bytes) }

  /// Appends text that is already JSON: a value, or the beginning of one.
  public mutating func appendJSON(written json: [UInt8]) {
    separate()
    append(json)
  }

  /// Appends a whole number. Not every reader preserves numbers beyond ±2^53 exactly.
  public mutating func appendJSON(_ number: some BinaryInteger & FixedWidthInteger) {
    separate()
    append(decimal: number)
  }

  /// Appends a decimal number with all its digits, including trailing zeros.
  public mutating func appendJSON(_ number: FixedPoint) {
    separate()
    append(number)
  }

  mutating func appendJSON(checkedNumber text: Span<UInt8>) {
    separate()
    append(text)
  }

  /// Appends `true` or `false`.
  public mutating func appendJSON(_ truth: Bool) {
    separate()
    append(truth ? "true" : "false")
  }

  /// Appends `null`.
  public mutating func appendJSONNull() {
    separate()
    append("null")
  }

  @inline(never)
  private mutating func separate() {
    guard count > 0 else { return }
    switch self[count - 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): return
    case UInt8(ascii: "\n"), 0: return  // A line of its own; the room for an authenticator.
    default: append(UInt8(ascii: ","))
    }
  }

  private mutating func appendEscaped(control: UInt8) {
    append("\\u00")
    append(hexadecimalDigit: control >> 4)
    append(hexadecimalDigit: control & 15)
  }
}

extension ByteBuffer {
  /// Number of bytes that members leave free: for the ends of all open objects and arrays, and for
  /// the frames of those that have no member left.
  public var endsByteCount: Int { capacity / 32 }

  /// Appends a member whose value `writeValue` writes. Leaves out a member that does not fit, so
  /// that a long text of Home Assistant does not displace the other members.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ writeValue: (inout ByteBuffer) -> Void) {
    appendWhole(leaving: endsByteCount) {
      $0.appendJSON(key: key)
      writeValue(&$0)
    }
  }

  /// Appends a member whose value is a literal; leaves it out if it does not fit.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: StaticString) {
    appendMember(key) { $0.appendJSON(value) }
  }

  /// Appends a member whose value is a text in UTF-8; leaves it out if it does not fit.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: Span<UInt8>) {
    appendMember(key) { $0.appendJSON(value) }
  }

  /// Appends a member whose value is `true` or `false`; leaves it out if it does not fit.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ truth: Bool) {
    appendMember(key) { $0.appendJSON(truth) }
  }

  /// Appends a member whose value is a number; leaves it out if it does not fit.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: Int64) {
    appendMember(key) { $0.appendJSON(value) }
  }

  /// Appends a member whose value is a number; leaves it out if it does not fit.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: Int) {
    appendMember(key, Int64(value))
  }
}
