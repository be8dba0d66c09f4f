import Bytes
import Sensing
import YAML

/// `location.anchor`: settings of the anchor watch.
public struct AnchorSettings: Equatable, Sendable {
  /// `radius`: chain, boat, and the way to the receiver; 5 m to 10 km. Required.
  public var radiusMeters: Double
  /// `gpio`: the line that sets the watch when it becomes active, and clears it when it becomes
  /// inactive; `active_low`, `bias` and `debounce` as in `sensors`. Default: nil, only commands set
  /// it; required if they are not allowed.
  public var line: GPIOLineSettings?
  /// `name`: name of the watch in Home Assistant; 1 to 64 characters. Default: `Anchor`.
  public var name: [UInt8]
}

extension AnchorSettings {
  private static let radiusRange = 5...10_000
  /// Longest `every` with an anchor watch: a cycle judges one fix, and two have to agree.
  public static let cycleMax: Duration = .seconds(300)

  /// Reads `location.anchor`; nil, reported, if it cannot be used. `isCommanded` says whether
  /// commands may set and clear the watch.
  init?(_ field: ConfigurationField, notAmong taken: TakenNames, isCommanded: Bool) {
    guard let keys = field.section(example: "anchor: { radius: 40m, gpio: GPIO5 }") else {
      return nil
    }
    defer { keys.reportUnknownKeys() }
    let radius = keys.required("radius", example: "radius: 40m")?
      .meters(in: Self.radiusRange, example: "40m")
    let name = keys.optional("name")?.name(notAmong: taken.names)
    let gpio = keys.optional("gpio")
    let line = gpio.flatMap { Self.line($0, keys, notAmong: taken) }
    if gpio == nil, !isCommanded {
      field.report(
        "nothing can set this anchor watch",
        remedy: "add the line of a switch, such as gpio: GPIO5, or commands: [command_anchor]")
    }
    guard let radius, gpio == nil || line != nil else { return nil }
    self.init(radiusMeters: radius, line: line, name: name ?? [UInt8]("Anchor"))
  }

  private static func line(
    _ field: ConfigurationField, _ keys: SectionReader, notAmong taken: TakenNames
  ) -> GPIOLineSettings? {
    let address = field.gpioLine(notAmong: taken)
    let debounce = keys.optional("debounce")?
      .duration(in: GPIOLineSettings.debounceRange, example: "50ms")
    let isActiveLow = keys.optional("active_low")?.boolean()
    let bias = keys.optional("bias")?.bias()
    return address.map {
      GPIOLineSettings(
        address: $0, entity: EntitySettings(name: [UInt8]("Anchor switch")),
        debounce: debounce ?? .milliseconds(20), isActiveLow: isActiveLow ?? false,
        bias: bias ?? .asIs)
    }
  }

  /// Remedies for the line, if there is one, and for the file that stores the watch.
  public var remedies: [SourceRemedies] {
    let file = SourceRemedies(of: AnchorAlarm.fileLabel, isNamedByPerson: false) { failure in
      if case .malformed = failure {
        return "set the watch again with its switch or a command; this replaces the file"
      }
      return "free space on the disk of state_directory, and check whether it is read-only or fails"
        + " (sudo dmesg); the agent retries in each cycle"
    }
    return (line.map { [$0.remedies] } ?? []) + [file]
  }

  /// Source of the line that sets the watch, if there is one. Its levels go to the sink of
  /// `context`.
  public func lineSource(_ context: SourceContext) -> (any Source)? {
    line.map { GPIOLine($0, context) }
  }

  var description: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("anchor"), name: name, kind: .binarySensor,
      deviceClass: [UInt8]("safety"), isUrgent: true)
  }
}
