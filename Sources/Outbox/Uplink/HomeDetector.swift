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
  /// Until when the first message waits; nil once the presence is known, or was not found out in
  /// time.
  private(set) var deadline: Instant?

  init(_ networks: HomeNetworks?, now: Instant) {
    self.networks = networks
    deadline = networks == nil ? nil : now + Self.firstLookTimeout
  }

  /// Whether the board has just started, and where it is may be known in a moment.
  var isLooking: Bool { deadline != nil }

  /// The network is another one. Returns whether the presence is.
  mutating func placeChanged(_ place: NetworkPlace) -> Bool {
    self.place = place
    guard let presence = networks?.presence(at: place), presence != self.presence else {
      return false
    }
    self.presence = presence
    deadline = nil
    return true
  }

  /// Returns whether the first look ends now, with nothing found out.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard let moment = deadline, now >= moment else { return false }
    deadline = nil
    return true
  }
}
