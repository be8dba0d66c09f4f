import Bytes
import Sensing

extension GPIOLineSettings {
  /// More lines than that are no example any more.
  private static let examplesMax = 8

  /// How many lines of each chip are free, and the names of some that a person can type. What is
  /// at a line, the kernel does not know.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("GPIO lines", key: "gpio")
    let uses = GPIOLineUses(in: search.devices)
    var start = 0
    while start < uses.lines.count {
      let label = uses.lines[start].chip
      let lines = uses.lines[start...].prefix { $0.chip == label }
      let freeCount = lines.count { !$0.isTaken }
      kind.append(
        FoundItem(
          label, named: [], words: "\(freeCount) of \(lines.count, "line") free"))
      start += lines.count
    }
    for line in uses.lines where kind.examples.count < examplesMax {
      if !line.isTaken, line.name.canBeTyped { kind.examples.append(line.name) }
    }
    if let example = kind.examples.first {
      kind.note =
        "homeward pins shows them; a switch: - { gpio: \(bytes: example), name: Door,"
        + " bias: pull_up }"
    } else if !kind.items.isEmpty {
      kind.note = "homeward pins shows them"
    }
    if uses.isIncomplete { kind.note = "some are shown to root only" }
    return kind
  }
}

extension [UInt8] {
  /// Whether it is the name of a line that a person can type.
  fileprivate var canBeTyped: Bool {
    count > 1 && span.isVisibleASCII && !contains(UInt8(ascii: "/"))
  }
}
