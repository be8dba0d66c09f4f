import Bytes

enum ScreenKey: Equatable {
  case up, down, pageUp, pageDown, first, last, redraw, end
}

/// Parser of the keys in a terminal's bytes, which may be split at any point.
struct ScreenKeys {
  private enum State { case plain, escape, sequence }

  private var state = State.plain
  private var number: UInt8 = 0

  /// Returns the key that this byte completes; nil if it completes no known key.
  mutating func read(_ byte: UInt8) -> ScreenKey? {
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
      number = 0
      return nil
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence
      return nil
    case (.sequence, 0x20...0x3F):
      if byte.isASCIIDigit, number < 10 { number = number * 10 + byte - UInt8(ascii: "0") }
      return nil
    case (.sequence, _):
      state = .plain
      return key(endingWith: byte)
    // An Esc that begins no sequence is a key of its own, without a function here.
    case (.escape, _), (.plain, _):
      state = .plain
      return Self.key(byte)
    }
  }

  private static func key(_ byte: UInt8) -> ScreenKey? {
    switch byte {
    case UInt8(ascii: "j"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): .down
    case UInt8(ascii: "k"): .up
    case UInt8(ascii: " "), UInt8(ascii: "f"): .pageDown
    case UInt8(ascii: "b"): .pageUp
    case UInt8(ascii: "g"): .first
    case UInt8(ascii: "G"): .last
    // Ctrl-L
    case 0x0C: .redraw
    // Ctrl-C, if the terminal makes no signal of it.
    case UInt8(ascii: "q"), 0x03: .end
    default: nil
    }
  }

  private func key(endingWith byte: UInt8) -> ScreenKey? {
    switch (byte, number) {
    case (UInt8(ascii: "A"), _): .up
    case (UInt8(ascii: "B"), _): .down
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): .first
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): .last
    case (UInt8(ascii: "~"), 5): .pageUp
    case (UInt8(ascii: "~"), 6): .pageDown
    default: nil
    }
  }
}
