import Bytes

/// Size of a terminal.
struct ScreenSize: Equatable {
  /// Limits of the picture; cells beyond stay empty.
  static let columnsMax = 512
  static let rowsMax = 256

  let columns: Int
  let rows: Int

  /// Creates a size; a terminal that does not report one gets 80 by 24.
  init(columns: Int, rows: Int) {
    self.columns = columns < 1 ? 80 : min(columns, Self.columnsMax)
    self.rows = rows < 1 ? 24 : min(rows, Self.rowsMax)
  }
}

/// Capabilities of a terminal.
struct ScreenLook: Equatable {
  var isColored: Bool
  /// Whether it shows UTF-8, with blocks and braille.
  var isUnicode: Bool

  init(isColored: Bool, isUnicode: Bool) {
    self.isColored = isColored
    self.isUnicode = isUnicode
  }

  /// Reads the capabilities from the environment; nil if the terminal cannot be drawn on.
  ///
  /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty names the character set
  /// (`locale(7)`). The kernel's own console (`TERM=linux`) has no braille, and few blocks.
  init?(_ variable: (StaticString) -> [UInt8]?) {
    let type = variable("TERM") ?? []
    guard !type.isEmpty, !type.span.elementsEqual("dumb") else { return nil }
    isColored = variable("NO_COLOR") == nil
    var locale: [UInt8] = []
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] as [StaticString] where locale.isEmpty {
      locale = variable(name) ?? []
    }
    let letters = locale.lowercasedASCII.filter { $0 != UInt8(ascii: "-") }
    let isUTF8 = letters.indices.contains { letters[$0...].starts(with: [UInt8]("utf8")) }
    isUnicode = isUTF8 && !type.span.elementsEqual("linux")
  }
}

/// Picture for a terminal, cell by cell.
struct ScreenGrid: Equatable {
  let size: ScreenSize
  private(set) var cells: [ScreenCell]

  init(_ size: ScreenSize) {
    self.size = size
    cells = [ScreenCell](repeating: .blank, count: size.columns * size.rows)
  }

  subscript(row: Int, column: Int) -> ScreenCell { cells[row * size.columns + column] }

  /// Puts cells into a row, as many as fit before `end`; half of a wide character becomes a space.
  /// Cells outside the picture are dropped.
  mutating func put(_ new: [ScreenCell], row: Int, column: Int, end: Int = .max) {
    guard (0..<size.rows).contains(row), column >= 0 else { return }
    let end = min(end, size.columns)
    var place = column
    for index in new.indices where place < end {
      var cell = new[index]
      let isCut = place + 1 == end && index + 1 < new.count && new[index + 1].isSecondHalf
      if isCut { cell.scalar = ScreenCell.blank.scalar }
      cells[row * size.columns + place] = cell
      place += 1
    }
  }

  /// Sets the style of these rows.
  mutating func setStyle(_ style: ScreenCell.Style, ofRows rows: Range<Int>) {
    for index in rows.lowerBound * size.columns..<rows.upperBound * size.columns {
      cells[index].style = style
    }
  }

  // MARK: For the terminal

  /// Returns the bytes that change a terminal from `old` to this picture; empty if they are equal.
  /// Nil is a terminal with unknown content.
  func bytes(after old: ScreenGrid?, _ look: ScreenLook) -> [UInt8] {
    var pen = ScreenPen(look)
    var former = ScreenGrid(size)
    if let old, old.size == size { former = old } else { pen.clear() }
    for row in 0..<size.rows {
      var column = 0
      while column < size.columns {
        guard self[row, column] != former[row, column] else {
          column += 1
          continue
        }
        // Either both halves of a wide character have changed, or neither has.
        repeat {
          pen.write(self[row, column], row: row, column: column)
          column += 1
        } while column < size.columns && self[row, column].isSecondHalf
      }
    }
    return pen.end()
  }
}

/// Writer of cells to a terminal; moves the cursor between cells that are not neighbours.
private struct ScreenPen {
  private var bytes: [UInt8] = []
  private let look: ScreenLook
  private var style = ScreenCell.Style.plain
  /// Position of the next character; nil if terminals may differ.
  private var place: (row: Int, column: Int)?

  init(_ look: ScreenLook) { self.look = look }

  mutating func clear() { bytes += [UInt8]("\u{1B}[0m\u{1B}[2J") }

  mutating func write(_ cell: ScreenCell, row: Int, column: Int) {
    guard !cell.isSecondHalf else { return }
    if place?.row != row || place?.column != column {
      let move: MessageText = "\u{1B}[\(row + 1);\(column + 1)H"
      bytes += move.bytes
    }
    if cell.style != style {
      style = cell.style
      bytes += [UInt8](sequence(of: style))
    }
    bytes.append(scalar: cell.scalar)
    // If a terminal treats it as narrow, only that character is wrong.
    place = cell.scalar.columnCount == 1 ? (row, column + 1) : nil
  }

  mutating func end() -> [UInt8] {
    if style != .plain { bytes += [UInt8](sequence(of: .plain)) }
    return bytes
  }

  private func sequence(of style: ScreenCell.Style) -> StaticString {
    switch style {
    case .plain: "\u{1B}[0m"
    case .strong: "\u{1B}[0;1m"
    case .faint: "\u{1B}[0;2m"
    case .good: look.isColored ? "\u{1B}[0;32m" : "\u{1B}[0m"
    case .bad: look.isColored ? "\u{1B}[0;1;31m" : "\u{1B}[0;1m"
    }
  }
}

extension [UInt8] {
  /// Appends a character in UTF-8.
  fileprivate mutating func append(scalar: UInt32) {
    switch scalar {
    case 0..<0x80: append(UInt8(scalar))
    case 0x80..<0x800: self += [0xC0 | UInt8(scalar >> 6), Self.continuation(scalar)]
    case 0x800..<0x1_0000:
      self += [
        0xE0 | UInt8(scalar >> 12), Self.continuation(scalar >> 6), Self.continuation(scalar),
      ]
    default:
      self += [
        0xF0 | UInt8(scalar >> 18 & 7), Self.continuation(scalar >> 12),
        Self.continuation(scalar >> 6), Self.continuation(scalar),
      ]
    }
  }

  private static func continuation(_ bits: UInt32) -> UInt8 { 0x80 | UInt8(bits & 0x3F) }
}
