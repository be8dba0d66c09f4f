import Bytes
import LinuxIO
import Sensing

extension MonitorSettings {
  /// Finder of chips, without the batteries and thermal zones that the kernel also shows as chips.
  static func finder(sys: Path) -> DeviceFinder {
    DeviceFinder(
      folder: sys / "class" / "hwmon", prefix: "hwmon",
      skippedParents: ["power_supply", "thermal"])
  }

  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Hardware monitors", key: key)
    search.findChannels(&kind, of: finder(sys: search.sys)) { device in
      device.files(endingIn: "_input").compactMap { stem in
        guard let channel = MonitorChannel(stem) else { return nil }
        return FoundChannel(
          name: channel.name, quantity: channel.quantity,
          label: device.text(stem + [UInt8]("_label")))
      }
    }
    return kind
  }
}
