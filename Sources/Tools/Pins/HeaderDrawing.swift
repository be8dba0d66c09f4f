import Board
import Bytes

/// Headers of a board as lines of text: two columns of pins as on the board, their numbers in the
/// middle, then their names, and outside of these their uses.
///
///                 i2c1 SDA         GPIO2   3 | 4   5V
struct HeaderDrawing {
  /// Characters of a pin's use, and of its name. A line has 78.
  static let useWidth = 20
  static let nameWidth = 12

  let isColoured: Bool

  func lines(of headers: [(name: [UInt8], pins: [PinReport])]) -> [UInt8] {
    var lines: [UInt8] = []
    for header in headers {
      lines += [UInt8]("\n") + header.name.printable + [UInt8]("\n")
      var index = 0
      while index < header.pins.count {
        var line = half(header.pins[index], isLeft: true) + [UInt8](" | ")
        if index + 1 < header.pins.count { line += half(header.pins[index + 1], isLeft: false) }
        while line.last == UInt8(ascii: " ") { line.removeLast() }
        lines += line + [UInt8]("\n")
        index += 2
      }
    }
    return lines
  }

  private func half(_ pin: PinReport, isLeft: Bool) -> [UInt8] {
    let use = Cell(pin.words, width: Self.useWidth)
    let name = Cell(pin.pin.name, width: Self.nameWidth)
    let number = Cell(("\(pin.number)" as MessageText).bytes, width: 3)
    let coloured = coloured(name.text, pin)
    return isLeft
      ? use.padding + use.text + [UInt8]("  ") + name.padding + coloured + [UInt8](" ")
        + number.padding + number.text
      : number.text + number.padding + [UInt8](" ") + coloured + name.padding + [UInt8]("  ")
        + use.text
  }

  /// Returns the text in colour: bold if the pin is used, red for supplies, dim for ground and
  /// other pins that are not lines.
  private func coloured(_ text: [UInt8], _ pin: PinReport) -> [UInt8] {
    guard isColoured else { return text }
    let code: StaticString
    if pin.isUsed {
      code = "\u{1B}[1m"
    } else if pin.pin.line != nil {
      return text
    } else if pin.pin.name.span.elementsEqual("5V") || pin.pin.name.span.elementsEqual("3V3") {
      code = "\u{1B}[31m"
    } else {
      code = "\u{1B}[2m"
    }
    return [UInt8](code) + text + [UInt8]("\u{1B}[0m")
  }
}

/// Text in a fixed number of columns. A longer one is cut, and ends in a mark for that.
private struct Cell {
  let text: [UInt8]
  let padding: [UInt8]

  init(_ text: [UInt8], width: Int) {
    var text = text.printable
    if text.characterCount > width {
      while text.characterCount > width - 1 { text.removeLastCharacter() }
      text += [UInt8]("…")
    }
    self.text = text
    padding = [UInt8](repeating: UInt8(ascii: " "), count: width - text.characterCount)
  }
}

extension [UInt8] {
  fileprivate mutating func removeLastCharacter() {
    while let last = popLast(), last & 0xC0 == 0x80 {}
  }
}
