import Bytes
import LinuxIO

extension VEDirectSettings {
  /// Where udev names serial ports by what is plugged in.
  private static let folder: StaticString = "serial/by-id"

  /// The serial ports by the names of their adapters. Those that Victron makes are for VE.Direct;
  /// to others anything may be connected, and they are not listened to.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Serial ports, for VE.Direct", key: key)
    for name in BoardSearch.names(in: search.devices / folder) {
      let path = [UInt8]("/dev/") + [UInt8](folder) + [UInt8(ascii: "/")] + name
      let isVictron = name.span.starts(with: "usb-VictronEnergy")
      kind.append(
        search.entry(
          key, [path], named: [[UInt8](isVictron ? "Victron" : "Battery monitor")],
          words: isVictron ? nil : "anything may be connected there: not listened to"))
    }
    return kind
  }
}
