public import Bytes

/// A table of texts, each column as wide as its widest cell.
public struct ListTable {
  private var rows: [[MessageText]]

  public init(_ titles: [MessageText]) { rows = [titles] }

  public mutating func append(_ row: [MessageText]) {
    precondition(row.count == rows[0].count, "every row has every column")
    rows.append(row)
  }

  /// Lines of the table; columns of numbers are aligned to the right.
  public var lines: [UInt8] {
    var widths = [Int](repeating: 0, count: rows[0].count)
    for row in rows {
      for column in row.indices {
        widths[column] = max(widths[column], row[column].bytes.characterCount)
      }
    }
    var lines: [UInt8] = []
    for row in rows {
      var line: [UInt8] = []
      for column in row.indices {
        let cell = row[column].bytes
        let padding = [UInt8](
          repeating: UInt8(ascii: " "), count: widths[column] - cell.characterCount)
        if column > 0 { line += [UInt8]("  ") }
        line += isNumeric(column) ? padding + cell : cell + padding
      }
      while line.last == UInt8(ascii: " ") { line.removeLast() }
      lines += line
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  private func isNumeric(_ column: Int) -> Bool {
    for row in rows.dropFirst() {
      let cell = row[column].bytes
      if cell.span.decimalValue == nil { return false }
    }
    return true
  }
}
