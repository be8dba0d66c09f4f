import Bytes
import Sensing
public import YAML

/// `system`: which of the computer's own sensors are reported.
public struct SystemSettings: OptionSet, Sendable {
  public static let cpuTemperature = SystemSettings(rawValue: 1 << 0)
  public static let load = SystemSettings(rawValue: 1 << 1)
  public static let memory = SystemSettings(rawValue: 1 << 2)
  public static let uptime = SystemSettings(rawValue: 1 << 3)
  public static let disk = SystemSettings(rawValue: 1 << 4)
  /// `auto`: what this computer does not have is no fault.
  public static let asFarAsThere = SystemSettings(rawValue: 1 << 5)
  public static let all: SystemSettings = [
    .cpuTemperature, .load, .memory, .uptime, .disk, .asFarAsThere,
  ]

  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public func sources(_ context: SourceContext) -> [any Source] {
    var sources: [any Source] = []
    if contains(.cpuTemperature) {
      sources.append(
        ProcessorTemperature(
          sys: context.sys, isOptional: contains(.asFarAsThere), sink: context.sink))
    }
    if contains(.load) { sources.append(LoadAverage(proc: context.proc, sink: context.sink)) }
    if contains(.memory) { sources.append(Memory(proc: context.proc, sink: context.sink)) }
    if contains(.uptime) { sources.append(LastStart(proc: context.proc, sink: context.sink)) }
    if contains(.disk) { sources.append(DiskSpace(sink: context.sink)) }
    return sources
  }

  public var remedies: SourceRemedies {
    SourceRemedies(of: InlineText("processor temperature"), isNamedByPerson: true) { failure in
      guard case .missing = failure else { return "look what the kernel says of it: sudo dmesg" }
      return "leave cpu_temperature out of system"
    }
  }
}

extension SystemSettings {
  /// Reads `system`. What cannot be used is reported.
  public init(_ field: ConfigurationField) {
    if field.isText {
      let remedy: MessageText = "write auto, off or a list, such as [cpu_temperature, load]"
      self = field.word(of: ["auto", "off"], remedy: remedy) == 1 ? [] : .all
      return
    }
    let words = Self.words
    let seen = SeenTexts()
    self = []
    for item in field.items(count: 1...words.count, example: "[cpu_temperature, load]") {
      guard let index = item.word(of: words) else { continue }
      seen.add([UInt8](words[index]), of: item)
      formUnion(Self.sensors[index])
    }
  }

  /// What may stand in the list, and what it means.
  static let words: [StaticString] = ["cpu_temperature", "load", "memory", "uptime", "disk"]
  static let sensors: [SystemSettings] = [.cpuTemperature, .load, .memory, .uptime, .disk]
}
