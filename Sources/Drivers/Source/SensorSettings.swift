public import Sensing
import YAML

/// Settings of one kind of sensor: an entry of the configuration's `sensors`.
///
/// A kind of sensor is a folder with its settings, its driver and its page, and a row in
/// `SensorKind.all`. The agent asks an entry only for members of this protocol, so the compiler
/// names those that a new kind lacks.
protocol SensorSettings: Sendable {
  /// Key of the kind, such as `one_wire`.
  static var key: StaticString { get }
  /// Lists the items of the kind that this board has; none of a kind that cannot be found.
  static func found(in search: BoardSearch) -> FoundKind

  /// Reads an entry; nil, reported, if it cannot be used.
  init?(_ keys: SectionReader, notAmong taken: TakenNames)

  var input: SensorInput { get }
  var entity: EntitySettings { get }
  var remedies: SourceRemedies { get }
  /// Sensors with a unit that the entry may have, for keys that name one.
  var measured: [MeasuredSensor] { get }
  func source(_ context: SourceContext) -> any Source
}

/// Input of an entry of `sensors`.
public enum SensorInput {
  /// GPIO line. `moved` makes the entry for another line, with the same identity.
  case line(GPIOLineAddress, moved: (GPIOLineAddress) -> any ConfiguredSensor)
  /// File or device that is opened by its path.
  case file([UInt8])
  /// Device that the kernel knows by a name.
  case part([UInt8])

  /// Text in the configuration, such as `bme280/temp`.
  var text: [UInt8] {
    switch self {
    case .line(let address, _): address.text
    case .file(let text), .part(let text): text
    }
  }
}

/// Entry of the configuration's `sensors`, of any kind.
public protocol ConfiguredSensor: AnyObject, Sendable {
  var entry: ConfiguredEntry { get }
  var input: SensorInput { get }
  var remedies: SourceRemedies { get }
  var measured: [MeasuredSensor] { get }
  func source(_ context: SourceContext) -> any Source
}

extension ConfiguredSensor {
  /// GPIO line that the entry reads; nil for other inputs.
  public var line: GPIOLineAddress? {
    if case .line(let address, _) = input { address } else { nil }
  }
}

/// Entry of one kind.
final class SensorEntry<Settings: SensorSettings>: ConfiguredSensor {
  let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  var entry: ConfiguredEntry { ConfiguredEntry(Settings.key, input.text, settings.entity.name) }
  var input: SensorInput { settings.input }
  var remedies: SourceRemedies { settings.remedies }
  var measured: [MeasuredSensor] { settings.measured }
  func source(_ context: SourceContext) -> any Source { settings.source(context) }
}
