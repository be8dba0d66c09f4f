import Bytes

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
    bytes += utf8(of: cell.scalar)
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

struct ScreenCell: Equatable {
  enum Style: UInt8 {
    case plain, strong, faint, good, bad
  }

  static let blank = ScreenCell(scalar: 0x20, style: .plain)

  /// Unicode scalar; 0 for the second column of the wide character before.
  var scalar: UInt32
  var style: Style

  var isSecondHalf: Bool { scalar == 0 }
}

extension [UInt8] {
  /// Columns of an untrusted text.
  ///
  /// A terminal gets only characters that take the same number of columns in all terminals:
  /// combining marks are left out, and everything else becomes `?`: control characters, invalid
  /// UTF-8, and writing from right to left, which a terminal may reorder.
  func cells(_ style: ScreenCell.Style = .plain, isUnicode: Bool) -> [ScreenCell] {
    var cells: [ScreenCell] = []
    var index = 0
    while index < count {
      let character = span.character(at: index)
      index = character.end
      var scalar = character.scalar ?? 0
      // Blanks that do not break, or of another width.
      if scalar == 0xA0 || scalar == 0x202F || 0x2000...0x200A ~= scalar { scalar = 0x20 }
      let shown = isUnicode ? scalar : scalar.inASCII
      switch shown.columnCount {
      case 0: continue
      case 1: cells.append(ScreenCell(scalar: shown, style: style))
      case 2:
        cells.append(ScreenCell(scalar: shown, style: style))
        cells.append(ScreenCell(scalar: 0, style: style))
      default: cells.append(ScreenCell(scalar: 0x3F, style: style))
      }
    }
    return cells
  }
}

extension UInt32 {
  /// Number of columns that every terminal gives this character: 0 for a combining mark, 1 or 2;
  /// nil if terminals differ, or would execute it. After `EastAsianWidth.txt` of Unicode 15, as far
  /// as earlier versions agree.
  var columnCount: Int? {
    switch self {
    case 0x300...0x36F, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFE20...0xFE2F,
      0x1F3FB...0x1F3FF, 0xE0100...0xE01EF:
      0
    case 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE: 2
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x377, 0x37A...0x37F, 0x384...0x38A,
      0x38C, 0x38E...0x3A1, 0x3A3...0x482, 0x48A...0x52F, 0x531...0x556, 0x561...0x587,
      0x10D0...0x10FA, 0x1E00...0x1F15, 0x2010...0x2027, 0x2030...0x205E, 0x2070...0x2071,
      0x2074...0x208E, 0x20A0...0x20BF, 0x2100...0x218B, 0x2190...0x2319, 0x231C...0x2328,
      0x232B...0x23E8, 0x23ED...0x23EF, 0x2500...0x25FC, 0x2800...0x28FF:
      1
    case 0x1100...0x115F, 0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3000...0x3029,
      0x3030...0x303E, 0x3041...0x3096, 0x309B...0x30FF, 0x3105...0x312F, 0x3131...0x318E,
      0x3190...0x31E3, 0x31F0...0x321E, 0x3220...0x3247, 0x3250...0x4DBF, 0x4E00...0x9FFC,
      0xA000...0xA48C, 0xA490...0xA4C6, 0xAC00...0xD7A3, 0xF900...0xFA6D, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
      0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3E0...0x1F3F0, 0x1F400...0x1F43E,
      0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F550...0x1F567, 0x1F5FB...0x1F64F,
      0x1F680...0x1F6C5, 0x20000...0x2A6DD:
      2
    default: nil
    }
  }

  /// Replacement for a terminal that knows only ASCII: a character without a likeness becomes `?`,
  /// a degree sign is left out.
  fileprivate var inASCII: UInt32 {
    switch self {
    case 0...0x7E: self
    case 0xB0: 0x200B
    case 0xB2, 0xB3: self - 0xB0 + 0x30
    case 0xB5, 0x3BC: 0x75
    case 0x2010...0x2015: 0x2D
    default: columnCount == 0 ? self : 0x3F
    }
  }
}
