import Bytes
import Sensing

/// Whether the board is at home, as its network tells.
struct HomeDetector {
  /// How long the first message may wait for the kernel's answers, which come at once, and for a
  /// gateway's.
  static let firstLookTimeout: Duration = .seconds(3)

  /// Nil where the configuration does not say which networks are home.
  private let networks: HomeNetworks?
  private(set) var presence = HomeNetworks.Presence.unknown
  private(set) var place = NetworkPlace.unknown
  /// The network that carried messages last.
  private var network = NetworkPlace.unknown
  /// Until when the first message waits; nil once the presence is known, or was not found out in
  /// time.
  private(set) var deadline: Instant?

  init(_ networks: HomeNetworks?, now: Instant) {
    self.networks = networks
    deadline = networks == nil ? nil : now + Self.firstLookTimeout
  }

  /// Whether the board has just started, and where it is may be known in a moment.
  var isLooking: Bool { deadline != nil }

  /// What the kernel tells is not what it told before.
  struct Change: Equatable {
    /// The board came home, or left.
    var isPresenceOther = false
    /// The gateway that says whether this is home does not answer.
    var isGatewaySilent = false
    /// Messages leave through another network than before, or there is one again.
    var isNetworkOther = false
  }

  mutating func placeChanged(_ place: NetworkPlace) -> Change {
    var change = Change()
    if place.isConnected {
      let isBack = !self.place.isConnected && self.place != .unknown
      change.isNetworkOther = isBack || network.isConnected && !place.isSameNetwork(as: network)
      network = place
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

  /// Returns whether the first look ends now, with nothing found out.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard let moment = deadline, now >= moment else { return false }
    deadline = nil
    return true
  }
}
