import CLinux
import LinuxIO

extension [UInt8] {
  /// Lines for standard output, no wider than the terminal that it may be.
  public var wrappedForOutput: [UInt8] { wrapped(columns: terminalColumns(STDOUT_FILENO)) }

  /// The lines with a line end in the place of the space before each word that does not fit into a
  /// terminal of so many columns; as they are where that is 0. What goes on stands below the last
  /// column of a table, which two spaces set apart.
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
      // What continues a character takes no column.
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
