/// The networks that are home, as the configuration lists them.
public struct HomeNetworks: Equatable, Sendable {
  /// What a place is.
  public enum Presence: Equatable, Sendable { case home, away, unknown }

  /// Names of wireless networks.
  public var ssids: [SSID]
  /// Access points: where any is listed, a name alone is not enough, for there is a `Harbour` at
  /// every coast. Without `ssids`, an access point alone is enough.
  public var bssids: [HardwareAddress]
  /// Gateways at the end of a cable, or Home Assistant itself where it is on the same cable.
  public var gateways: [HardwareAddress]

  public init(
    ssids: [SSID] = [], bssids: [HardwareAddress] = [], gateways: [HardwareAddress] = []
  ) {
    self.ssids = ssids
    self.bssids = bssids
    self.gateways = gateways
  }

  /// Whether `place` is home. Unknown only while it may turn out to be.
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
    // A network without a name is known by its access point.
    guard let ssid = network.ssid else { return bssids.isEmpty ? .unknown : .home }
    return ssids.contains(ssid) ? .home : .away
  }
}
