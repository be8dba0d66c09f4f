import Bytes
import LinuxIO
import YAML

extension BatterySettings {
  /// Returns the power supplies that the kernel lists, and marks those that this setting reports.
  func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Power supplies", key: "battery", isEntry: false)
    for name in Supplies.names(sys: search.sys) {
      kind.append(
        name.canBeQuoted
          ? FoundItem(
            name, named: name, line: "battery: [\(yaml: name)]",
            reportedBy: reason(toReport: name, sys: search.sys))
          : nil)
    }
    return kind
  }

  private func reason(toReport name: [UInt8], sys: Path) -> MessageText? {
    guard case .supplies(let settings) = self else { return nil }
    guard let names = settings.names else {
      return Supplies.isOfDevice(name, sys: sys) ? nil : "reported by battery: auto"
    }
    return names.contains(name) ? "in the configuration" : nil
  }
}
