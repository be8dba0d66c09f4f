public import Bytes
public import HomeAssistant

/// A way to Home Assistant's webhook.
public enum Route: CaseIterable, Sendable {
  /// Over the home network, while the board is at home.
  case home
  /// The webhook's own address in the cloud.
  case cloudhook
  /// The address of the whole home in the cloud.
  case remoteUI
  /// The address of the configuration.
  case instance

  /// Whether its address is one of the configuration: what that says of TLS is about it, and it is
  /// no secret. The others are the webhook, or lead to it.
  public var isConfigured: Bool {
    switch self {
    case .home, .instance: true
    case .cloudhook, .remoteUI: false
    }
  }

  /// The webhook's path below the address of the route; empty where that is the webhook itself.
  public func path(of registration: Registration) -> [UInt8] {
    self == .cloudhook ? [] : registration.path
  }
}

/// Why a route is not taken.
public enum RouteObstacle: Equatable, Sendable {
  /// Its address is not known.
  case noAddress
  /// The board is away, and the address is one of the home network.
  case away
  /// The board may be in a foreign network, and the address is not encrypted.
  case unencrypted
  /// It failed, and is left alone until then.
  case failed(OutageCause, since: Instant, until: Instant)
}
