import CText

/// Message for the user, built without `String`, whose comparison would link the Unicode tables
/// into the shipped binary.
///
/// Text from a file is inserted only through `quoted:`, which makes it safe to show.
public struct MessageText: ExpressibleByStringInterpolation, Sendable {
  /// Maximum length of a quoted text. Longer ones are described: a token that was pasted into the
  /// wrong line must not end up in a log. 40 characters hold every valid word and number.
  public static let quotedCharactersMax = 40

  /// Message in UTF-8.
  public let bytes: [UInt8]

  /// Creates a message from bytes that do not come from a file.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a text from a file is short and does not look like an access token (a JSON Web Token,
  /// which begins with an encoded brace and quote).
  public static func canShow(_ text: [UInt8]) -> Bool {
    text.characterCount <= quotedCharactersMax && !text.span.starts(with: "eyJ")
  }

  /// Creates a message from a literal.
  @inline(__always)
  public init(stringLiteral text: StaticString) { unsafe self.init(literalAt: text.utf8Start) }

  // A literal ends with a NUL, so its address is enough: 3,000 calls pass no length.
  @inline(never)
  fileprivate init(literalAt start: UnsafePointer<UInt8>) {
    unsafe bytes = [UInt8](UnsafeBufferPointer(start: start, count: ctext_length(start)))
  }

  /// Creates a message from a literal with interpolated values.
  public init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

  /// Collects a literal and its interpolated values.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    /// Creates an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a literal. The compiler also passes empty ones before and after interpolations.
    @inline(__always)
    public mutating func appendLiteral(_ text: StaticString) {
      if text.utf8CodeUnitCount > 0 { unsafe appendLiteral(at: text.utf8Start) }
    }
    @inline(never)
    private mutating func appendLiteral(at start: UnsafePointer<UInt8>) {
      unsafe appendInterpolation(MessageText(literalAt: start))
    }
    /// Appends a literal.
    @inline(never)
    public mutating func appendInterpolation(_ text: StaticString) { bytes += [UInt8](text) }
    /// Appends another message.
    @inline(never)
    public mutating func appendInterpolation(_ text: consuming MessageText) { bytes += text.bytes }
    /// Appends bytes that are safe to show.
    @inline(never)
    public mutating func appendInterpolation(bytes shown: consuming [UInt8]) { bytes += shown }
    /// Appends a number in decimal digits.
    @inline(never)
    public mutating func appendInterpolation(_ number: Int) { appendInterpolation(Int64(number)) }
    /// Appends a number in decimal digits.
    @inline(never)
    public mutating func appendInterpolation(_ number: Int64) {
      bytes += [UInt8](byteCountMax: 20) { $0.append(decimal: number) }
    }

    /// Appends a count with its noun: `1 location`, `2 locations`.
    @inline(never)
    public mutating func appendInterpolation(_ count: Int, _ noun: StaticString) {
      appendInterpolation(count)
      appendLiteral(" ")
      appendLiteral(noun)
      if count != 1 { appendLiteral("s") }
    }

    /// Appends a duration in its two largest common units: `3 d 4 h`, `5 min`, `8 s`.
    @inline(never)
    public mutating func appendInterpolation(_ duration: Duration) {
      let milliseconds = max(duration.nanoseconds / 1_000_000, 0)
      let units: [(length: Int64, name: StaticString)] = [
        (86_400_000, " d"), (3_600_000, " h"), (60_000, " min"), (1000, " s"), (1, " ms"),
      ]
      let first = milliseconds == 0 ? 3 : units.firstIndex { milliseconds >= $0.length } ?? 4
      appendInterpolation(milliseconds / units[first].length)
      appendLiteral(units[first].name)
      guard first + 1 < units.count else { return }
      let rest = milliseconds % units[first].length / units[first + 1].length
      guard rest > 0 else { return }
      appendLiteral(" ")
      appendInterpolation(rest)
      appendLiteral(units[first + 1].name)
    }

    /// Appends text from a file in quotes, or only its length if it is long or looks like a token.
    @inline(never)
    public mutating func appendInterpolation(quoted text: [UInt8]) {
      appendInterpolation(
        MessageText.canShow(text)
          ? "\"\(bytes: text.printable)\""
          : "(a text of \(text.characterCount) characters)")
    }

    /// Appends `a, b and 3 more`: at most `max` texts from outside, made safe for a terminal.
    @inline(never)
    public mutating func appendInterpolation(listed texts: [[UInt8]], max: Int) {
      for index in texts.indices.prefix(max) {
        if index > 0 { appendLiteral(", ") }
        bytes += texts[index].printable
      }
      if texts.count > max { appendInterpolation(" and \(texts.count - max) more" as MessageText) }
    }

    /// Appends `a, b or c`.
    @inline(never)
    public mutating func appendInterpolation(anyOf words: [[UInt8]]) {
      for index in words.indices {
        if index > 0 { appendLiteral(index == words.count - 1 ? " or " : ", ") }
        bytes += words[index]
      }
    }

    /// Appends `a, b or c`.
    public mutating func appendInterpolation(anyOf words: [StaticString]) {
      appendInterpolation(anyOf: words.map { [UInt8]($0) })
    }
  }
}

extension MessageText {
  /// Concatenates two messages.
  public static func + (left: MessageText, right: MessageText) -> MessageText {
    MessageText(bytes: left.bytes + right.bytes)
  }

  /// Message with a full stop, unless it ends with a question mark.
  public var sentence: MessageText {
    bytes.last == UInt8(ascii: "?") ? self : self + "."
  }
}

extension MessageText.StringInterpolation {
  /// Appends a short text.
  public mutating func appendInterpolation(_ text: InlineText) {
    appendInterpolation(bytes: [UInt8](text.bytes))
  }

  /// Appends a measured duration, to the second.
  public mutating func appendInterpolation(wholeSeconds duration: Duration) {
    appendInterpolation(wholeSeconds: Int(clamping: duration.nanoseconds / 1_000_000_000))
  }

  /// Appends a duration in seconds, in common units.
  public mutating func appendInterpolation(wholeSeconds seconds: Int) {
    appendInterpolation(Duration.seconds(seconds))
  }
}
