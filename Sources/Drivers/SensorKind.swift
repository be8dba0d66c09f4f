public import Bytes
public import LinuxIO
public import YAML

/// Kind of entries of the configuration's `sensors`.
public struct SensorKind {
  let key: StaticString
  /// Lists the items of the kind that this board has.
  let find: (BoardSearch) -> FoundKind
  /// Reads an entry; nil, reported, if it cannot be used.
  let read: (SectionReader, TakenNames) -> (any ConfiguredSensor)?

  private init<Settings: SensorSettings>(_: Settings.Type) {
    key = Settings.key
    find = { Settings.found(in: $0) }
    read = { keys, taken in Settings(keys, notAmong: taken).map { SensorEntry($0) } }
  }

  /// Rows of all kinds, in the order for people. A new kind is a row here.
  static var all: [SensorKind] {
    [
      SensorKind(OneWireSettings.self), SensorKind(IIOSettings.self),
      SensorKind(MonitorSettings.self), SensorKind(VEDirectSettings.self),
      SensorKind(InterfaceSettings.self), SensorKind(GPIOLineSettings.self),
      SensorKind(PulseSettings.self), SensorKind(TextFileSettings.self),
    ]
  }
}

extension SensorKind {
  private static let countMax = 64

  /// Reads `sensors`. Entries that cannot be used are reported and left out.
  public static func list(
    _ field: ConfigurationField, notAmong taken: TakenNames = TakenNames()
  ) -> [any ConfiguredSensor] {
    field.items(count: 0...countMax, example: "[{ gpio: GPIO17, name: Bilge }]")
      .compactMap { entry($0, notAmong: taken) }
  }

  private static func entry(
    _ field: ConfigurationField, notAmong taken: TakenNames
  ) -> (any ConfiguredSensor)? {
    guard let keys = field.section(example: "{ gpio: GPIO17, name: Bilge }") else { return nil }
    let names = all.map { $0.key }
    let kinds = keys.indices(of: names)
    if kinds.count > 1 {
      keys.report(
        at: names[kinds[1]],
        "an entry has one kind, and this one has \(names[kinds[0]]) and \(names[kinds[1]])",
        remedy: "write an entry for each")
      return nil
    }
    guard let kind = kinds.first else {
      if !keys.reportMissingKind(names) { _ = keys.required("gpio", example: "gpio: GPIO17") }
      return nil
    }
    defer { keys.reportUnknownKeys() }
    return all[kind].read(keys, taken)
  }
}

extension BoardSearch {
  /// Returns all that this board has, kind by kind; kinds without items are empty. `loop` is for
  /// the request to gpsd.
  public func everything(
    battery: BatterySettings, system: SystemSettings, location: GPSDSettings?, loop: EventLoop
  ) -> [FoundKind] {
    [
      battery.found(in: self), system.found(in: self),
      GPSDSettings.found(of: location, loop: loop),
    ] + SensorKind.all.map { $0.find(self) }
  }

  /// Limit of the list: more would not help, and a status document holds many remedies.
  private static let othersShownMax = 8

  /// Lists the items of the same kind as a missing entry, those of the same device first:
  /// `here: bme280/temp, bme280/pressure`. Nil if there are none.
  public func others(than entry: ConfiguredEntry) -> MessageText? {
    let key = entry.key
    let kind = SensorKind.all.first { [UInt8]($0.key).span.elementsEqual(key) }
    let all = kind?.find(self).items.filter { $0.line != nil }.map { $0.address } ?? []
    let device = entry.address.prefix(
      (entry.address.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
    let near = all.filter { !device.isEmpty && $0.starts(with: device) }
    let sorted = near + all.filter { !near.contains($0) }
    return sorted.isEmpty ? nil : "here: \(listed: sorted, max: Self.othersShownMax)"
  }
}
