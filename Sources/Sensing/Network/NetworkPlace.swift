public import Bytes

/// The network location of the machine: the network of the route to Home Assistant's address, or if
/// that address is unknown, of the default route.
public enum NetworkPlace: Equatable, Sendable {
  /// The kernel has not been asked yet, or has not answered.
  case unknown
  /// There is no working route.
  case none
  /// A wireless network with which the machine is associated.
  case wireless(WirelessNetwork, NetworkInterface)
  /// A cable, with the hardware address of the default gateway; nil until this machine has
  /// contacted the gateway, and permanently if it never answers.
  case wired(gateway: HardwareAddress?, NetworkInterface)
  /// A cable with a gateway that was contacted and does not answer.
  case silent(gateway: NetworkAddress, NetworkInterface)
  /// An interface that shows no location: a tunnel, a modem, a radio without an association.
  case elsewhere(NetworkInterface)
}

extension NetworkPlace {
  /// Whether there is a route.
  public var isConnected: Bool {
    switch self {
    case .unknown, .none: false
    case .wireless, .wired, .silent, .elsewhere: true
    }
  }

  /// Returns whether a request from one place may be answered at the other. Access points with one
  /// name are one network; an unknown gateway matches any.
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

/// A network interface of the kernel, such as `eth0`.
public struct NetworkInterface: Equatable, Sendable {
  /// Index in the kernel, which changes when the interface is removed and added again.
  public let index: UInt32
  /// Name of at most 15 bytes, made safe for a terminal.
  public let name: InlineText

  public init(index: UInt32, name: InlineText) {
    self.index = index
    self.name = name
  }
}

/// A wireless network and the access point in use.
public struct WirelessNetwork: Equatable, Sendable {
  /// Nil if the network hides its name and the kernel has not learned it.
  public let ssid: SSID?
  public let bssid: HardwareAddress

  public init(ssid: SSID?, bssid: HardwareAddress) {
    self.ssid = ssid
    self.bssid = bssid
  }
}

/// Whether the machine can recognise wireless networks.
public enum WirelessSight: Equatable, Sendable {
  /// No request has needed it yet.
  case unknown
  /// The kernel has nl80211.
  case present
  /// The kernel has no nl80211, as on a board without radio: only wired networks are recognised.
  case absent
}

/// The networks at home, as the configuration lists them.
public struct HomeNetworks: Equatable, Sendable {
  /// Whether a place is home.
  public enum Presence: Equatable, Sendable { case home, away, unknown }

  public var ssids: [SSID]
  /// Access points. If any is listed, a name alone is not enough, because a name such as `Harbour`
  /// is common. Without `ssids`, an access point alone is enough.
  public var bssids: [HardwareAddress]
  /// Gateways of wired networks, or Home Assistant itself if it is on the same network.
  public var gateways: [HardwareAddress]

  public init(
    ssids: [SSID] = [], bssids: [HardwareAddress] = [], gateways: [HardwareAddress] = []
  ) {
    self.ssids = ssids
    self.bssids = bssids
    self.gateways = gateways
  }

  /// Returns whether `place` is home; unknown only while it may still turn out to be home.
  public func presence(at place: NetworkPlace) -> Presence {
    switch place {
    case .unknown: .unknown
    case .none, .elsewhere: .away
    case .wireless(let network, _): presence(at: network)
    case .wired(let gateway?, _): gateways.contains(gateway) ? .home : .away
    case .wired(nil, _), .silent: gateways.isEmpty ? .away : .unknown
    }
  }

  private func presence(at network: WirelessNetwork) -> Presence {
    if !bssids.isEmpty && !bssids.contains(network.bssid) { return .away }
    guard !ssids.isEmpty else { return bssids.isEmpty ? .away : .home }
    // A network without a name is identified by its access point.
    guard let ssid = network.ssid else { return bssids.isEmpty ? .unknown : .home }
    return ssids.contains(ssid) ? .home : .away
  }
}
