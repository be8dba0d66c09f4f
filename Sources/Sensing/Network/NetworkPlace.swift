public import Bytes

/// Where the machine is, as far as its network tells: over what Home Assistant's address leaves, or
/// where that is not known, the default route.
public enum NetworkPlace: Equatable, Sendable {
  /// The kernel has not been asked yet, or has not answered.
  case unknown
  /// There is no route that works.
  case none
  /// A wireless network that the machine is associated with.
  case wireless(WirelessNetwork, NetworkInterface)
  /// A cable, with the hardware address of the default gateway; nil until this machine has spoken
  /// to the gateway, and nil for good where it never answers.
  case wired(gateway: HardwareAddress?, NetworkInterface)
  /// A cable with a gateway that was spoken to and does not answer.
  case silent(gateway: NetworkAddress, NetworkInterface)
  /// Something that tells no place: a tunnel, a modem, a radio without an association.
  case elsewhere(NetworkInterface)
}

extension NetworkPlace {
  /// Whether a route leads somewhere.
  public var isConnected: Bool {
    switch self {
    case .unknown, .none: false
    case .wireless, .wired, .silent, .elsewhere: true
    }
  }

  /// Whether what was sent from one place may be answered at the other. Access points of one name
  /// are one network; a gateway that is not known yet says nothing.
  public func isSameNetwork(as other: NetworkPlace) -> Bool {
    switch (self, other) {
    case (.wireless(let network, let interface), .wireless(let former, let formerInterface)):
      interface == formerInterface && network.ssid == former.ssid
    case (.wired(let gateway, let interface), .wired(let former, let formerInterface)):
      interface == formerInterface && (gateway == former || gateway == nil || former == nil)
    case (.silent(_, let interface), .silent(_, let other)),
      (.silent(_, let interface), .wired(_, let other)),
      (.wired(_, let interface), .silent(_, let other)):
      interface == other
    case (.elsewhere(let interface), .elsewhere(let formerInterface)):
      interface == formerInterface
    default: self == other
    }
  }
}

/// A network of the kernel, such as `eth0`.
public struct NetworkInterface: Equatable, Sendable {
  /// What the kernel counts it as; another one after it was away.
  public let index: UInt32
  /// Of 15 bytes at most, made harmless for a terminal.
  public let name: InlineText

  public init(index: UInt32, name: InlineText) {
    self.index = index
    self.name = name
  }
}

/// A wireless network and which of its access points is heard.
public struct WirelessNetwork: Equatable, Sendable {
  /// Nil where the network hides its name and the kernel has not learned it.
  public let ssid: SSID?
  /// The access point that is heard.
  public let bssid: HardwareAddress

  public init(ssid: SSID?, bssid: HardwareAddress) {
    self.ssid = ssid
    self.bssid = bssid
  }
}

/// Whether the machine knows a wireless network when it is in one.
public enum WirelessSight: Equatable, Sendable {
  /// No question has needed it yet.
  case unknown
  /// The kernel has nl80211.
  case present
  /// The kernel has no nl80211, as on a board without radio: only cables are known.
  case absent
}
