import Bytes
import Sensing

extension GPIOLineSettings {
  /// More lines than that are no example any more.
  private static let examplesMax = 8

  /// How many lines of each chip are free, and the names of some that a person can type. What is
  /// at a line, the kernel does not know.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("GPIO lines", key: key)
    let uses = GPIOLineUses(in: search.devices)
    var start = 0
    while start < uses.lines.count {
      let label = uses.lines[start].chip
      var end = start + 1
      // Two parts of a kind have the same label; the lines of each begin anew.
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
      kind.note = "the kernel does not tell of all lines here; to root it tells more"
    }
    return kind
  }
}

extension [UInt8] {
  /// Whether it is the name of a line that a person can type.
  fileprivate var canBeTyped: Bool {
    count > 1 && span.isVisibleASCII && !contains(UInt8(ascii: "/"))
  }
}
