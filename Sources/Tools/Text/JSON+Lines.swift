import Bytes

/// JSON for people. A terminal executes no character of it: controls are written as JSON escapes.
extension JSON {
  /// Lines with a member or an element each, indented by two spaces for each level. A text that
  /// stands alone is shown as its lines.
  var lines: [UInt8] {
    let shown =
      if case .text(let text) = self { text.bytes.forTerminal.escapedLines } else { indented() }
    return shown + "\n".utf8
  }

  private func indented(by indent: Int = 0) -> [UInt8] {
    let brackets: (StaticString, StaticString)
    let items: [[UInt8]]
    switch self {
    case .object(let object):
      brackets = ("{", "}")
      items = object.members.map { key, value in
        JSON.text(key).serialized().forTerminal + ": ".utf8 + value.indented(by: indent + 2)
      }
    case .array(let elements):
      brackets = ("[", "]")
      items = elements.map { $0.indented(by: indent + 2) }
    default: return serialized().forTerminal
    }
    var shown = [UInt8](brackets.0)
    for index in items.indices {
      if index > 0 { shown.append(UInt8(ascii: ",")) }
      shown += Self.lineStart(indent + 2) + items[index]
    }
    return shown + (items.isEmpty ? [] : Self.lineStart(indent)) + [UInt8](brackets.1)
  }

  private static func lineStart(_ indent: Int) -> [UInt8] {
    "\n".utf8 + [UInt8](repeating: UInt8(ascii: " "), count: indent)
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

  /// Appends a member whose value is an array of objects, with the members that `write` appends.
  mutating func appendMember<Element>(
    _ key: StaticString, objects: [Element], _ write: (Element, inout ByteBuffer) -> Void
  ) {
    appendMember(key, objects) { element, buffer in
      buffer.openJSONObject()
      write(element, &buffer)
      buffer.closeJSONObject()
    }
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
