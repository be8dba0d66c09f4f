import Bytes
import LinuxIO

extension VEDirectSettings {
  /// Folder in which udev names serial ports by what is plugged in.
  private static let folder: StaticString = "serial/by-id"

  /// Returns the serial ports by the names of their adapters. Those that Victron makes are for
  /// VE.Direct; to others anything may be connected, and they are not listened to.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Serial ports, for VE.Direct", key: key)
    for name in BoardSearch.names(in: search.devices / folder) {
      let path = [UInt8]("/dev/") + [UInt8](folder) + [UInt8(ascii: "/")] + name
      let isVictron = name.span.starts(with: "usb-VictronEnergy")
      kind.append(
        search.entry(
          key, [path], named: [[UInt8](isVictron ? "Victron" : "Battery monitor")],
          words: isVictron ? nil : "any device may be connected there: not read"))
    }
    return kind
  }
}
