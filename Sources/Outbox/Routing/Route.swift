public import Bytes

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
