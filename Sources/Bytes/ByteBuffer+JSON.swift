/// JSON (RFC 8259), written straight into a buffer and compact.
///
/// The comma in front of a member or an element is known from the byte before it, so there is no
/// nesting to keep. Braces must balance; that is the caller's code, not the world's data.
extension ByteBuffer {
  /// Begins an object, as a value or an element.
  public mutating func openJSONObject() {
    separate()
    append(UInt8(ascii: "{"))
  }
  /// Ends the object that was begun last.
  public mutating func closeJSONObject() { append(UInt8(ascii: "}")) }

  /// Begins an array, as a value or an element.
  public mutating func openJSONArray() {
    separate()
    append(UInt8(ascii: "["))
  }
  /// Ends the array that was begun last.
  public mutating func closeJSONArray() { append(UInt8(ascii: "]")) }

  // Called, not copied into each caller, like what is appended by `ByteBuffer` itself.
  /// Appends the key of the next member; its value comes next. The key is one that needs no
  /// escapes.
  @inline(never)
  public mutating func appendJSON(key: StaticString) {
    separate()
    append(UInt8(ascii: "\""))
    append(key)
    append("\":")
  }

  /// Appends the key of the next member, escaped where it must be; its value comes next.
  public mutating func appendJSON(key: Span<UInt8>) {
    appendJSON(key)
    append(UInt8(ascii: ":"))
  }

  /// Appends a string; bytes that are not UTF-8 become U+FFFD, because Home Assistant drops a
  /// whole message over one of them.
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

  /// Appends a literal as a string, escaped where it must be.
  public mutating func appendJSON(_ text: StaticString) {
    let literal = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe appendJSON(literal.span)
  }

  /// Appends what is JSON already: a value, or the beginning of one.
  public mutating func appendJSON(written json: [UInt8]) {
    separate()
    append(json)
  }

  /// Appends a whole number. Beyond ±2^53 not every reader keeps it exactly.
  public mutating func appendJSON(_ number: some BinaryInteger & FixedWidthInteger) {
    separate()
    append(decimal: number)
  }

  /// Appends a decimal number with all its digits, zeros at the end included.
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
  /// What members leave free for the ends of all that is open, and for the frames of what has no
  /// member left.
  public var endsByteCount: Int { capacity / 32 }

  /// Appends a member whose value `writeValue` writes. One that does not fit is left out: a text of
  /// Home Assistant may be as long as it likes, and the others are told all the same.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ writeValue: (inout ByteBuffer) -> Void) {
    appendWhole(leaving: endsByteCount) {
      $0.appendJSON(key: key)
      writeValue(&$0)
    }
  }

  /// The same with a value at hand.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: StaticString) {
    appendMember(key) { $0.appendJSON(value) }
  }

  /// The same with a text in UTF-8.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: Span<UInt8>) {
    appendMember(key) { $0.appendJSON(value) }
  }

  /// The same with a number.
  @inline(never)
  public mutating func appendMember(_ key: StaticString, _ value: Int) {
    appendMember(key) { $0.appendJSON(value) }
  }
}
