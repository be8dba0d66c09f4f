import Bytes

/// What a person at a screen wants.
enum ScreenKey: Equatable {
  case up, down, pageUp, pageDown, first, last, redraw, end
}

/// Reads the keys of a terminal out of its bytes, however they are cut into pieces.
struct ScreenKeys {
  private enum State { case plain, escape, sequence }

  private var state = State.plain
  /// The first number of a sequence.
  private var number: UInt8 = 0

  /// The key that this byte ends; nil where it ends none that is known.
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
    // An Esc that begins no sequence is a key of its own, which is none of ours.
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
    // Ctrl-C, where the terminal makes no signal of it.
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
