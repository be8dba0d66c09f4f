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
