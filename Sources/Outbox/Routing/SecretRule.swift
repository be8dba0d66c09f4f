import Bytes
public import Sensing

/// Rule for sending secrets: a token, a password, or a message to the webhook, whose address is a
/// secret too. It is checked before every request that carries one.
///
/// If the configuration names the networks of the home, each other network may belong to an
/// attacker, also one that is not identified yet: no secret is sent there over plain HTTP, unless
/// the configuration allows that.
public struct SecretRule: Equatable, Sendable {
  private let knowsHome: Bool
  private let isPlainAllowedAway: Bool
  /// Presence of the board at home, as far as known.
  public var presence: HomeNetworks.Presence

  /// - Parameters:
  ///   - knowsHome: whether the configuration names the networks of the home.
  ///   - isPlainAllowedAway: whether an address without TLS may be used away from home.
  ///   - presence: presence at the start.
  public init(
    knowsHome: Bool, isPlainAllowedAway: Bool, presence: HomeNetworks.Presence = .unknown
  ) {
    self.knowsHome = knowsHome
    self.isPlainAllowedAway = isPlainAllowedAway
    self.presence = presence
  }

  /// Whether a secret may be sent to an address from the configuration, the user or Home Assistant.
  public func allows(_ address: [UInt8]) -> Bool {
    !knowsHome || presence == .home || isPlainAllowedAway || address.span.starts(with: "https://")
  }
}
