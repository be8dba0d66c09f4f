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

  public init(interface: [UInt8], entity: EntitySettings) {
    self.interface = interface
    self.entity = entity
  }
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
  var measured: [MeasuredSensor] { [] }
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
        + [UInt8](sensor.uniqueIDSuffix),
      name: entity.name + [UInt8](sensor.nameSuffix), unit: [UInt8](sensor.unit),
      deviceClass: [UInt8](sensor.deviceClass), stateClass: [UInt8](sensor.stateClass),
      icon: entity.icon ?? sensor.icon.map { [UInt8]($0) }, isDiagnostic: true)
  }
}

enum InterfaceSensor {
  case received, sent, signal

  fileprivate var uniqueIDSuffix: StaticString {
    switch self {
    case .received: "_received"
    case .sent: "_sent"
    case .signal: "_signal"
    }
  }

  fileprivate var nameSuffix: StaticString {
    switch self {
    case .received: " received"
    case .sent: " sent"
    case .signal: " signal"
    }
  }

  fileprivate var unit: StaticString { self == .signal ? "dBm" : "MB" }
  fileprivate var deviceClass: StaticString { self == .signal ? "signal_strength" : "data_size" }
  fileprivate var stateClass: StaticString {
    self == .signal ? "measurement" : "total_increasing"
  }

  /// Default icon, which distinguishes the sensors of the same class.
  fileprivate var icon: StaticString? {
    switch self {
    case .received: "mdi:download-network"
    case .sent: "mdi:upload-network"
    case .signal: nil
    }
  }
}

extension ConfigurationField {
  /// `IFNAMSIZ` of `linux/if.h`, without the NUL.
  private static let interfaceBytesMax = 15

  fileprivate func interfaceName(notAmong interfaces: SeenTexts) -> [UInt8]? {
    guard let text = text() else { return nil }
    let isName =
      (1...Self.interfaceBytesMax).contains(text.count) && text.span.isVisibleASCII
      && text.first != UInt8(ascii: ".") && !text.contains(UInt8(ascii: "/"))
    guard isName else {
      report(
        "\(quoted: text) is not the name of a network interface",
        remedy: "write one that \"ip link\" shows, such as wwan0")
      return nil
    }
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
