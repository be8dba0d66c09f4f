import CLinux
import LinuxIO

extension [UInt8] {
  /// Lines for standard output, wrapped to the width of the terminal, if it is one.
  public var wrappedForOutput: [UInt8] { wrapped(columns: terminalColumns(STDOUT_FILENO)) }

  /// Returns the text with a line end in place of the space before each word that does not fit into
  /// `columns`; unchanged if that is 0. Continuation lines are indented to the last column of a
  /// table, which two spaces separate.
  func wrapped(columns: Int) -> [UInt8] {
    guard columns > 0 else { return self }
    var wrapped: [UInt8] = []
    var column = 0
    var indent = 0
    var space: (index: Int, column: Int)?
    for byte in self {
      let isAfterSpace = wrapped.last == UInt8(ascii: " ")
      wrapped.append(byte)
      switch byte {
      case UInt8(ascii: "\n"):
        (column, indent, space) = (0, 0, nil)
      case UInt8(ascii: " "):
        column += 1
        if isAfterSpace, column <= columns / 2 { indent = column }
        space = (wrapped.count - 1, column)
      // Continuation bytes of a character take no column.
      case 0x80..<0xC0: continue
      default:
        column += 1
        guard column > columns, let last = space, last.column > indent else { continue }
        let margin = [UInt8](repeating: UInt8(ascii: " "), count: indent)
        wrapped.replaceSubrange(last.index...last.index, with: [UInt8(ascii: "\n")] + margin)
        column += indent - last.column
        space = nil
      }
    }
    return wrapped
  }
}
