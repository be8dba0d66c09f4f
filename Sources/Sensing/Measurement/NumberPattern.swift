public import Bytes

/// The position of a number in a text: `level=*` is the number behind the first `level=` that has
/// one.
///
/// A pattern is literal text around one `*`. A number is an optional sign, digits, and an optional
/// point with digits behind it, of which nine count; `.75` is also a number. Blanks around it are
/// skipped. Digits in groups are not a number: `1,234` has different meanings in different
/// countries.
public struct NumberPattern: Equatable, Sendable {
  /// Maximum size of a pattern, in bytes.
  public static let byteCountMax = 128
  /// Highest line number.
  public static let lineMax = 999

  private let before: [UInt8]
  private let after: [UInt8]
  /// Whether the line, or the whole text, is the number alone, without a pattern.
  private let isWhole: Bool
  /// Line number from 1; nil for the whole text.
  private let line: Int?

  /// The number alone, in the text or in one line of it.
  ///
  /// - Precondition: `line` is 1...`lineMax`.
  public init(line: Int?) {
    precondition(line.map { (1...Self.lineMax).contains($0) } ?? true, "lines count from 1")
    (before, after, isWhole) = ([], [], true)
    self.line = line
  }

  /// Nil if the pattern has not exactly one `*`, is too long, or contains a line end.
  public init?(_ pattern: [UInt8], line: Int?) {
    let place = pattern.firstIndex(of: UInt8(ascii: "*"))
    guard let place, pattern.lastIndex(of: UInt8(ascii: "*")) == place,
      pattern.count <= Self.byteCountMax, !pattern.contains(UInt8(ascii: "\n")),
      line.map({ (1...Self.lineMax).contains($0) }) ?? true
    else { return nil }
    before = [UInt8](pattern[..<place])
    after = [UInt8](pattern[(place + 1)...])
    isWhole = false
    self.line = line
  }

  /// Returns the number in `text`; nil if there is none. A number at the end of a truncated text
  /// may be truncated too, and does not count.
  public func number(in text: Span<UInt8>, isCut: Bool = false) -> FixedPoint? {
    guard let range = range(in: text, isCut: isCut) else { return nil }
    let part = text.extracting(range)
    if isWhole { return part.trimmed().signedDecimal }
    for start in 0...part.count {
      if let number = number(at: start, of: part, isCut: isCut && range.upperBound == text.count) {
        return number
      }
    }
    return nil
  }

  /// Returns the range of a text in the place of a number: the text of the pattern and the rest of
  /// its line, or without a pattern an almost valid number, such as `40,8`. Nil if there is no such
  /// place.
  public func place(in text: Span<UInt8>) -> Range<Int>? {
    guard let range = range(in: text, isCut: false) else { return nil }
    if isWhole { return text.extracting(range).trimmed().isNearlyNumber ? range : nil }
    let words = before.isEmpty ? after : before
    guard !words.isEmpty, let found = text.first(words, in: range) else { return nil }
    if !before.isEmpty {
      return found..<(text.firstIndex(of: UInt8(ascii: "\n"), from: found) ?? text.count)
    }
    var start = found
    while start > range.lowerBound, text[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    return start..<found + after.count
  }

  /// Returns the range of the selected line; nil if there is no such line, or it may continue.
  private func range(in text: Span<UInt8>, isCut: Bool) -> Range<Int>? {
    if line == nil { return isWhole && isCut ? nil : 0..<text.count }
    var start = 0
    for _ in 1..<(line ?? 1) {
      guard let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) else { return nil }
      start = end + 1
    }
    guard let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) else {
      return isWhole && isCut ? nil : start..<text.count
    }
    return start..<end
  }

  /// Returns the number of a pattern match that begins at `start`.
  private func number(at start: Int, of text: Span<UInt8>, isCut: Bool) -> FixedPoint? {
    guard text.count - start >= before.count,
      text.extracting(start..<start + before.count).elementsEqual(before.span)
    else { return nil }
    var begin = start + before.count
    if before.isEmpty {
      // Without text before the number, the number is a whole word.
      if begin > 0, text[begin - 1].isPartOfWord || text.isGroup(at: begin) { return nil }
    } else {
      while begin < text.count, text[begin].isBlank { begin += 1 }
    }
    let end = text.endOfNumber(from: begin)
    guard let end, !(isCut && end == text.count), isFollowed(text, from: end) else { return nil }
    return text.extracting(begin..<end).signedDecimal
  }

  private func isFollowed(_ text: Span<UInt8>, from end: Int) -> Bool {
    guard !after.isEmpty else { return !text.goesOn(at: end) }
    var place = end
    if !after[0].isBlank {
      while place < text.count, text[place].isBlank { place += 1 }
    }
    return text.count - place >= after.count
      && text.extracting(place..<place + after.count).elementsEqual(after.span)
  }
}

extension Span where Element == UInt8 {
  /// Returns the end of the number that begins at `start`; nil if there is none.
  fileprivate func endOfNumber(from start: Int) -> Int? {
    let digits = start < count && self[start].isSign ? start + 1 : start
    let whole = endOfDigits(from: digits)
    if whole < count, self[whole] == UInt8(ascii: ".") {
      let fraction = endOfDigits(from: whole + 1)
      if fraction > whole + 1 { return fraction }
    }
    return whole > digits ? whole : nil
  }

  private func endOfDigits(from start: Int) -> Int {
    var end = start
    while end < count, self[end].isASCIIDigit { end += 1 }
    return end
  }

  /// Whether the apparent number is the beginning of something else: `1.2.3`, `1,234`, `1'234`,
  /// `1e5`, `0x1F`.
  fileprivate func goesOn(at end: Int) -> Bool {
    guard end < count else { return false }
    let next = end + groupMarkLength(at: end)
    if next > end { return next < count && self[next].isASCIIDigit }
    let follower = end + 1 < count ? self[end + 1] : 0
    switch self[end].asciiLowercased {
    case UInt8(ascii: "."), UInt8(ascii: ","): return follower.isASCIIDigit
    case UInt8(ascii: "e"):
      return follower.isASCIIDigit || follower == UInt8(ascii: "-") || follower == UInt8(ascii: "+")
    case UInt8(ascii: "x"): return self[end - 1] == UInt8(ascii: "0")
    default: return false
    }
  }

  /// Whether the digits at `start` follow other digits and an apostrophe: `1'234`.
  fileprivate func isGroup(at start: Int) -> Bool {
    start > 1 && self[start - 1] == UInt8(ascii: "'") && self[start - 2].isASCIIDigit
  }

  /// Returns the number of bytes of the mark between two groups of digits at `place`: an
  /// apostrophe, a no-break space or a thin space; 0 if there is none.
  fileprivate func groupMarkLength(at place: Int) -> Int {
    let rest = extracting(place...)
    if rest.starts(with: "'") { return 1 }
    if rest.starts(with: "\u{A0}") { return 2 }
    let isMark =
      rest.starts(with: "\u{2009}") || rest.starts(with: "\u{202F}")
      || rest.starts(with: "\u{2019}")
    return isMark ? 3 : 0
  }
}

extension Span where Element == UInt8 {
  /// The number, if these bytes are one. The kernel writes no plus, and a digit before each point;
  /// programs may differ.
  fileprivate var signedDecimal: FixedPoint? {
    let digits = count > 0 && self[0].isSign ? 1 : 0
    guard digits < count else { return nil }
    if self[digits] == UInt8(ascii: ".") { return fraction(from: digits) }
    guard self[digits].isASCIIDigit else { return nil }
    return KernelText.decimal(self[0] == UInt8(ascii: "+") ? extracting(1...) : self)
  }

  /// Returns the number with the point at `point` and only a sign before it.
  private func fraction(from point: Int) -> FixedPoint? {
    var text = self[0] == UInt8(ascii: "-") ? [UInt8]("-0") : [UInt8]("0")
    for index in point..<count { text.append(self[index]) }
    return KernelText.decimal(text.span)
  }

  fileprivate var isNearlyNumber: Bool {
    var place = 0
    while place < count {
      let mark = groupMarkLength(at: place)
      guard mark > 0 || self[place].isOfNumber else { return false }
      place += max(mark, 1)
    }
    return count > 0
  }

  /// Returns the start of the first match of `bytes`; nil if there is none.
  fileprivate func first(_ bytes: [UInt8], in range: Range<Int>) -> Int? {
    guard range.count >= bytes.count else { return nil }
    for start in range.lowerBound...(range.upperBound - bytes.count)
    where extracting(start..<start + bytes.count).elementsEqual(bytes.span) {
      return start
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isSign: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "+") }

  fileprivate var isOfNumber: Bool {
    isASCIIDigit || isSign || self == UInt8(ascii: ".") || self == UInt8(ascii: ",")
  }

  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

  fileprivate var isPartOfWord: Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return isASCIIDigit || letters.contains(asciiLowercased) || self > 0x7F
      || self == UInt8(ascii: "_") || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
      || self == UInt8(ascii: ",")
  }
}
