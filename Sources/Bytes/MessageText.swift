/// A sentence for the user, put together without `String`, whose comparison would link the Unicode
/// tables into the shipped binary.
///
/// Text from the file gets in through `quoted:` only, which makes it safe to show.
public struct MessageText: ExpressibleByStringInterpolation, Sendable {
  /// A longer text is described, not shown: a token that was pasted into the wrong line must not
  /// end up in a log. 40 characters hold every word and number that can be right.
  public static let quotedCharactersMax = 40

  /// The sentence in UTF-8.
  public let bytes: [UInt8]

  /// Bytes that are known not to come from the file.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a text from the file is neither long nor looks like an access token (a JSON Web Token,
  /// which begins with an encoded brace and quote).
  public static func canShow(_ text: [UInt8]) -> Bool {
    text.characterCount <= quotedCharactersMax && !text.span.starts(with: "eyJ")
  }

  /// The text of a literal.
  public init(stringLiteral text: StaticString) { bytes = [UInt8](text) }

  /// A literal with values in it.
  public init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

  /// Puts a literal and the values in it together.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    /// An empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// The compiler appends an empty literal before and after each interpolation at an end.
    @inline(__always)
    public mutating func appendLiteral(_ text: StaticString) {
      if text.utf8CodeUnitCount > 0 { appendInterpolation(text) }
    }
    /// A text that the program knows.
    @inline(never)
    public mutating func appendInterpolation(_ text: StaticString) { bytes += [UInt8](text) }
    /// Another sentence, or a part of one.
    @inline(never)
    public mutating func appendInterpolation(_ text: MessageText) { bytes += text.bytes }
    /// Bytes that are known to be fit for showing.
    @inline(never)
    public mutating func appendInterpolation(bytes shown: [UInt8]) { bytes += shown }
    /// A number in decimal digits.
    @inline(never)
    public mutating func appendInterpolation(_ number: Int) { append(decimal: Int64(number)) }
    private mutating func append(decimal number: Int64) {
      var digits = ByteBuffer(capacity: 20)
      digits.append(decimal: number)
      bytes += [UInt8](digits.bytes)
    }

    /// How many there are of something: `1 location`, `2 locations`.
    @inline(never)
    public mutating func appendInterpolation(_ count: Int, _ noun: StaticString) {
      append(decimal: Int64(count))
      appendLiteral(" ")
      appendLiteral(noun)
      if count != 1 { appendLiteral("s") }
    }

    /// A length of time in the two largest units that people would say: `3 d 4 h`, `5 min`, `8 s`.
    @inline(never)
    public mutating func appendInterpolation(_ duration: Duration) {
      let milliseconds = max(duration.nanoseconds / 1_000_000, 0)
      let units: [(length: Int64, name: StaticString)] = [
        (86_400_000, " d"), (3_600_000, " h"), (60_000, " min"), (1000, " s"), (1, " ms"),
      ]
      let first = milliseconds == 0 ? 3 : units.firstIndex { milliseconds >= $0.length } ?? 4
      append(decimal: milliseconds / units[first].length)
      appendLiteral(units[first].name)
      guard first + 1 < units.count else { return }
      let rest = milliseconds % units[first].length / units[first + 1].length
      guard rest > 0 else { return }
      appendLiteral(" ")
      append(decimal: rest)
      appendLiteral(units[first + 1].name)
    }

    /// Text from the file in quotes, or its length where it is long or looks like a token.
    @inline(never)
    public mutating func appendInterpolation(quoted text: [UInt8]) {
      appendInterpolation(
        MessageText.canShow(text)
          ? "\"\(bytes: text.printable)\""
          : "(a text of \(text.characterCount) characters)")
    }

    /// `a, b and 3 more`: at most so many texts from outside, fit for a terminal.
    @inline(never)
    public mutating func appendInterpolation(listed texts: [[UInt8]], max: Int) {
      for index in texts.indices.prefix(max) {
        if index > 0 { appendLiteral(", ") }
        bytes += texts[index].printable
      }
      if texts.count > max { appendInterpolation(" and \(texts.count - max) more" as MessageText) }
    }

    /// `a, b or c`
    @inline(never)
    public mutating func appendInterpolation(anyOf words: [StaticString]) {
      for index in words.indices {
        if index > 0 { appendLiteral(index == words.count - 1 ? " or " : ", ") }
        appendLiteral(words[index])
      }
    }
  }
}

extension MessageText {
  /// One text behind the other.
  public static func + (left: MessageText, right: MessageText) -> MessageText {
    MessageText(bytes: left.bytes + right.bytes)
  }

  /// The text with a full stop, unless it ends with a mark of its own.
  public var sentence: MessageText {
    bytes.last == UInt8(ascii: "?") ? self : self + "."
  }
}

extension MessageText.StringInterpolation {
  /// A short text, as it is.
  public mutating func appendInterpolation(_ text: InlineText) {
    appendInterpolation(bytes: [UInt8](text.bytes))
  }

  /// A length of time that was measured, to the second.
  public mutating func appendInterpolation(wholeSeconds duration: Duration) {
    appendInterpolation(wholeSeconds: Int(clamping: duration.nanoseconds / 1_000_000_000))
  }

  /// A length of time in seconds, in the units that people would say.
  public mutating func appendInterpolation(wholeSeconds seconds: Int) {
    appendInterpolation(Duration.seconds(seconds))
  }
}
