import Bytes
import Sensing

/// Detects whether the board is at home, from its network.
struct HomeDetector {
  /// Maximum delay of the first message for the answers of the kernel, which are immediate, and of
  /// a gateway.
  static let firstLookTimeout: Duration = .seconds(3)

  /// Networks of the home; nil if the configuration names none.
  private let networks: HomeNetworks?
  private(set) var presence = HomeNetworks.Presence.unknown
  private(set) var place = NetworkPlace.unknown
  /// Network with which the next one is compared: that of the last messages, or on a cable whose
  /// gateway is unknown, the one before.
  private var network = NetworkPlace.unknown
  /// End of the first message's delay; nil once the presence is known, or the time is over.
  private(set) var deadline: Instant?

  init(_ networks: HomeNetworks?, now: Instant) {
    self.networks = networks
    deadline = networks == nil ? nil : now + Self.firstLookTimeout
  }

  /// Whether the board has just started, and its presence may be known soon.
  var isLooking: Bool { deadline != nil }

  struct Change: Equatable {
    /// The board came home, or left.
    var isPresenceOther = false
    /// The gateway that identifies the home does not answer.
    var isGatewaySilent = false
    /// Messages use another network than before.
    var isNetworkOther = false
    /// The link was lost and is back, in the same network or in another.
    var isBack = false
  }

  mutating func placeChanged(_ place: NetworkPlace) -> Change {
    var change = Change()
    if place.isConnected {
      change.isBack = !self.place.isConnected && self.place != .unknown
      change.isNetworkOther = network.isConnected && !place.isSameNetwork(as: network)
      // A cable without a known gateway may lead to the former network, which is still compared.
      if place.isIdentified || !place.isSameNetwork(as: network) { network = place }
    }
    if case .silent = place, networks?.presence(at: place) == .unknown {
      if case .silent = self.place {} else { change.isGatewaySilent = true }
    }
    self.place = place
    guard let presence = networks?.presence(at: place), presence != self.presence else {
      return change
    }
    self.presence = presence
    deadline = nil
    change.isPresenceOther = true
    return change
  }

  /// Returns whether the first look ends now without a result.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard let moment = deadline, now >= moment else { return false }
    deadline = nil
    return true
  }
}
