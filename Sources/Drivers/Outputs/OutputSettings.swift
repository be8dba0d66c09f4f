import Bytes
public import Sensing
public import YAML

/// An entry of the configuration's `outputs`: a line that the agent switches.
public struct OutputSettings: Equatable, Sendable {
  /// `gpio`: the line. Required.
  public var address: GPIOLineAddress
  public var entity: EntitySettings
  /// `max_on`: time that it stays on after a command; 1 s to 24 h. Default: nil, until another one.
  public var maxOn: Duration?
  /// `active_low`: whether it is on while the line is low.
  public var isActiveLow = false
  /// `safe`: level before the first command and after the last one. Default: off.
  public var safe = Level.inactive
}

extension OutputSettings {
  private static let maxOnRange: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 3600)
  private static let countMax = 16

  static let entityKind = EntityKind(
    kind: .binarySensor,
    deviceClasses: ["heat", "light", "lock", "moving", "opening", "plug", "power", "running"],
    icon: "mdi:electric-switch")

  /// Reads `outputs`. An entry with a mistake is reported and left out: no output may be switched
  /// by half of what a person meant.
  public static func list(
    _ field: ConfigurationField, notAmong taken: TakenNames
  ) -> [OutputSettings] {
    field.items(count: 0...countMax, example: "[{ gpio: GPIO22, name: Pump }]").compactMap { item in
      let before = item.problemCount
      let settings = entry(item, notAmong: taken)
      return item.problemCount == before ? settings : nil
    }
  }

  private static func entry(
    _ item: ConfigurationField, notAmong taken: TakenNames
  ) -> OutputSettings? {
    guard let keys = item.section(example: "{ gpio: GPIO22, name: Pump }") else { return nil }
    defer { keys.reportUnknownKeys() }
    return OutputSettings(keys, item, notAmong: taken)
  }

  /// Reads an entry; nil, reported, if it cannot be used.
  private init?(_ keys: SectionReader, _ item: ConfigurationField, notAmong taken: TakenNames) {
    let line = keys.required("gpio", example: "gpio: GPIO22")?.gpioLine(notAmong: taken)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    let maxOn = keys.optional("max_on")?.duration(in: Self.maxOnRange, example: "10min")
    let isActiveLow = keys.optional("active_low")?.boolean()
    let levels: [Level] = [.inactive, .active]
    let safe = keys.optional("safe")?.word(of: ["off", "on"]).map { levels[$0] }
    if maxOn != nil, safe == .active {
      item.report(
        "an output with safe: on cannot have max_on",
        remedy: "remove max_on or safe: on")
    }
    guard let line, let entity else { return nil }
    self.init(
      address: line, entity: entity, maxOn: maxOn, isActiveLow: isActiveLow ?? false,
      safe: safe ?? .inactive)
  }

  var name: InlineText { InlineText(address.text.span) }

  public var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { failure in
      if case .malformed = failure {
        return "check its wire: another device drives it, or it is shorted"
      }
      return GPIOLineAddress.remedy(for: failure)
    }
  }

  public func source(_ context: SourceContext) -> GPIOOutput {
    GPIOOutput(self, chips: context.chips, sink: context.sink, supervisor: context.supervisor)
  }

  /// Makes a source that looks at the output without switching it.
  public func look(_ context: SourceContext) -> OutputLook { OutputLook(self, context) }

  /// Returns these settings at the line in the board file, with the same identity in Home
  /// Assistant.
  public func moved(to line: GPIOLineAddress) -> OutputSettings {
    guard line != address else { return self }
    var moved = self
    moved.entity.uniqueID = entity.uniqueID ?? ownID
    moved.address = line
    return moved
  }

  /// Unique id derived from the address.
  var ownID: [UInt8] { uniqueID("output_", address.text.span) }

  /// Description for Home Assistant, urgent because the person who switched the output waits for
  /// it.
  var description: SensorDescription {
    Self.entityKind.description(of: entity, uniqueID: ownID, isUrgent: true)
  }
}
