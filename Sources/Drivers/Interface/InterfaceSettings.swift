import Bytes
import LinuxIO
import Sensing
import YAML

/// An entry `network: …` of the configuration's `sensors`: the data that a network interface has
/// carried, and the strength of its radio signal.
public struct InterfaceSettings: Equatable, Sendable {
  /// `network`: the kernel's name of the interface, such as `wwan0`; 1 to 15 bytes. Required.
  public var interface: [UInt8]
  /// `min_change`: smallest change of the signal to report; the data is counted.
  public var entity: EntitySettings
}

extension InterfaceSettings: SensorSettings {
  static let key: StaticString = "network"
  static let entityKind = EntityKind(icon: "mdi:network", isMeasured: true)

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let interface = keys.required(Self.key, example: "network: wwan0")?
      .interfaceName(notAmong: taken.addresses)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    guard let interface, let entity else { return nil }
    self.init(interface: interface, entity: entity)
  }

  var name: InlineText { InlineText(interface.span) }

  var input: SensorInput { .part(interface) }
  func source(_ context: SourceContext) -> any Source { InterfaceStatistics(self, context) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { failure in
      if case .missing = failure { return "ip link shows the interfaces of this board" }
      return "see the kernel log: sudo dmesg"
    }
  }

  /// Returns the description of one of its sensors for Home Assistant.
  func description(of sensor: InterfaceSensor) -> SensorDescription {
    SensorDescription(
      uniqueID: (entity.uniqueID ?? uniqueID("network_", interface.span))
        + [UInt8(ascii: "_")] + [UInt8](sensor.key),
      name: entity.name + [UInt8(ascii: " ")] + [UInt8](sensor.key), unit: [UInt8](sensor.unit),
      deviceClass: [UInt8](sensor.deviceClass), stateClass: [UInt8](sensor.stateClass),
      icon: entity.icon ?? sensor.icon.map { [UInt8]($0) }, isDiagnostic: true)
  }
}

/// A sensor of an interface: the ends of its unique id and its name, and Home Assistant's terms.
struct InterfaceSensor {
  fileprivate let key: StaticString
  fileprivate let unit: StaticString
  fileprivate let deviceClass: StaticString
  fileprivate let stateClass: StaticString
  /// Default icon, which distinguishes the sensors of the same class.
  fileprivate let icon: StaticString?

  static let received = count("received", icon: "mdi:download-network")
  static let sent = count("sent", icon: "mdi:upload-network")
  static let signal = InterfaceSensor(
    key: "signal", unit: "dBm", deviceClass: "signal_strength", stateClass: "measurement",
    icon: nil)

  private static func count(_ key: StaticString, icon: StaticString) -> InterfaceSensor {
    InterfaceSensor(
      key: key, unit: "MB", deviceClass: "data_size", stateClass: "total_increasing", icon: icon)
  }
}

extension ConfigurationField {
  /// `IFNAMSIZ` of `linux/if.h`, without the NUL.
  private static let interfaceBytesMax = 15

  fileprivate func interfaceName(notAmong interfaces: SeenTexts) -> [UInt8]? {
    let text = text(
      "the name of a network interface",
      remedy: "write one that \"ip link\" shows, such as wwan0"
    ) { $0.count <= Self.interfaceBytesMax && $0.span.isFileName }
    guard let text else { return nil }
    interfaces.add([UInt8]("network ") + text, of: self)
    return text
  }
}

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
