import Bytes
public import LinuxIO
import Sensing
public import YAML

/// `system`: settings of the computer's own sensors.
public struct SystemSettings: Equatable, Sendable {
  /// `auto`, `off`, a list, or `only` of a mapping; in the order of the cases. Default: all but the
  /// data that this program sends and receives.
  public var sensors: [SystemSensor]
  /// `auto`: a sensor that this computer lacks is not a fault.
  public var isAutomatic: Bool
  /// `min_change`: smallest changes to report of the temperature, the load, the memory and the
  /// disk.
  public var minChanges: MinChanges

  public static let all = SystemSettings(
    [.cpuTemperature, .load, .memory, .uptime, .disk], isAutomatic: true)

  public init(
    _ sensors: [SystemSensor], isAutomatic: Bool = false, minChanges: MinChanges = .standard
  ) {
    self.sensors = sensors
    self.isAutomatic = isAutomatic
    self.minChanges = minChanges
  }

  /// Smallest change to report; nil for the standard one.
  func minChange(of sensor: SystemSensor) -> FixedPoint? { minChanges[sensor.rawValue] }

  public func sources(_ context: SourceContext) -> [any Source] {
    sensors.map { source(of: $0, context) }
  }

  private func source(of sensor: SystemSensor, _ context: SourceContext) -> any Source {
    switch sensor {
    case .cpuTemperature: ProcessorTemperature(self, context)
    case .load: LoadAverage(self, context)
    case .memory: Memory(self, context)
    case .uptime: LastStart(self, context)
    case .disk: DiskSpace(self, context)
    case .traffic: DataTraffic(self, context)
    }
  }

  /// Returns the remedies. `proc` is the mount point of procfs in the configuration.
  public func remedies(proc: Path) -> [SourceRemedies] {
    let dmesg: StaticString = "see the kernel log: sudo dmesg"
    let isUsual = proc.bytes.span.elementsEqual("/proc")
    let ofFigures = (["load average", "memory", "last start"] as [StaticString]).map { name in
      SourceRemedies(of: InlineText(name), isNamedByPerson: !isUsual) { _ in
        """
        it comes from host.proc, which is \(bytes: proc.bytes): write where procfs is mounted, \
        which is /proc unless this is a container
        """
      }
    }
    return ofFigures + [
      SourceRemedies(of: InlineText("disk space"), isNamedByPerson: false) { _ in "\(dmesg)" },
      SourceRemedies(of: InlineText("processor temperature"), isNamedByPerson: true) { failure in
        guard case .missing = failure else { return "\(dmesg)" }
        return "leave cpu_temperature out of system"
      },
    ]
  }
}

/// A sensor of the computer itself.
public enum SystemSensor: Int, CaseIterable, Sendable {
  case cpuTemperature, load, memory, uptime, disk
  /// Data that this program sends and receives; only if it is named.
  case traffic

  /// Word in the configuration.
  var word: StaticString { words.word }
  /// Name for people.
  var name: StaticString { words.name }

  private var words: (word: StaticString, name: StaticString) {
    switch self {
    case .cpuTemperature: ("cpu_temperature", "Processor temperature")
    case .load: ("load", "Load")
    case .memory: ("memory", "Memory used")
    case .uptime: ("uptime", "Last start")
    case .disk: ("disk", "Disk used")
    case .traffic: ("traffic", "Data sent and received")
    }
  }
}

extension SystemSettings {
  private static let example: StaticString = "[cpu_temperature, load]"

  /// Reads `system`, and reports unusable values.
  public init(_ field: ConfigurationField) {
    if field.isText {
      let remedy: MessageText = "write auto, off or a list, such as \(Self.example)"
      self = field.word(of: ["auto", "off"], remedy: remedy) == 1 ? SystemSettings([]) : .all
    } else if field.isMapping {
      self = .all
      guard let keys = field.section(example: Self.example) else { return }
      if let only = keys.optional("only") {
        self = SystemSettings(only.systemSensors(example: Self.example))
      }
      minChanges = keys.optional("min_change")?.minChanges(of: sensors) ?? .standard
      keys.reportUnknownKeys()
    } else {
      self.init(field.systemSensors(example: Self.example))
    }
  }
}

extension ConfigurationField {
  fileprivate func systemSensors(example: StaticString) -> [SystemSensor] {
    let all = SystemSensor.allCases
    let named = indices(of: all.map { $0.word }, example: example)
    return all.indices.filter { named.contains($0) }.map { all[$0] }
  }

  /// Reads `min_change`. The last start is a time, and not a number.
  fileprivate func minChanges(of sensors: [SystemSensor]) -> MinChanges {
    MinChanges(
      self,
      of: sensors.filter { $0 != .uptime }.map { (number: $0.rawValue, word: $0.word) },
      example: "min_change: { cpu_temperature: 2, load: 0.5 }")
  }
}

extension SystemSettings {
  /// Maximum number of zones in the remark.
  private static let zonesShownMax = 8

  /// Returns the sensors of the board itself, and marks those that this setting reports.
  @inline(never)
  func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("The board itself", key: "system", isEntry: false)
    let zones = BoardSearch.names(in: search.sys / "class" / "thermal").filter {
      $0.span.starts(with: "thermal_zone")
    }
    let hasProcessor = ProcessorZones(in: search.sys).best != nil
    for sensor in SystemSensor.allCases {
      if sensor == .cpuTemperature, !hasProcessor { continue }
      let reason: MessageText =
        isAutomatic ? "reported by system: auto" : "in the configuration"
      kind.append(
        FoundItem(
          [UInt8](sensor.word), named: [UInt8](sensor.name), line: "system: [\(sensor.word)]",
          reportedBy: sensors.contains(sensor) ? reason : nil))
    }
    if zones.count > 1 { kind.note = Self.types(of: zones, in: search) }
    return kind
  }

  private static func types(of zones: [[UInt8]], in search: BoardSearch) -> MessageText {
    let types = zones.map { zone in
      DeviceFinder.text(of: search.sys / "class" / "thermal" / zone / "type") ?? zone
    }
    return "thermal zones here: \(listed: types, max: zonesShownMax)"
  }
}
