import Bytes
public import LinuxIO
import Sensing
public import YAML

/// `system`: settings of the computer's own sensors.
public struct SystemSettings: Equatable, Sendable {
  /// `auto`, `off`, a list, or `only` of a mapping. Default: all of them.
  public var sensors: SystemSensors
  /// `min_change`: smallest changes to report of the temperature, the load, the memory and the
  /// disk.
  public var minChanges: MinChanges

  public static let all = SystemSettings(.all)

  public init(_ sensors: SystemSensors, minChanges: MinChanges = .standard) {
    self.sensors = sensors
    self.minChanges = minChanges
  }

  public func sources(_ context: SourceContext) -> [any Source] {
    SystemSensors.kinds.filter { sensors.isSuperset(of: $0.sensor) }.map {
      source($0.sensor, minChange: minChanges[Int($0.sensor.rawValue)], context)
    }
  }

  private func source(
    _ sensor: SystemSensors, minChange: FixedPoint?, _ context: SourceContext
  ) -> any Source {
    switch sensor {
    case .cpuTemperature:
      ProcessorTemperature(
        sys: context.sys, isOptional: sensors.contains(.asFarAsThere), minChange: minChange,
        sink: context.sink, context.slowAccess)
    case .load:
      LoadAverage(
        proc: context.proc, minChange: minChange, sink: context.sink, context.slowAccess)
    case .memory:
      Memory(proc: context.proc, minChange: minChange, sink: context.sink, context.slowAccess)
    case .uptime: LastStart(proc: context.proc, sink: context.sink, context.slowAccess)
    case .traffic: DataTraffic(minChange: minChange, sink: context.sink)
    default: DiskSpace(minChange: minChange, sink: context.sink, context.slowAccess)
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

/// A set of the computer's own sensors.
public struct SystemSensors: OptionSet, Sendable {
  public static let cpuTemperature = SystemSensors(rawValue: 1 << 0)
  public static let load = SystemSensors(rawValue: 1 << 1)
  public static let memory = SystemSensors(rawValue: 1 << 2)
  public static let uptime = SystemSensors(rawValue: 1 << 3)
  public static let disk = SystemSensors(rawValue: 1 << 4)
  /// `auto`: a sensor that this computer lacks is not a fault.
  public static let asFarAsThere = SystemSensors(rawValue: 1 << 5)
  /// Data that this program sends and receives; only if it is named.
  public static let traffic = SystemSensors(rawValue: 1 << 6)
  public static let all: SystemSensors = [
    .cpuTemperature, .load, .memory, .uptime, .disk, .asFarAsThere,
  ]

  /// Words in the configuration, and names for people.
  static let kinds: [(word: StaticString, name: StaticString, sensor: SystemSensors)] = [
    ("cpu_temperature", "Processor temperature", .cpuTemperature), ("load", "Load", .load),
    ("memory", "Memory used", .memory), ("uptime", "Last start", .uptime),
    ("disk", "Disk used", .disk), ("traffic", "Data sent and received", .traffic),
  ]

  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension SystemSettings {
  private static let example: StaticString = "[cpu_temperature, load]"

  /// Reads `system`, and reports unusable values.
  public init(_ field: ConfigurationField) {
    if field.isText {
      let remedy: MessageText = "write auto, off or a list, such as \(Self.example)"
      self.init(field.word(of: ["auto", "off"], remedy: remedy) == 1 ? [] : .all)
    } else if field.isMapping {
      self.init(.all)
      guard let keys = field.section(example: Self.example) else { return }
      sensors = keys.optional("only")?.systemSensors(example: Self.example) ?? .all
      minChanges = keys.optional("min_change")?.minChanges(of: sensors) ?? .standard
      keys.reportUnknownKeys()
    } else {
      self.init(field.systemSensors(example: Self.example))
    }
  }
}

extension ConfigurationField {
  fileprivate func systemSensors(example: StaticString) -> SystemSensors {
    let kinds = SystemSensors.kinds
    let seen = SeenTexts()
    var sensors: SystemSensors = []
    for item in items(count: 1...kinds.count, example: example) {
      guard let index = item.word(of: kinds.map { $0.word }) else { continue }
      seen.add([UInt8](kinds[index].word), of: item)
      sensors.formUnion(kinds[index].sensor)
    }
    return sensors
  }

  /// Reads `min_change`. The last start is a time, and not a number.
  fileprivate func minChanges(of sensors: SystemSensors) -> MinChanges {
    let measured = SystemSensors.kinds.filter {
      sensors.isSuperset(of: $0.sensor) && $0.sensor != .uptime
    }
    return MinChanges(
      self,
      of: measured.map { MinChanges.Sensor(number: Int($0.sensor.rawValue), word: $0.word) },
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
    let hasProcessor = ProcessorZone(bestOf: search.sys) != nil
    for (word, name, sensor) in SystemSensors.kinds {
      if sensor == .cpuTemperature, !hasProcessor { continue }
      let reason: MessageText =
        sensors.contains(.asFarAsThere) ? "reported by system: auto" : "in the configuration"
      kind.append(
        FoundItem(
          [UInt8](word), named: [UInt8](name), line: "system: [\(word)]",
          reportedBy: sensors.isSuperset(of: sensor) ? reason : nil))
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
