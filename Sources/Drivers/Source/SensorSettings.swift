public import Bytes
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
  /// Sensors with a unit that the entry may have, for keys that name one. Default: none.
  var measured: [MeasuredSensor] { get }
  func source(_ context: SourceContext) -> any Source
}

extension SensorSettings {
  var measured: [MeasuredSensor] { [] }
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

/// A sensor with a unit from an entry of `sensors`, for reference by other keys.
public struct MeasuredSensor: Equatable, Sendable {
  /// Name in Home Assistant.
  public let name: [UInt8]
  /// Unique id; nil if only the device knows it.
  public let uniqueID: [UInt8]?
  /// Unit, such as `V`.
  public let unit: [UInt8]
  /// Name of the sensor with which the same device reports the charge of its battery in percent, if
  /// it knows it.
  public var chargeName: [UInt8]?

  /// Whether `text` is the name or the unique id of the sensor.
  func isCalled(_ text: [UInt8]) -> Bool { name == text || uniqueID == text }
}

/// Remedies for the failures of a source, with a command if there is one.
public struct SourceRemedies: Sendable {
  /// Name of the source.
  public let source: InlineText
  /// Whether the configuration names what the source reads: a missing device may have a wrong name.
  public let isNamedByPerson: Bool
  private let remedy: @Sendable (SourceFailure) -> MessageText

  init(
    of source: InlineText, isNamedByPerson: Bool,
    _ remedy: @escaping @Sendable (SourceFailure) -> MessageText
  ) {
    self.source = source
    self.isNamedByPerson = isNamedByPerson
    self.remedy = remedy
  }

  /// Whether the source has a part with this name, such as `T of serial0`; a long name is cut.
  public func areAbout(partCalled part: InlineText) -> Bool {
    let text = part.bytes
    for start in text.indices where text.extracting(start...).starts(with: " of ") {
      let name = text.extracting((start + 4)...)
      return !name.isEmpty && source.bytes.starts(with: name)
    }
    return false
  }

  public func remedy(for failure: SourceFailure) -> MessageText {
    switch failure {
    case .notPermitted:
      "let the agent read it: sudo adduser homeward GROUP, where GROUP owns it (ls -l)"
    case .unsupported(_, let remedy), .distrusted(_, _, let remedy): "\(remedy.text)"
    case .intermittent(let failure):
      "first check its cable, plugs and supply; otherwise \(self.remedy(for: failure))"
    default: remedy(failure)
    }
  }
}
