import Bytes
import Sensing

extension GPIOLineSettings {
  /// Maximum number of names that serve as examples.
  private static let examplesMax = 8

  /// Returns the number of free lines of each chip, and the names of some that a person can type.
  /// The kernel does not know what is connected to a line.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("GPIO lines", key: key)
    let uses = GPIOLineUses(in: search.devices)
    var start = 0
    while start < uses.lines.count {
      let label = uses.lines[start].chip
      var end = start + 1
      // Two parts of a kind have the same label; the offsets of each start at 0 again.
      while end < uses.lines.count, uses.lines[end].chip == label,
        uses.lines[end].offset > uses.lines[end - 1].offset
      { end += 1 }
      let freeCount = uses.lines[start..<end].count { !$0.isTaken }
      let isSecond = kind.items.contains { $0.address == label }
      let reach: StaticString = isSecond ? "; another chip has this label: name them" : ""
      kind.append(
        FoundItem(
          label, named: [], words: "\(freeCount) of \(end - start, "line") free\(reach)"))
      start = end
    }
    for line in uses.lines where kind.examples.count < examplesMax {
      if !line.isTaken, line.name.canBeTyped { kind.examples.append(line.name) }
    }
    if let example = kind.examples.first {
      kind.note =
        "sudo homeward pins shows them; a switch: - { gpio: \(bytes: example), name: Door,"
        + " bias: pull_up }"
    } else if !kind.items.isEmpty {
      kind.note = "sudo homeward pins shows them"
    }
    if uses.isIncomplete {
      kind.note = "some lines are not visible to this user; root sees more"
    }
    return kind
  }
}

extension [UInt8] {
  /// Whether this is the name of a line that a person can type.
  fileprivate var canBeTyped: Bool {
    count > 1 && span.isVisibleASCII && !contains(UInt8(ascii: "/"))
  }
}
