import Bytes

/// Returns lines of aligned columns for a person, one for each board. `maximum` is the limit of a
/// day, if it is known.
func table(of boards: [BoardSummary], maximum: Int64?, at now: WallTime) -> String {
  let limit = maximum.map { "/\($0)" } ?? ""
  let rows =
    [["board", "waiting", "oldest", "today", "last asked"]]
    + boards.map { board in
      [
        board.name, "\(board.waiting)", board.oldest.map { age(of: $0, at: now) } ?? "-",
        "\(board.today)\(limit)", board.fetched.map { Text(iso8601: $0).string } ?? "never",
      ]
    }
  let widths = (0..<5).map { column in rows.reduce(0) { max($0, $1[column].utf8.count) } }
  return rows.reduce("") { $0 + line($1, widths) }
}

/// The first column begins at the left, the last one has no end, the numbers end at the right.
private func line(_ cells: [String], _ widths: [Int]) -> String {
  var line = cells[0] + spaces(widths[0] - cells[0].utf8.count)
  for column in 1..<4 {
    line += "  " + spaces(widths[column] - cells[column].utf8.count) + cells[column]
  }
  return line + "  " + cells[4] + "\n"
}

private func spaces(_ count: Int) -> String {
  String(decoding: [UInt8](repeating: UInt8(ascii: " "), count: max(0, count)), as: UTF8.self)
}

/// Returns how long ago a moment was, in its largest unit: `3 h`. A moment to come was just now.
func age(of moment: WallTime, at now: WallTime) -> String {
  let seconds = max(0, (now - moment).nanoseconds / 1_000_000_000)
  return switch seconds {
  case ..<60: "\(seconds) s"
  case ..<3600: "\(seconds / 60) min"
  case ..<172_800: "\(seconds / 3600) h"
  default: "\(seconds / 86_400) d"
  }
}

extension BoardSummary {
  /// Appends an object for programs.
  func write(into line: inout ByteBuffer) {
    line.openJSONObject()
    line.appendMember("name", Array(name.utf8).span)
    line.appendMember("created", Text(iso8601: created).bytes.span)
    if let fetched { line.appendMember("fetched", Text(iso8601: fetched).bytes.span) }
    line.appendMember("has_key", hasKey)
    line.appendMember("waiting", waiting)
    if let oldest { line.appendMember("oldest", Text(iso8601: oldest).bytes.span) }
    line.appendMember("today", today)
    line.closeJSONObject()
  }
}
