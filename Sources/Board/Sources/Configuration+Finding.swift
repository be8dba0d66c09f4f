import Bytes
public import Drivers
public import LinuxIO
import YAML

extension Configuration {
  /// Configuration without a file: it reports the data of the kernel, and nothing else.
  public static var withoutFile: Configuration {
    guard let standard = read(alone: "") else {
      preconditionFailure("the least configuration is one")
    }
    return standard
  }

  /// Finds everything on this board, kind by kind, each with the YAML that reports it, and whether
  /// this configuration already does. The YAML can be copied into a configuration.
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

  /// Returns a configuration of the same board that reports only one item: as this configuration
  /// does, if it has the item, otherwise by the line that is shown. Nil if no YAML reports it.
  public func reporting(_ item: FoundItem, of kind: FoundKind) -> Configuration? {
    guard var alone = reportingByLine(item, of: kind) else { return nil }
    guard item.reportedBy != nil else { return alone }
    if kind.isEntry {
      alone.sensors = sensors.filter {
        [UInt8]($0.entry.key).span.elementsEqual(kind.key) && $0.entry.name == item.name
      }
    } else if alone.location != nil {
      alone.location = location
      // The anchor watch is an item of its own.
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
