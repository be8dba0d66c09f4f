public import Bytes
public import HomeAssistant

/// Route to Home Assistant's webhook.
public enum Route: CaseIterable, Sendable {
  /// Home network, while the board is at home.
  case home
  /// Cloud address of the webhook.
  case cloudhook
  /// Cloud address of the whole home.
  case remoteUI
  /// Address in the configuration.
  case instance

  /// Whether the configuration contains the address: its TLS settings then apply, and the address
  /// is not secret. The other addresses are the webhook, or lead to it.
  public var isConfigured: Bool {
    switch self {
    case .home, .instance: true
    case .cloudhook, .remoteUI: false
    }
  }

  /// Returns the webhook's path below the address; empty if the address is the webhook itself.
  public func path(of registration: Registration) -> [UInt8] {
    self == .cloudhook ? [] : registration.path
  }
}

/// Reason why a route is not used.
public enum RouteObstacle: Equatable, Sendable {
  /// The address is unknown.
  case noAddress
  /// The board is away, and the address is one of the home network.
  case away
  /// The board may be in a foreign network, and the route has no TLS.
  case unencrypted
  /// The route failed, and is not used until then.
  case failed(OutageCause, since: Instant, until: Instant)
}
