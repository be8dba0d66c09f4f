public import Bytes
import YAML

/// What the finder of one kind of source has found on a board.
public struct FoundKind: Sendable {
  /// More than these are counted, and not kept: the configuration takes no more.
  public static let itemsMax = 64

  /// What people call them, such as `Thermometers on 1-Wire`.
  public let title: StaticString
  /// The key of the configuration that reports them, such as `one_wire` or `battery`.
  public let key: StaticString
  /// Whether that is a key of an entry of `sensors`; else it stands at the margin of the file.
  public let isEntry: Bool
  /// At most `itemsMax`.
  public private(set) var items: [FoundItem] = []
  /// What belongs to them and needs a decision of a person, such as the names of free GPIO lines.
  public var examples: [[UInt8]] = []
  /// What a person should know of all of them; nil where that is nothing.
  public var note: MessageText?
  /// How many more there are than `itemsMax`.
  public private(set) var omittedCount = 0
  /// How many have names that no configuration can hold.
  public private(set) var unusableCount = 0

  init(_ title: StaticString, key: StaticString, isEntry: Bool = true) {
    self.title = title
    self.key = key
    self.isEntry = isEntry
  }

  // Called, not copied to each finder.
  /// Takes one in; nil is one that the configuration cannot hold.
  @inline(never)
  mutating func append(_ item: FoundItem?) {
    guard let item else {
      unusableCount += 1
      return
    }
    if items.count < Self.itemsMax { items.append(item) } else { omittedCount += 1 }
  }

  /// Leaves those out that cannot be used: each that has a line of YAML for which `isUsable` is
  /// false.
  public mutating func keep(_ isUsable: (FoundItem) -> Bool) {
    let count = items.count
    items.removeAll { $0.line != nil && !isUsable($0) }
    unusableCount += count - items.count
  }

  /// The YAML of a key at the margin of the file, with all that was found: a key stands there once.
  /// Nil for entries of `sensors`, which have a line each, and where there is nothing.
  public var line: MessageText? {
    guard !isEntry, let first = items.first else { return nil }
    guard items.count > 1 else { return first.line }
    var names: MessageText = "\(yaml: first.address)"
    for item in items[1..<min(items.count, Self.listMax)] {
      names = names + ", \(yaml: item.address)"
    }
    return "\(key): [\(names)]"
  }

  /// What a list in the configuration may hold, as that of `battery`.
  private static let listMax = 16

  /// Whether there is nothing to say.
  public var isEmpty: Bool {
    items.isEmpty && note == nil && unusableCount == 0 && omittedCount == 0
  }
}

/// One thing that a board has, and the YAML that reports it.
public struct FoundItem: Sendable {
  /// What the configuration knows it by, such as `bme280/temp`, `BAT0` or `28-0316a2796cff`.
  public let address: [UInt8]
  /// What its sensor is called, or what the names of its sensors begin with: by the configuration,
  /// else as a person might call it.
  public let name: [UInt8]
  /// The YAML that reports it and nothing else: an entry of `sensors` without its dash, or a line
  /// such as `battery: [BAT0]`; nil where no line alone would do.
  public let line: MessageText?
  /// What of the configuration reports it already; nil where nothing does.
  public let reportedBy: MessageText?
  /// What there is to say of it where it is not to be read: a serial port may be another program's.
  public let words: MessageText?

  // Called, not copied to each finder.
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
