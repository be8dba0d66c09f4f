import Bytes
import LinuxIO
import Sensing

extension InterfaceSettings {
  /// `ARPHRD_ETHER` and `ARPHRD_LOOPBACK` of `linux/if_arp.h`.
  private static let ethernet: Int64 = 1
  private static let loopback: Int64 = 772

  /// Returns the network interfaces that belong to a device, and those of modems and tunnels.
  /// Bridges and the ends of containers, which look like cables without a device, are left out.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Network interfaces", key: key)
    let folder = search.sys / "class" / "net"
    for name in BoardSearch.names(in: folder) {
      let interface = folder / name
      let type = try? KernelFile(interface / "type").parse { KernelText.integer($0) }
      guard let type, type != loopback else { continue }
      let isOfDevice = KernelFile(interface / "device" / "uevent").exists
      guard type != ethernet || isOfDevice else { continue }
      kind.append(search.entry(key, [name], named: [name]))
    }
    return kind
  }
}
