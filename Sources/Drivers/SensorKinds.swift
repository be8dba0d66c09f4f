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

  /// The keys of the kinds.
  private static let keys: [StaticString] = ["gpio", "one_wire", "network"]
  private static let countMax = 64

  /// Reads `sensors`. What cannot be used is reported and left out.
  public static func list(_ field: ConfigurationField) -> [SensorSettings] {
    let taken = TakenNames()
    return field.items(count: 0...countMax, example: "[{ gpio: GPIO17, name: Bilge }]")
      .compactMap { SensorSettings($0, notAmong: taken) }
  }

  private init?(_ field: ConfigurationField, notAmong taken: TakenNames) {
    guard let keys = field.section(example: "{ gpio: GPIO17, name: Bilge }") else { return nil }
    defer { keys.reportUnknownKeys() }
    switch keys.index(ofFirst: Self.keys) {
    case 1:
      guard let settings = OneWireSettings(keys, notAmong: taken) else { return nil }
      self = .oneWire(settings)
    case 2:
      guard let settings = InterfaceSettings(keys, notAmong: taken) else { return nil }
      self = .network(settings)
    default:
      guard let settings = GPIOLineSettings(keys, notAmong: taken) else { return nil }
      self = .gpio(settings)
    }
  }

  public func source(_ context: SourceContext) -> any Source {
    switch self {
    case .gpio(let settings):
      GPIOLine(
        settings, loop: context.loop, sink: context.sink, supervisor: context.supervisor)
    case .oneWire(let settings):
      OneWireThermometer(settings, context)
    case .network(let settings):
      InterfaceStatistics(settings, sys: context.sys, sink: context.sink)
    }
  }

  public var remedies: SourceRemedies {
    switch self {
    case .gpio(let settings): settings.remedies
    case .oneWire(let settings): settings.remedies
    case .network(let settings): settings.remedies
    }
  }
}
