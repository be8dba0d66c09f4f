import Bytes
public import LinuxIO
import Sensing
public import YAML

/// `battery`: which power supplies are reported.
public enum BatterySettings: Equatable, Sendable {
  /// `auto`: every one that the kernel lists, now or later.
  case automatic
  /// `off`
  case off
  /// A list of 1 to 16 names in `/sys/class/power_supply`, such as `[BAT0]`; one that is not there
  /// is a failure.
  case supplies([[UInt8]])
  /// A mapping: one that the kernel does not know, judged by sensors of `sensors`.
  case estimated(EstimatedBatterySettings)

  public func source(_ context: SourceContext) -> (any Source)? {
    switch self {
    case .off, .estimated: nil
    case .automatic:
      Supplies(sys: context.sys, sink: context.sink, supervisor: context.supervisor)
    case .supplies(let names):
      Supplies(
        sys: context.sys, selection: .named(names), sink: context.sink,
        supervisor: context.supervisor)
    }
  }

  /// The same, to be looked at: a source for each supply that is named, or there now.
  public func looks(_ context: SourceContext) -> [any Source] {
    var names = [[UInt8]]()
    switch self {
    case .off, .estimated: return []
    case .supplies(let named): names = named
    case .automatic: names = Supplies.names(sys: context.sys)
    }
    guard (1...Supplies.suppliesMax).contains(names.count) else {
      return source(context).map { [$0] } ?? []
    }
    return names.map { name in
      Supplies(
        sys: context.sys, selection: .named([name]), sink: context.sink,
        supervisor: context.supervisor, name: InlineText(name.span))
    }
  }

  /// What stands between all sources and their sink where the battery is judged by readings.
  public func estimate(_ context: SourceContext) -> EstimatedBattery? {
    guard case .estimated(let settings) = self else { return nil }
    return EstimatedBattery(settings, sink: context.sink)
  }
}

extension BatterySettings {
  /// A directory of the kernel's device model; real ones stay far below.
  fileprivate static let nameBytesMax = 64

  /// Reads `battery`. What cannot be used is reported. `sensors` are those that a mapping may name.
  public init(_ field: ConfigurationField, among sensors: [MeasuredSensor] = []) {
    if field.isText {
      let remedy: MessageText = "write auto, off or a list of names, such as [BAT0]"
      self = field.word(of: ["auto", "off"], remedy: remedy) == 1 ? .off : .automatic
      return
    }
    if field.isMapping {
      let keys = field.section(example: "battery: { voltage: House battery voltage }")
      let settings = keys.flatMap { EstimatedBatterySettings($0, among: sensors) }
      self = settings.map { .estimated($0) } ?? .automatic
      return
    }
    let seen = SeenTexts()
    var names: [[UInt8]] = []
    for item in field.items(count: 1...Supplies.suppliesMax, example: "[BAT0]") {
      guard let name = item.supplyName() else { continue }
      seen.add(name, of: item)
      names.append(name)
    }
    self = .supplies(names)
  }
}

extension ConfigurationField {
  /// The name of a directory in `/sys/class/power_supply`.
  fileprivate func supplyName() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isName =
      !text.isEmpty && text.count <= BatterySettings.nameBytesMax
      && text.first != UInt8(ascii: ".") && text.span.isVisibleASCII
      && !text.contains(UInt8(ascii: "/"))
    if isName { return text }
    report(
      "\(quoted: text) is not the name of a power supply",
      remedy: "write one that \"ls /sys/class/power_supply\" shows")
    return nil
  }
}

// MARK: What a person does

extension BatterySettings {
  /// More would not help, and a status document holds many remedies.
  private static let suppliesShownMax = 8

  /// About the list of supplies; a supply fails under its own name, which the list may learn later.
  public func remedies(sys: Path) -> SourceRemedies {
    if case .estimated(let settings) = self { return settings.remedies }
    return SourceRemedies(of: Supplies.usualName, isNamedByPerson: true) { failure in
      guard case .missing = failure else { return "look what the kernel says of it: sudo dmesg" }
      let here = Self.automatic.found(in: BoardSearch(sys: sys)).items.map { $0.address }
      if here.isEmpty { return "power supplies here: none; write these to battery, or auto" }
      return
        "power supplies here: \(listed: here, max: Self.suppliesShownMax); write these to battery,"
        + " or auto"
    }
  }
}
