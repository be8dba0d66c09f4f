import Bytes

/// Replacement of what identifies a person, a place or a device in a text for strangers: of the
/// hidden texts, and of all that looks like an address, a serial number, a position or a token. The
/// same text gets the same number everywhere.
final class Redaction {
  /// More texts than a right configuration and a board have. In a wrong one, no more are searched
  /// for, and the findings quote none.
  private static let hiddenMax = 1000
  /// Words of the configuration that say nothing about a person.
  private static let plainWords: [StaticString] = ["true", "false", "auto", "off", "on"]

  /// Texts that are hidden wherever they stand as a word, in lower case.
  private var words: [[UInt8]] = []
  /// All texts that were replaced, in lower case; the place in the list is the number.
  private var hidden: [[UInt8]] = []

  /// Hides a text wherever it stands as a word; returns what is shown in its place. A source shows
  /// only the beginning of a long name, which is hidden, too, and so is the host of an address.
  @discardableResult
  func hide(_ text: [UInt8]) -> [UInt8] {
    let isPlain = Self.plainWords.contains { text.span.elementsEqual($0) }
    // A small number stands everywhere, and means something else there.
    let isSmall = text.count < 2 || text.count < 4 && text.allSatisfy { $0.isASCIIDigit }
    guard !isPlain, !isSmall, words.count < Self.hiddenMax else { return [UInt8]("<hidden>") }
    words.append(text.lowercasedASCII)
    let label = label(of: text)
    let beginning = InlineText(text.span)
    if beginning.count < text.count { hide([UInt8](beginning.bytes)) }
    guard let address = text.addressPlace(at: 0, end: text.count) else { return label }
    let host = [UInt8](text[address.hidden])
    if host.count >= 4, !host.isOfThisBoard { words.append(host.lowercasedASCII) }
    return text.addressPlace(at: 0)?.end == text.count ? redact(text) : label
  }

  private func label(of text: [UInt8]) -> [UInt8] {
    let text = text.lowercasedASCII
    var number = hidden.firstIndex(of: text)
    if number == nil, hidden.count < Self.hiddenMax {
      number = hidden.count
      hidden.append(text)
    }
    return number.map { ("<hidden \($0 + 1)>" as MessageText).bytes } ?? [UInt8]("<hidden>")
  }

  /// Returns the text without them. `isForeign`: whether it may hold texts from outside, which
  /// stand in quotes, and positions.
  func redact(_ text: [UInt8], isForeign: Bool = true) -> [UInt8] {
    var shown: [UInt8] = []
    var index = 0
    while index < text.count {
      let known = knownEnd(at: index, in: text)
      if isForeign, known == index, let end = text.quoteEnd(at: index) {
        shown += [UInt8]("\"…\"")
        index = end
      } else if let place = text.place(at: index, isForeign: isForeign), place.end >= known {
        shown += text[index..<place.prefixEnd] + label(of: [UInt8](text[place.hidden]))
        shown += text[place.hidden.upperBound..<place.suffixEnd]
        index = place.end
      } else if known > index {
        shown += label(of: [UInt8](text[index..<known]))
        index = known
      } else {
        shown.append(text[index])
        index += 1
      }
    }
    return shown
  }

  /// Returns the end of the longest hidden text that begins here; `index` without one.
  private func knownEnd(at index: Int, in text: [UInt8]) -> Int {
    var end = index
    for word in words where word.count > end - index && text.hasWord(word, at: index) {
      end = index + word.count
    }
    return end
  }
}

/// Place in a text that is not for strangers.
struct RedactedPlace {
  /// End of what is shown before it, such as `https://`.
  let prefixEnd: Int
  let hidden: Range<Int>
  /// End of what is shown after it, such as a port.
  let suffixEnd: Int
  let end: Int

  init(_ hidden: Range<Int>, prefixEnd: Int? = nil, suffixEnd: Int? = nil, end: Int? = nil) {
    self.prefixEnd = prefixEnd ?? hidden.lowerBound
    self.hidden = hidden
    self.suffixEnd = suffixEnd ?? hidden.upperBound
    self.end = end ?? hidden.upperBound
  }
}

extension UInt8 {
  /// Whether it is part of a word; bytes beyond ASCII are letters.
  fileprivate var isOfWord: Bool { isLetterOrDigit || self >= 0x80 }
  fileprivate var isHexadecimal: Bool { hexadecimalValue(of: self) != nil }

  /// Whether it ends a path or an address in a sentence.
  fileprivate var isEndOfPath: Bool {
    isASCIISpace || [UInt8]("\"'<>,;)}").contains(self)
  }
}

extension [UInt8] {
  fileprivate func isWordStart(_ index: Int) -> Bool { index == 0 || !self[index - 1].isOfWord }

  /// Whether it is an address by which a board reaches itself.
  fileprivate var isOfThisBoard: Bool {
    span.starts(with: "127.") || span.elementsEqual("localhost") || span.elementsEqual("0.0.0.0")
  }

  fileprivate func has(_ literal: StaticString, at index: Int) -> Bool {
    span.extracting(index...).starts(with: literal)
  }

  /// Whether this lower-case text stands here in either case, and is not a part of a longer word.
  fileprivate func hasWord(_ word: [UInt8], at index: Int) -> Bool {
    let end = index + word.count
    guard end <= count, self[index].asciiLowercased == word[0] else { return false }
    for offset in word.indices where self[index + offset].asciiLowercased != word[offset] {
      return false
    }
    let isBegun = word[0].isOfWord && !isWordStart(index)
    return !isBegun && (end == count || !self[end].isOfWord || !self[end - 1].isOfWord)
  }

  fileprivate func run(from start: Int, while isPart: (UInt8) -> Bool) -> Int {
    var end = start
    while end < count, isPart(self[end]) { end += 1 }
    return end
  }

  private func number(of byte: UInt8, in range: Range<Int>) -> Int {
    self[range].reduce(into: 0) { if $1 == byte { $0 += 1 } }
  }

  /// Returns the end of a text in quotes, or of the line if its quote is not closed.
  fileprivate func quoteEnd(at index: Int) -> Int? {
    guard self[index] == UInt8(ascii: "\""), isWordStart(index) else { return nil }
    var end = index + 1
    while end < count, self[end] != UInt8(ascii: "\n") {
      end += 1
      let isQuote = self[end - 1] == UInt8(ascii: "\"")
      // In the middle of a word it belongs to the text.
      if isQuote, end == count || !self[end].isOfWord { return end }
    }
    return end
  }

  fileprivate func place(at index: Int, isForeign: Bool) -> RedactedPlace? {
    guard isWordStart(index) else { return nil }
    return addressPlace(at: index) ?? pathPlace(at: index) ?? hardwarePlace(at: index)
      ?? numberPlace(at: index, isForeign: isForeign) ?? identifierPlace(at: index)
  }

  private func endOfPath(from start: Int) -> Int {
    var end = run(from: start) { !$0.isEndOfPath }
    while end > start, self[end - 1] == UInt8(ascii: ":") || self[end - 1] == UInt8(ascii: ".") {
      end -= 1
    }
    return end
  }

  /// Returns the host of an address with a scheme; of the rest only the port is shown.
  fileprivate func addressPlace(at index: Int, end: Int? = nil) -> RedactedPlace? {
    let scheme = run(from: index) { $0.isLetterOrDigit }
    guard scheme > index, has("://", at: scheme) else { return nil }
    let start = scheme + 3
    let end = end ?? endOfPath(from: start)
    let marks = [UInt8]("/?#")
    let authorityEnd = run(from: start) { !marks.contains($0) }
    let stop = Swift.min(authorityEnd, end)
    let at = self[start..<stop].lastIndex(of: UInt8(ascii: "@"))
    let host = at.map { $0 + 1 } ?? start
    guard host < stop else { return end > start ? RedactedPlace(start..<end) : nil }
    let colon = self[host..<stop].lastIndex(of: UInt8(ascii: ":"))
    let port = colon.flatMap { colon in
      (2...6).contains(stop - colon) && run(from: colon + 1) { $0.isASCIIDigit } == stop
        ? colon : nil
    }
    let hidden = host..<Swift.max(port ?? stop, host + 1)
    return RedactedPlace(hidden, prefixEnd: start, suffixEnd: stop, end: end)
  }

  /// Returns the part of a path that a person or a maker named, or a sentence of a GPS receiver.
  private func pathPlace(at index: Int) -> RedactedPlace? {
    let folders: [StaticString] = [
      "/home/", "/media/", "/mnt/", "/srv/", "/root/", "/run/user/", "/run/media/", "by-id/",
    ]
    for folder in folders where has(folder, at: index) {
      let start = index + folder.utf8CodeUnitCount
      var end = endOfPath(from: start)
      // A line and a column of a file.
      let colon = (start..<end).dropLast().first { has(":", at: $0) && self[$0 + 1].isASCIIDigit }
      end = colon ?? end
      if end > start { return RedactedPlace(start..<end, prefixEnd: start) }
    }
    guard has("$", at: index), index + 1 < count, self[index + 1].isLetterOrDigit else {
      return nil
    }
    return RedactedPlace(index..<run(from: index) { !$0.isASCIISpace && $0 != UInt8(ascii: "\"") })
  }

  /// Returns a hardware address, an address of IPv6, or a UUID.
  private func hardwarePlace(at index: Int) -> RedactedPlace? {
    for (mark, leastCount) in [(UInt8(ascii: ":"), 5), (UInt8(ascii: "-"), 4)] {
      var end = run(from: index) { $0.isHexadecimal || $0 == mark }
      if end > index + 2, self[end - 1] == mark, self[end - 2] != mark { end -= 1 }
      let count = number(of: mark, in: index..<end)
      let isShort = mark == UInt8(ascii: ":") && (index..<end).contains { has("::", at: $0) }
      guard end - index > count + 1, count >= leastCount || isShort else { continue }
      return RedactedPlace(index..<end)
    }
    return nil
  }

  /// Returns an address of IPv4, but not of this board, or a number that may be a position.
  private func numberPlace(at index: Int, isForeign: Bool) -> RedactedPlace? {
    let dot = UInt8(ascii: ".")
    guard self[index].isASCIIDigit, index == 0 || self[index - 1] != dot else { return nil }
    var end = run(from: index) { $0.isASCIIDigit || $0 == dot }
    while self[end - 1] == dot { end -= 1 }
    let place = RedactedPlace(index..<end)
    switch number(of: dot, in: index..<end) {
    case 3: return [UInt8](self[index..<end]).isOfThisBoard ? nil : place
    case 1:
      let decimals = self[index..<end].lastIndex(of: dot).map { end - $0 - 1 } ?? 0
      return isForeign && decimals >= 3 ? place : nil
    default: return nil
    }
  }

  /// Returns a word that is a serial number, a fingerprint or a token.
  private func identifierPlace(at index: Int) -> RedactedPlace? {
    let end = run(from: index) { $0.isLetterOrDigit }
    let digits = self[index..<end].reduce(into: 0) { if $1.isASCIIDigit { $0 += 1 } }
    var (longest, length) = (0, 0)
    for byte in self[index..<end] {
      length = byte.isHexadecimal ? length + 1 : 0
      longest = Swift.max(longest, length)
    }
    let count = end - index
    let isLong = digits > 0 && (longest >= 12 || count >= 16)
    guard isLong || digits >= 4 && count >= 10 else { return nil }
    return RedactedPlace(index..<end)
  }
}
