import Board
import Bytes

/// A JSON value as people read it: a member or an element on each line, the way YAML writes it.
///
///     name: Harbour
///     position: [52.93, 5.03]
///     zones:
///       - entity_id: zone.home
///         radius: 100
///
/// A text stands in quotes where it could be taken for something else, or holds characters that a
/// terminal could obey; those are written as JSON escapes.
struct JSONPrinter {
  private(set) var bytes: [UInt8] = []

  /// Appends a value, each of its lines indented by so many pairs of spaces. A text that stands
  /// alone is shown as the lines it is made of.
  mutating func append(_ json: JSON, depth: Int = 0) {
    switch json {
    case .text(let text): appendLines(of: text.bytes, depth: depth)
    default:
      beginLine(at: depth)
      appendBlock(json, at: depth)
    }
  }

  private mutating func beginLine(at depth: Int) {
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func append(_ text: StaticString) { bytes += [UInt8](text) }

  // MARK: Blocks

  /// Appends a value whose first line has begun.
  private mutating func appendBlock(_ json: JSON, at depth: Int) {
    switch json {
    case .object(let members) where !members.isEmpty: append(members, at: depth)
    case .array(let elements) where json.isBlock: append(elements, at: depth)
    default:
      appendWord(json)
      append("\n")
    }
  }

  private mutating func append(_ object: JSONObject, at depth: Int) {
    for index in object.members.indices {
      if index > 0 { beginLine(at: depth) }
      let member = object.members[index]
      append(word: member.key.bytes)
      append(":")
      if member.value.isBlock {
        append("\n")
        beginLine(at: depth + 1)
      } else {
        append(" ")
      }
      appendBlock(member.value, at: depth + 1)
    }
  }

  private mutating func append(_ elements: [JSON], at depth: Int) {
    for index in elements.indices {
      if index > 0 { beginLine(at: depth) }
      append("- ")
      appendBlock(elements[index], at: depth + 1)
    }
  }

  // MARK: Words

  /// Appends a value that needs no line of its own.
  private mutating func appendWord(_ json: JSON) {
    switch json {
    case .text(let text): append(word: text.bytes)
    case .array(let numbers):
      append("[")
      for index in numbers.indices {
        if index > 0 { append(", ") }
        appendWord(numbers[index])
      }
      append("]")
    default: bytes += json.serialized()
    }
  }

  private mutating func append(word text: [UInt8]) {
    if text.isPlainWord { bytes += text } else { append(quoted: text) }
  }

  private mutating func append(quoted text: [UInt8]) {
    append("\"")
    forEachCharacter(of: text) { printer, character, bytes in
      switch character.scalar {
      case 0x22, 0x5C: printer.bytes += [UInt8(ascii: "\\")] + bytes
      case 0x0A: printer.append("\\n")
      case 0x09: printer.append("\\t")
      default: printer.append(character, bytes)
      }
    }
    append("\"")
  }

  private mutating func appendLines(of text: [UInt8], depth: Int) {
    beginLine(at: depth)
    forEachCharacter(of: text) { printer, character, bytes in
      switch character.scalar {
      case 0x0A:
        printer.append("\n")
        printer.beginLine(at: depth)
      case 0x09: printer.append("\t")
      default: printer.append(character, bytes)
      }
    }
    append("\n")
  }

  private mutating func forEachCharacter(
    of text: [UInt8], _ body: (inout JSONPrinter, TextCharacter, ArraySlice<UInt8>) -> Void
  ) {
    var index = 0
    while index < text.count {
      let character = text.span.character(at: index)
      body(&self, character, text[index..<character.end])
      index = character.end
    }
  }

  /// Appends a character as it is, or what stands for it: no terminal obeys that.
  private mutating func append(_ character: TextCharacter, _ shown: ArraySlice<UInt8>) {
    guard let scalar = character.scalar else { return append("\u{FFFD}") }
    guard character.isInvisibleControl else { return bytes += shown }
    bytes += jsonEscape(of: scalar)
  }
}

extension JSON {
  /// Whether it takes lines of its own.
  fileprivate var isBlock: Bool {
    switch self {
    case .object(let members): !members.isEmpty
    case .array(let elements): elements.contains { $0.kind != .number }
    default: false
    }
  }
}

extension [UInt8] {
  /// Whether a reader of YAML takes it for this very text without quotes.
  fileprivate var isPlainWord: Bool {
    guard let first, let last, !Self.beginsSomethingElse(first), last != UInt8(ascii: " "),
      last != UInt8(ascii: ":"), isUTF8, !hasInvisibleControl, JSONNumber(span) == nil
    else { return false }
    switch Text(lowercasedASCII) {
    case "null", "true", "false": return false
    default: return !beginsKeyOrRemarkWithin
    }
  }

  private static func beginsSomethingElse(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case " ", "!", "\"", "#", "%", "&", "'", "*", "+", ",", "-", ".", ":", "<", "=", ">", "?", "@",
      "[",
      "]", "`", "{", "|", "}", "~":
      true
    default: false
    }
  }

  private var beginsKeyOrRemarkWithin: Bool {
    for index in indices.dropLast() {
      switch (Unicode.Scalar(self[index]), Unicode.Scalar(self[index + 1])) {
      case (":", " "), (" ", "#"): return true
      default: continue
      }
    }
    return false
  }

  private var isUTF8: Bool {
    var index = 0
    while index < count {
      let character = span.character(at: index)
      if character.scalar == nil { return false }
      index = character.end
    }
    return true
  }
}
