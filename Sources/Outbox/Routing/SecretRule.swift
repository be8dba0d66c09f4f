import Bytes
public import Sensing

/// Where a secret may go now: a token, a password, and a message to the webhook, whose address is a
/// secret too. It is asked before every request that carries one.
///
/// Where the configuration says which networks are home, each other network may belong to an
/// attacker, and so may one that is not known yet: no secret crosses it over plain HTTP, unless the
/// configuration allows that.
public struct SecretRule: Equatable, Sendable {
  private let knowsHome: Bool
  private let isPlainAllowedAway: Bool
  /// Whether the board is at home, as far as that is known.
  public var presence: HomeNetworks.Presence

  /// - Parameters:
  ///   - knowsHome: whether the configuration says which networks are home.
  ///   - isPlainAllowedAway: whether an address without TLS may be used away from home.
  ///   - presence: what is known of the network at the start.
  public init(
    knowsHome: Bool, isPlainAllowedAway: Bool, presence: HomeNetworks.Presence = .unknown
  ) {
    self.knowsHome = knowsHome
    self.isPlainAllowedAway = isPlainAllowedAway
    self.presence = presence
  }

  /// Whether a secret may go to an address that the configuration, the person or Home Assistant
  /// named.
  public func allows(_ address: [UInt8]) -> Bool {
    !knowsHome || presence == .home || isPlainAllowedAway || address.span.starts(with: "https://")
  }
}
