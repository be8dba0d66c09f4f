public import Bytes

/// Text of a configuration file, before its structure is parsed.
struct ConfigurationSource {
  /// Maximum size of the file in bytes. 64 sensors with all settings need about 12 KiB.
  static let bytesMax = 65536
  /// Maximum number of stored comments.
  private static let commentsMax = 64

  /// Comment after a text on the same line.
  struct Comment {
    let mark: TextMark
    /// Whether a letter or a digit directly follows the `#`, as in the name of a berth.
    let isTight: Bool
  }

  /// Position of the end of the text.
  private(set) var end = TextMark.start
  /// First comments of the text, in their order.
  private(set) var comments: [Comment] = []
  private let source: [UInt8]

  /// Scans the text; nil, reported, unless `source` is UTF-8 without control characters and without
  /// spaces that YAML does not treat as such, so that every position in it is exact.
  init?(_ source: [UInt8], problems: ProblemCollector) {
    self.source = source
    func refuse(_ problem: MessageText, remedy: MessageText) {
      problems.report(at: end, .root, problem, remedy: remedy)
    }
    guard source.count <= Self.bytesMax else {
      refuse("the file has \(source.count) bytes", remedy: "the most is \(Self.bytesMax)")
      return nil
    }
    let isUTF16 =
      source.count >= 2
      && ((source[0] == 0xFF && source[1] == 0xFE) || (source[0] == 0xFE && source[1] == 0xFF))
    guard !isUTF16 else {
      refuse("the file is UTF-16", remedy: "save it as UTF-8")
      return nil
    }
    var line = LineScanner()
    var previous: UInt32?
    var index = source.span.starts(with: "\u{FEFF}") ? 3 : 0
    while index < source.count {
      let character = source.span.character(at: index)
      guard let scalar = character.scalar else {
        refuse("the file is not UTF-8 here", remedy: "save it as UTF-8")
        return nil
      }
      guard scalar != 0 else {
        refuse("there is a NUL byte here", remedy: "is this the right file?")
        return nil
      }
      if let unseen = UnseenCharacter(scalar),
        character.isInvisibleControl || !line.mayHold(unseen)
      {
        refuse("there is \(unseen.name) (\(codePoint: scalar)) here", remedy: unseen.remedy)
        return nil
      }
      guard character.isFitForConfiguration else {
        refuse("there is an invisible control character here", remedy: "delete it")
        return nil
      }
      if line.isCommentBehindText(scalar), comments.count < Self.commentsMax {
        let next = character.end < source.count ? source[character.end] : 0
        comments.append(Comment(mark: end, isTight: next.isLetterOrDigit || next >= 0x80))
      }
      end.advance(over: scalar, after: previous)
      previous = scalar
      index = character.end
    }
  }

  /// Returns the text of a line before a column; without a column, the whole line.
  func text(ofLine line: Int, before column: Int = .max) -> ArraySlice<UInt8> {
    var (mark, previous): (TextMark, UInt32?) = (.start, nil)
    var index = source.span.starts(with: "\u{FEFF}") ? 3 : 0
    var begin = index
    while index < source.count, mark < TextMark(line: line, column: column) {
      let character = source.span.character(at: index)
      let scalar = character.scalar ?? 0
      mark.advance(over: scalar, after: previous)
      if mark.line > line { break }
      (previous, index) = (scalar, character.end)
      if mark.column == 1 { begin = index }
    }
    return source[min(begin, index)..<index]
  }
}

private let tab: UInt32 = 0x09
private let lineFeed: UInt32 = 0x0A
private let carriageReturn: UInt32 = 0x0D
private let space: UInt32 = 0x20

/// Detects the comment of a line, as far as quotes and blanks decide that.
private struct LineScanner {
  /// Characters after which a quoted text may begin, and a comment cuts off no value.
  private static let signs: StaticString = ",[]{}:-|>?\"'"

  /// Quotation mark that is open.
  private var quote: UInt32?
  private var isEscaped = false
  private var isComment = false
  /// Last character of this line, and its last one that is not a blank.
  private var last: UInt32?
  private var lastVisible: UInt32?

  /// Whether `unseen` may come next: it is harmless in a comment, and some belong to names.
  func mayHold(_ unseen: UnseenCharacter) -> Bool {
    isComment || quote != nil && unseen.isOfNames
  }

  /// Advances over a character. Returns whether it begins a comment that ends a text.
  mutating func isCommentBehindText(_ scalar: UInt32) -> Bool {
    if scalar == lineFeed || scalar == carriageReturn {
      (isComment, isEscaped, last, lastVisible) = (false, false, nil, nil)
      return false
    }
    guard !isComment else { return false }
    defer { last = scalar }
    if scalar == space || scalar == tab { return false }
    if let quote {
      let isEnd = scalar == quote && !isEscaped
      isEscaped = !isEscaped && quote == UInt32(UInt8(ascii: "\"")) && scalar == 0x5C
      if isEnd { self.quote = nil }
    } else if scalar == UInt32(UInt8(ascii: "#")), last ?? space == space || last == tab {
      isComment = true
      return lastVisible.map { !Self.isSign($0) } ?? false
    } else if scalar == UInt32(UInt8(ascii: "\"")) || scalar == UInt32(UInt8(ascii: "'")),
      lastVisible.map({ Self.isSign($0) }) ?? true
    {
      quote = scalar
    }
    lastVisible = scalar
    return false
  }

  private static func isSign(_ scalar: UInt32) -> Bool {
    UInt8(exactly: scalar).map { signs.bytes.firstIndex(of: $0) != nil } ?? false
  }
}

/// Character that looks like a space or like nothing, but does not mean a space to YAML. Characters
/// that join letters and pictures are allowed in names.
private struct UnseenCharacter {
  let name: StaticString
  let remedy: MessageText
  /// Whether people write the character between the words of a name, such as a Japanese one.
  let isOfNames: Bool

  init?(_ scalar: UInt32) {
    let isSpace: Bool
    switch scalar {
    case 0xA0: (name, isSpace) = ("a no-break space", true)
    case 0x202F: (name, isSpace) = ("a narrow no-break space", true)
    case 0x1680, 0x2000...0x200A, 0x205F, 0x3000: (name, isSpace) = ("another kind of space", true)
    case 0xAD: (name, isSpace) = ("a soft hyphen", false)
    case 0x200B: (name, isSpace) = ("a zero-width space", false)
    case 0x2060: (name, isSpace) = ("a word joiner", false)
    case 0xFEFF: (name, isSpace) = ("a byte order mark", false)
    case 0x2800: (name, isSpace) = ("a blank Braille pattern", true)
    case 0x3164: (name, isSpace) = ("a Hangul filler", true)
    case 0x061C: (name, isSpace) = ("an Arabic letter mark", false)
    case 0x200E: (name, isSpace) = ("a left-to-right mark", false)
    case 0x200F: (name, isSpace) = ("a right-to-left mark", false)
    case 0x202A...0x202E, 0x2066...0x2069:
      (name, isSpace) = ("a mark that turns the direction of writing", false)
    default: return nil
    }
    isOfNames = scalar == 0xA0 || scalar == 0x3000
    remedy = isSpace ? "write a plain space" : "delete it"
  }
}

extension MessageText.StringInterpolation {
  /// Appends `U+00A0`.
  fileprivate mutating func appendInterpolation(codePoint scalar: UInt32) {
    appendInterpolation(bytes: [UInt8]("U+"))
    for shift: UInt32 in [12, 8, 4, 0] {
      let digit = UInt8(truncatingIfNeeded: scalar >> shift) & 15
      let letter = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
      appendInterpolation(bytes: [letter])
    }
  }
}

extension TextCharacter {
  /// Whether YAML accepts the character, which excludes control characters and two others. Some of
  /// them end a line for YAML but not for an editor, so positions would differ.
  fileprivate var isFitForConfiguration: Bool {
    switch scalar {
    case tab, lineFeed, carriageReturn: true
    case 0xFFFE, 0xFFFF: false
    default: !isInvisibleControl
    }
  }
}

extension TextMark {
  /// Advances the mark over `scalar`; a carriage return and a line feed are one line end.
  fileprivate mutating func advance(over scalar: UInt32, after previous: UInt32?) {
    switch scalar {
    case lineFeed where previous == carriageReturn: return
    case lineFeed, carriageReturn: self = TextMark(line: line + 1, column: 1)
    default: column += 1
    }
  }
}

extension MessageText.StringInterpolation {
  /// Appends text that `canBeQuoted` as a value of YAML, also inside the braces of a mapping: in
  /// quotes, unless it consists of letters, digits and signs without a meaning in YAML.
  @inline(never)
  public mutating func appendInterpolation(yaml text: [UInt8]) {
    guard !text.isPlainYAML else { return appendInterpolation(bytes: text) }
    var quoted = [UInt8(ascii: "\"")]
    for byte in text {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        quoted.append(UInt8(ascii: "\\"))
      }
      quoted.append(byte)
    }
    appendInterpolation(bytes: quoted + [UInt8(ascii: "\"")])
  }
}

extension [UInt8] {
  /// Whether the text is valid in a configuration: UTF-8, not empty and without unseen characters.
  public var canBeQuoted: Bool { !isEmpty && quotable == self }

  /// Text that is valid in a configuration: invalid characters become `?` or U+FFFD.
  public var quotable: [UInt8] {
    var text = printable
    var index = 0
    while index < text.count {
      let character = text.span.character(at: index)
      let isRefused = character.scalar == 0xFFFE || character.scalar == 0xFFFF
      if isRefused { text.replaceSubrange(index..<character.end, with: [UInt8(ascii: "?")]) }
      index = isRefused ? index + 1 : character.end
    }
    return text
  }

  /// Whether the text needs no quotes and is neither a number nor a special word for any reader of
  /// YAML. It begins with a letter, a digit or a slash.
  fileprivate var isPlainYAML: Bool {
    guard let first, let last, first == UInt8(ascii: "/") || first.isLetterOrDigit,
      last != UInt8(ascii: " ")
    else { return false }
    for byte in self {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "@"): continue
      default: guard byte.isLetterOrDigit || byte.isDashOrUnderscore else { return false }
      }
    }
    let words: [StaticString] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
    let lowercase = lowercasedASCII
    if words.contains(where: { lowercase.span.elementsEqual($0) }) { return false }
    // Such as 28-0316a2796cff; digits alone, and 1e5, are numbers for other readers.
    return !first.isASCIIDigit || contains(UInt8(ascii: "-"))
  }
}
