import Bytes
public import Drivers
public import LinuxIO
import YAML

extension Configuration {
  /// What holds where there is no file: what the kernel knows is reported, and nothing else.
  public static var withoutFile: Configuration {
    guard let standard = read(alone: "") else {
      preconditionFailure("the least configuration is one")
    }
    return standard
  }

  /// All that this board has, kind by kind, each with the YAML that reports it, and whether this
  /// configuration does so already. What is shown can be written into a configuration as it is.
  ///
  /// - Parameters:
  ///   - loop: what asks gpsd whether it is there.
  ///   - devices: where the devices are.
  /// - Returns: the kinds in the order in which people read them.
  public func findSources(loop: EventLoop, devices: Path = Path("/dev")) -> [FoundKind] {
    let search = BoardSearch(
      sys: Path(host.sys), devices: devices, configured: sensors.map { $0.entry },
      names: outputs.map { $0.entity.name })
    var kinds = search.everything(
      battery: battery, system: system, location: location, loop: loop)
    for index in kinds.indices {
      let kind = kinds[index]
      kinds[index].keep { reporting($0, of: kind) != nil }
    }
    return kinds
  }

  /// The same board with a configuration that reports one thing and nothing else: as this
  /// configuration does, where it has that thing, else by the line that is shown. Nil where there
  /// is no YAML that says so.
  public func reporting(_ item: FoundItem, of kind: FoundKind) -> Configuration? {
    guard var alone = reportingByLine(item, of: kind) else { return nil }
    guard item.reportedBy != nil else { return alone }
    if kind.isEntry {
      alone.sensors = sensors.filter {
        [UInt8]($0.entry.key).span.elementsEqual(kind.key) && $0.entry.name == item.name
      }
    } else if alone.location != nil {
      alone.location = location
      // Its line is a thing of its own.
      alone.location?.anchor = nil
    }
    return alone
  }

  private func reportingByLine(_ item: FoundItem, of kind: FoundKind) -> Configuration? {
    guard let line = item.line else { return nil }
    let isBattery = [UInt8](kind.key).span.elementsEqual("battery")
    let isSystem = [UInt8](kind.key).span.elementsEqual("system")
    let others: MessageText =
      "\((isBattery ? "" : "battery: off\n") as StaticString)"
      + "\((isSystem ? "" : "system: off\n") as StaticString)"
    let text: MessageText = kind.isEntry ? "\(others)sensors:\n  - \(line)\n" : "\(others)\(line)\n"
    guard var alone = Self.read(alone: text) else { return nil }
    if kind.isEntry {
      guard let entry = alone.sensors.first?.entry, alone.sensors.count == 1,
        [UInt8](entry.key).span.elementsEqual(kind.key), entry.address == item.address,
        entry.name == item.name
      else { return nil }
    }
    alone.host = host
    alone.stateDirectory = stateDirectory
    return alone
  }

  private static func read(alone text: MessageText) -> Configuration? {
    let file: MessageText = "home_assistant: { url: http://localhost }\n\(text)"
    do throws(ConfigurationErrors) { return try parse(file.bytes) } catch { return nil }
  }
}
