import Bytes

/// JSON for people. A terminal executes no character of it: controls are written as JSON escapes.
extension JSON {
  /// Lines with a member or an element each, indented by two spaces for each level. A text that
  /// stands alone is shown as its lines.
  var lines: [UInt8] {
    var shown: [UInt8]
    if case .text(let text) = self {
      shown = text.bytes.forTerminal.escapedLines
    } else {
      shown = JSONIndenter(serialized().forTerminal).shown
    }
    shown.append(UInt8(ascii: "\n"))
    return shown
  }
}

/// Returns a JSON object on a line of its own, with the members that `writeMembers` appends.
func jsonLine(_ writeMembers: (inout ByteBuffer) -> Void) -> [UInt8] {
  var capacity = 16 * 1024
  while true {
    var line = ByteBuffer(capacity: capacity)
    line.openJSONObject()
    writeMembers(&line)
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
    if !line.isOverflowed, !line.hasLeftOut { return [UInt8](line.bytes) }
    capacity *= 2
  }
}

extension ByteBuffer {
  /// Appends a member whose value is an array, with what `write` appends for each element.
  mutating func appendMember<Element>(
    _ key: StaticString, _ elements: [Element], _ write: (Element, inout ByteBuffer) -> Void
  ) {
    appendJSON(key: key)
    openJSONArray()
    for element in elements { write(element, &self) }
    closeJSONArray()
  }
}

extension JSONObject {
  /// Lines of the members, each after four spaces: the key, and the value as JSON.
  var lines: [UInt8] {
    var shown: [UInt8] = []
    for (key, value) in members {
      shown += "    ".utf8 + key.bytes.printable + ": ".utf8 + value.serialized().forTerminal
      shown.append(UInt8(ascii: "\n"))
    }
    return shown
  }
}

extension [UInt8] {
  /// Text with an escape for each control character except line ends and tabs.
  fileprivate var escapedLines: [UInt8] {
    var shown: [UInt8] = []
    for byte in self {
      let isLayout = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
      if byte < 0x20, !isLayout {
        shown += jsonEscape(of: UInt32(byte))
      } else {
        shown.append(byte)
      }
    }
    return shown
  }
}

/// Formatter of JSON without spaces into indented lines.
private struct JSONIndenter {
  private(set) var shown: [UInt8] = []
  private var depth = 0
  private var isText = false
  private var isEscaped = false

  init(_ json: [UInt8]) {
    for index in json.indices {
      append(json[index], before: index + 1 < json.count ? json[index + 1] : 0)
    }
  }

  private mutating func append(_ byte: UInt8, before next: UInt8) {
    if isText { return appendInText(byte) }
    if Self.closes(byte) { close() }
    shown.append(byte)
    switch byte {
    case UInt8(ascii: "\""): isText = true
    case UInt8(ascii: ":"): shown.append(UInt8(ascii: " "))
    case UInt8(ascii: ","): beginLine()
    case _ where Self.opens(byte):
      depth += 1
      if !Self.closes(next) { beginLine() }
    default: break
    }
  }

  private mutating func appendInText(_ byte: UInt8) {
    shown.append(byte)
    isText = isEscaped || byte != UInt8(ascii: "\"")
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
  }

  private mutating func close() {
    depth -= 1
    if let last = shown.last, !Self.opens(last) { beginLine() }
  }

  private mutating func beginLine() {
    shown += "\n".utf8 + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth)
  }

  private static func opens(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  private static func closes(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }
}
