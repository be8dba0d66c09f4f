import Bytes
public import LinuxIO
import Sensing
public import YAML

/// `battery`: settings of the reported power supplies.
public enum BatterySettings: Equatable, Sendable {
  case off
  /// `auto`, a list of names, or a mapping with `only` or `min_change`.
  case supplies(SupplySettings)
  /// A mapping with `voltage`: a battery unknown to the kernel, estimated from readings of
  /// `sensors`.
  case estimated(EstimatedBatterySettings)

  /// `auto`: all supplies of the board that the kernel lists, now or later.
  public static var automatic: BatterySettings { .supplies(SupplySettings()) }

  public func source(_ context: SourceContext) -> (any Source)? {
    guard case .supplies(let settings) = self else { return nil }
    return Supplies(settings, context)
  }

  /// Returns the sources for one look: one for each supply that is named, or is there now.
  public func looks(_ context: SourceContext) -> [any Source] {
    guard case .supplies(let settings) = self else { return [] }
    let names =
      settings.names
      ?? Supplies.names(sys: context.sys).filter { !Supplies.isOfDevice($0, sys: context.sys) }
    guard (1...Supplies.suppliesMax).contains(names.count) else {
      return source(context).map { [$0] } ?? []
    }
    return names.map { name in
      Supplies(
        SupplySettings(names: [name], minChanges: settings.minChanges), context,
        name: InlineText(name.span))
    }
  }

  /// Returns the estimator between all sources and their sink, if the battery is judged by
  /// readings.
  public func estimate(_ context: SourceContext) -> EstimatedBattery? {
    guard case .estimated(let settings) = self else { return nil }
    return EstimatedBattery(settings, context)
  }
}

/// Settings of the reported power supplies of the kernel.
public struct SupplySettings: Equatable, Sendable {
  /// `only`: 1 to 16 names in `/sys/class/power_supply`, such as `[BAT0]`; a missing one is a
  /// failure. Default, and with `auto`: nil, all that the kernel lists, now or later, except those
  /// of devices such as a keyboard.
  public var names: [[UInt8]]?
  /// `min_change`: smallest changes to report of capacity, voltage, current and energy.
  public var minChanges = MinChanges.standard
}

extension BatterySettings {
  /// Limit for the name of a directory of the kernel's device model; real ones stay far below.
  fileprivate static let nameBytesMax = 64

  /// Reads `battery`, and reports unusable values. A mapping may name the `sensors`.
  public init(_ field: ConfigurationField, among sensors: [MeasuredSensor] = []) {
    if field.isText {
      let remedy: MessageText = "write auto, off or a list of names, such as [BAT0]"
      self = field.word(of: ["auto", "off"], remedy: remedy) == 1 ? .off : .automatic
    } else if field.isMapping {
      let keys = field.section(example: "battery: { voltage: House battery voltage }")
      self = keys.flatMap { BatterySettings($0, among: sensors) } ?? .automatic
    } else {
      self = .supplies(SupplySettings(names: field.supplyNames()))
    }
  }

  /// Reads the mapping. Keys that both kinds of battery share do not decide its kind.
  private init?(_ keys: SectionReader, among sensors: [MeasuredSensor]) {
    let ofEstimated = EstimatedBatterySettings.ownKeys
    let isOfKernel =
      keys.index(ofFirst: ["only", "min_change"]) != nil
      && keys.index(ofFirst: ofEstimated) == nil
    guard isOfKernel else {
      guard let settings = EstimatedBatterySettings(keys, among: sensors) else { return nil }
      self = .estimated(settings)
      return
    }
    defer { keys.reportUnknownKeys() }
    let names = keys.optional("only")?.supplyNames()
    let minChanges = keys.optional("min_change")?.supplyMinChanges() ?? .standard
    self = .supplies(SupplySettings(names: names, minChanges: minChanges))
  }
}

extension ConfigurationField {
  fileprivate func supplyNames() -> [[UInt8]] {
    let seen = SeenTexts()
    var names: [[UInt8]] = []
    for item in items(count: 1...Supplies.suppliesMax, example: "[BAT0]") {
      guard let name = item.supplyName() else { continue }
      seen.add(name, of: item)
      names.append(name)
    }
    return names
  }

  fileprivate func supplyMinChanges() -> MinChanges {
    let measured = SupplySensor.allCases.filter { $0.isMeasured }
    return MinChanges(
      self, of: measured.map { (number: $0.rawValue, word: $0.word) },
      example: "min_change: { voltage: 0.05, current: 0.1 }")
  }

  /// The name of a directory in `/sys/class/power_supply`.
  fileprivate func supplyName() -> [UInt8]? {
    text(
      "the name of a power supply", remedy: "write one that \"ls /sys/class/power_supply\" shows"
    ) { $0.count <= BatterySettings.nameBytesMax && $0.span.isFileName }
  }
}

extension BatterySettings {
  /// Returns the power supplies that the kernel lists, and marks those that this setting reports.
  func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Power supplies", key: "battery", isEntry: false)
    for name in Supplies.names(sys: search.sys) {
      kind.append(
        name.canBeQuoted
          ? FoundItem(
            name, named: name, line: "battery: [\(yaml: name)]",
            reportedBy: reason(toReport: name, sys: search.sys))
          : nil)
    }
    return kind
  }

  private func reason(toReport name: [UInt8], sys: Path) -> MessageText? {
    guard case .supplies(let settings) = self else { return nil }
    guard let names = settings.names else {
      return Supplies.isOfDevice(name, sys: sys) ? nil : "reported by battery: auto"
    }
    return names.contains(name) ? "in the configuration" : nil
  }
}

// MARK: Remedies

extension BatterySettings {
  /// Limit of the list: more would not help, and a status document holds many remedies.
  private static let suppliesShownMax = 8

  /// Remedies for the list of supplies; a supply fails under its own name, which may appear later.
  public func remedies(sys: Path) -> SourceRemedies {
    if case .estimated(let settings) = self { return settings.remedies }
    return SourceRemedies(of: Supplies.usualName, isNamedByPerson: true) { failure in
      guard case .missing = failure else { return "see the kernel log: sudo dmesg" }
      let here = Self.automatic.found(in: BoardSearch(sys: sys)).items.map { $0.address }
      if here.isEmpty { return "this board has no power supply; write battery: auto" }
      return
        "power supplies here: \(listed: here, max: Self.suppliesShownMax); write these to battery,"
        + " or auto"
    }
  }
}
