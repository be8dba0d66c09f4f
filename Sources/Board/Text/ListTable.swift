public import Bytes
import LinuxIO

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

extension MessageText.StringInterpolation {
  /// Appends the local time with its offset from UTC, such as `2026-11-21 17:12:33+01:00`.
  public mutating func appendInterpolation(localTime time: WallTime) {
    let offset = time.localOffset
    let text = Text(iso8601: time - (.zero - offset)).bytes
    // On the first day the time of this moment is the offset in hours and minutes.
    let isBehind = offset < .zero
    let ahead = WallTime(nanoseconds: 0) + (isBehind ? .zero - offset : offset)
    appendInterpolation(bytes: [UInt8](text[..<10]) + [UInt8(ascii: " ")] + text[11..<19])
    appendInterpolation((isBehind ? "-" : "+") as StaticString)
    appendInterpolation(bytes: [UInt8](Text(iso8601: ahead).bytes[11..<16]))
  }
}
