import Bytes
import LinuxIO

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
