public import Bytes
public import Sensing
import YAML

/// An entry `gpio: …` of the configuration's `sensors`: a line that is either on or off.
public struct GPIOLineSettings: Equatable, Sendable {
  /// `gpio`: the line. Required.
  public var address: GPIOLineAddress
  public var entity: EntitySettings
  /// `debounce`: minimum duration of a level that counts; 0 to 10 s. The default, 20 ms, outlasts
  /// the bouncing of common switches and reeds.
  public var debounce: Duration = .milliseconds(20)
  /// `urgent`: whether a change is reported at once instead of with the next cycle.
  public var isUrgent = false
  /// `active_low`: whether the sensor is on while the line is low.
  public var isActiveLow = false
  /// `bias`: bias of the line while nothing drives it.
  public var bias = GPIOBias.asIs
}

extension GPIOLineSettings: SensorSettings {
  static let key: StaticString = "gpio"
  static let debounceRange: ClosedRange<Duration> = .zero ... .seconds(10)

  static let entityKind = EntityKind(
    kind: .binarySensor,
    deviceClasses: [
      "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
      "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
      "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
      "tamper", "update", "vibration", "window",
    ], icon: "mdi:electric-switch")

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let line = keys.required(Self.key, example: "gpio: GPIO17")?.gpioLine(notAmong: taken)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    let debounce = keys.optional("debounce")?.duration(in: Self.debounceRange, example: "50ms")
    let isUrgent = keys.optional("urgent")?.boolean()
    let isActiveLow = keys.optional("active_low")?.boolean()
    let bias = keys.optional("bias")?.bias()
    guard let line, let entity else { return nil }
    self.init(
      address: line, entity: entity, debounce: debounce ?? .milliseconds(20),
      isUrgent: isUrgent ?? false, isActiveLow: isActiveLow ?? false, bias: bias ?? .asIs)
  }

  /// Name of the line in messages.
  public var name: InlineText { InlineText(address.text.span) }

  /// Unique id of its sensor in Home Assistant.
  var uniqueID: [UInt8] { entity.uniqueID ?? address.uniqueID }

  /// Returns these settings at the line in the board file, with the same identity in Home
  /// Assistant.
  public func moved(to line: GPIOLineAddress) -> GPIOLineSettings {
    guard line != address else { return self }
    var moved = self
    moved.entity.uniqueID = uniqueID
    moved.address = line
    return moved
  }

  var input: SensorInput { .line(address) { SensorEntry(moved(to: $0)) } }
  func source(_ context: SourceContext) -> any Source { GPIOLine(self, context) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { failure in
      GPIOLineAddress.remedy(for: failure)
    }
  }
}

extension GPIOLineSettings {
  /// Maximum number of names that serve as examples.
  private static let examplesMax = 8

  /// Returns the number of free lines of each chip, and the names of some that a person can type.
  /// The kernel does not know what is connected to a line.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("GPIO lines", key: key)
    let uses = GPIOLineUses(in: GPIOChips(devices: search.devices, sys: search.sys))
    var start = 0
    while start < uses.lines.count {
      let (label, parent) = (uses.lines[start].chip, uses.lines[start].parent)
      var end = start + 1
      // Two parts of a kind have the same label; the offsets of each start at 0 again.
      while end < uses.lines.count, uses.lines[end].chip == label,
        uses.lines[end].offset > uses.lines[end - 1].offset
      { end += 1 }
      let freeCount = uses.lines[start..<end].count { !$0.isTaken }
      // Expanders of a kind have one label, and each its own parent.
      let isShared = uses.lines.contains { $0.chip == label && $0.parent != parent }
      let address = isShared && !parent.isEmpty ? parent : label
      let isSecond = kind.items.contains { $0.address == address }
      var words: MessageText = "\(freeCount) of \(end - start, "line") free"
      if isSecond {
        words = "\(words); another chip has this label: name them"
      } else if isShared {
        words = "\(words); another chip has its label, \(bytes: label.printable)"
      }
      kind.append(FoundItem(address, named: [], words: words))
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
