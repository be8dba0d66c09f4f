import Bytes
import Sensing
public import YAML

/// One entry of the configuration's `sensors`, known by the key that names what it reads.
///
/// A kind of sensor is a folder beside this file, with its settings, its configuration keys, its
/// driver and its documentation, and a case here.
public enum SensorSettings: Equatable, Sendable {
  case gpio(GPIOLineSettings)
  case oneWire(OneWireSettings)
  case network(InterfaceSettings)
  case veDirect(VEDirectSettings)
  case iio(IIOSettings)
  case monitor(MonitorSettings)
  case textFile(TextFileSettings)
  case pulses(PulseSettings)

  /// The keys of the kinds.
  private static let keys: [StaticString] = [
    "gpio", "one_wire", "network", "ve_direct", "iio", "hwmon", "file", "pulses",
  ]
  private static let countMax = 64

  /// Reads `sensors` and `outputs`, which share lines and names. What cannot be used is reported
  /// and left out.
  public static func lists(
    sensors: ConfigurationField?, outputs: ConfigurationField?,
    notAmong taken: TakenNames = TakenNames()
  ) -> (sensors: [SensorSettings], outputs: [OutputSettings]) {
    (
      sensors.map { list($0, notAmong: taken) } ?? [],
      outputs.map { OutputSettings.list($0, notAmong: taken) } ?? []
    )
  }

  private static func list(
    _ field: ConfigurationField, notAmong taken: TakenNames
  ) -> [SensorSettings] {
    field.items(count: 0...countMax, example: "[{ gpio: GPIO17, name: Bilge }]")
      .compactMap { SensorSettings($0, notAmong: taken) }
  }

  private init?(_ field: ConfigurationField, notAmong taken: TakenNames) {
    guard let keys = field.section(example: "{ gpio: GPIO17, name: Bilge }") else { return nil }
    let kinds = keys.indices(of: Self.keys)
    if kinds.count > 1 {
      keys.report(
        at: Self.keys[kinds[1]],
        "an entry has one kind, and this one has \(Self.keys[kinds[0]]) and \(Self.keys[kinds[1]])",
        remedy: "write an entry for each")
      return nil
    }
    if kinds.isEmpty, keys.reportMissingKind(Self.keys) { return nil }
    defer { keys.reportUnknownKeys() }
    let settings: SensorSettings? =
      switch kinds.first {
      case 1: OneWireSettings(keys, notAmong: taken).map(SensorSettings.oneWire)
      case 2: InterfaceSettings(keys, notAmong: taken).map(SensorSettings.network)
      case 3: VEDirectSettings(keys, notAmong: taken).map(SensorSettings.veDirect)
      case 4: IIOSettings(keys, notAmong: taken).map(SensorSettings.iio)
      case 5: MonitorSettings(keys, notAmong: taken).map(SensorSettings.monitor)
      case 6: TextFileSettings(keys, notAmong: taken).map(SensorSettings.textFile)
      case 7: PulseSettings(keys, notAmong: taken).map(SensorSettings.pulses)
      default: GPIOLineSettings(keys, notAmong: taken).map(SensorSettings.gpio)
      }
    guard let settings else { return nil }
    self = settings
  }

  public func source(_ context: SourceContext) -> any Source {
    switch self {
    case .gpio(let settings):
      GPIOLine(settings, loop: context.loop, sink: context.sink, supervisor: context.supervisor)
    case .oneWire(let settings):
      OneWireThermometer(settings, context)
    case .network(let settings):
      InterfaceStatistics(
        settings, sys: context.sys, sink: context.sink, context.slowAccess)
    case .veDirect(let settings):
      VEDirect(settings, loop: context.loop, sink: context.sink, supervisor: context.supervisor)
    case .iio(let settings):
      settings.source(context)
    case .monitor(let settings):
      settings.source(context)
    case .textFile(let settings):
      TextFileSensor(settings, context)
    case .pulses(let settings):
      PulseLine(
        settings, sink: context.sink, supervisor: context.supervisor, counts: context.counts)
    }
  }

  /// What it reads, and what it is called.
  public var entry: ConfiguredEntry {
    switch self {
    case .gpio(let settings): ConfiguredEntry("gpio", settings.address.text, settings.entity.name)
    case .oneWire(let settings): ConfiguredEntry("one_wire", settings.id, settings.entity.name)
    case .network(let settings):
      ConfiguredEntry("network", settings.interface, settings.entity.name)
    case .veDirect(let settings): ConfiguredEntry("ve_direct", settings.path, settings.entity.name)
    case .iio(let settings): settings.entry.named("iio")
    case .monitor(let settings): settings.entry.named("hwmon")
    case .textFile(let settings):
      ConfiguredEntry("file", settings.path, settings.measurement.entity.name)
    case .pulses(let settings):
      ConfiguredEntry("pulses", settings.address.text, settings.entity.name)
    }
  }

  public var remedies: SourceRemedies {
    switch self {
    case .gpio(let settings): settings.remedies
    case .oneWire(let settings): settings.remedies
    case .network(let settings): settings.remedies
    case .veDirect(let settings): settings.remedies
    case .iio(let settings): settings.remedies
    case .monitor(let settings): settings.remedies
    case .textFile(let settings): settings.remedies
    case .pulses(let settings): settings.remedies
    }
  }

  /// The sensors with a unit that it can bring, for keys that name one.
  public var measured: [MeasuredSensor] {
    switch self {
    case .veDirect(let settings): settings.measured
    case .iio(let settings): settings.entry.measurement.measured
    case .monitor(let settings): settings.entry.measurement.measured
    case .textFile(let settings): settings.measurement.measured
    case .gpio, .oneWire, .network, .pulses: []
    }
  }
}
