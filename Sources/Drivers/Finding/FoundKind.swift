public import Bytes
import YAML

/// Results of the finder of one kind of source on a board.
public struct FoundKind: Sendable {
  /// Maximum number of stored items, as the configuration accepts no more; others are only counted.
  public static let itemsMax = 64

  /// Title for people, such as `Thermometers on 1-Wire`.
  public let title: StaticString
  /// Configuration key that reports the items, such as `one_wire` or `battery`.
  public let key: StaticString
  /// Whether the key belongs to an entry of `sensors`; otherwise it is a top-level key.
  public let isEntry: Bool
  /// Items found, at most `itemsMax`.
  public private(set) var items: [FoundItem] = []
  /// Related results that need a decision of a person, such as the names of free GPIO lines.
  public var examples: [[UInt8]] = []
  /// Remark about all items; nil if there is none.
  public var note: MessageText?
  /// Number of items beyond `itemsMax`.
  public private(set) var omittedCount = 0
  /// Number of items that the configuration cannot hold.
  public private(set) var unusableCount = 0

  init(_ title: StaticString, key: StaticString, isEntry: Bool = true) {
    self.title = title
    self.key = key
    self.isEntry = isEntry
  }

  // Not inlined into each finder.
  /// Adds an item; nil counts as one that the configuration cannot hold.
  @inline(never)
  mutating func append(_ item: FoundItem?) {
    guard let item else {
      unusableCount += 1
      return
    }
    if items.count < Self.itemsMax { items.append(item) } else { omittedCount += 1 }
  }

  /// Moves items with a line of YAML for which `isUsable` is false to the unusable ones.
  public mutating func keep(_ isUsable: (FoundItem) -> Bool) {
    let count = items.count
    items.removeAll { $0.line != nil && !isUsable($0) }
    unusableCount += count - items.count
  }

  /// YAML of a top-level key with all items, as the key may occur only once. Nil for entries of
  /// `sensors`, which have a line each, and if there are no items.
  public var line: MessageText? {
    guard !isEntry, let first = items.first else { return nil }
    guard items.count > 1 else { return first.line }
    var names: MessageText = "\(yaml: first.address)"
    for item in items[1..<min(items.count, Self.listMax)] {
      names = names + ", \(yaml: item.address)"
    }
    return "\(key): [\(names)]"
  }

  /// Maximum length of a list in the configuration, such as that of `battery`.
  private static let listMax = 16

  /// Whether there is nothing to show.
  public var isEmpty: Bool {
    items.isEmpty && note == nil && unusableCount == 0 && omittedCount == 0
  }
}

/// A device or value of a board, and the YAML that reports it.
public struct FoundItem: Sendable {
  /// Address in the configuration, such as `bme280/temp`, `BAT0` or `28-0316a2796cff`.
  public let address: [UInt8]
  /// Name of its sensor, or prefix of the names of its sensors: from the configuration, else a
  /// suggestion.
  public let name: [UInt8]
  /// YAML that reports only this item: an entry of `sensors` without its dash, or a line such as
  /// `battery: [BAT0]`; nil if no single line suffices.
  public let line: MessageText?
  /// Part of the configuration that already reports it; nil if there is none.
  public let reportedBy: MessageText?
  /// Reason not to read it, such as a serial port that another program may use.
  public let words: MessageText?

  // Not inlined into each finder.
  @inline(never)
  init(
    _ address: [UInt8], named name: [UInt8], line: MessageText? = nil,
    reportedBy: MessageText? = nil, words: MessageText? = nil
  ) {
    self.address = address
    self.name = name
    self.line = line
    self.reportedBy = reportedBy
    self.words = words
  }
}
