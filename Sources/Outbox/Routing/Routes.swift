public import Bytes
public import Sensing

/// Which way messages go: the best one that works.
///
/// Where it is known which networks are home, the order is that of `Route`; else the address of the
/// configuration comes first, and the cloud is for when it fails.
///
/// A route that fails is left alone for a while, which grows with every failure in a row, and the
/// next one is taken. When its time is over the better route is taken again; a board that comes
/// home or leaves tries all of them anew.
public struct Routes: Sendable {
  /// How long a route is left alone after its first failure, and at most.
  public static let firstAbsence: Duration = .seconds(60)
  public static let longestAbsence: Duration = .seconds(3600)

  struct State: Sendable {
    var url: [UInt8]?
    var failure: Failure?
    var absence: BackOff
  }

  struct Failure: Sendable {
    let cause: OutageCause
    let since: Instant
    var until: Instant
  }

  /// In the order of `Route.allCases`.
  private var states: [State]
  /// The ways that there can be, the best one first.
  public let order: [Route]
  /// Where secrets may go now.
  public private(set) var secrets: SecretRule
  /// The route that is used, and since when; nil where none may be.
  public private(set) var current: (route: Route, since: Instant)?
  /// The route of the last proof: a better one that is tried in vain does not end its time.
  private var settled: (route: Route, since: Instant)?
  /// Whether a route of this round answered as if the registration were gone.
  private(set) var isDoubtful = false

  /// - Parameters:
  ///   - instance: the address of the configuration.
  ///   - home: the address in the home network; nil where no network is known to be home.
  ///   - cloudhook: the webhook's address in the cloud, as it was told last.
  ///   - remoteUI: the address of the home in the cloud, as it was told last.
  ///   - presence: what is known of the network at the start.
  ///   - isPlainAllowedAway: whether an address without TLS may be used away from home.
  ///   - seed: where the jitter of the waits starts.
  ///   - now: since when the first route is used.
  public init(
    instance: [UInt8], home: [UInt8]?, cloudhook: [UInt8]?, remoteUI: [UInt8]?,
    presence: HomeNetworks.Presence, isPlainAllowedAway: Bool, seed: UInt64, now: Instant
  ) {
    secrets = SecretRule(
      knowsHome: home != nil, isPlainAllowedAway: isPlainAllowedAway, presence: presence)
    order =
      home != nil
      ? [.home, .cloudhook, .remoteUI, .instance] : [.instance, .cloudhook, .remoteUI]
    states = [home, cloudhook, remoteUI, instance].enumerated().map { index, url in
      State(
        url: url,
        absence: BackOff(
          first: Self.firstAbsence, longest: Self.longestAbsence, seed: seed &+ UInt64(index)))
    }
    choose(now: now)
  }

  /// The address of a route.
  public func url(of route: Route) -> [UInt8]? { states[index(of: route)].url }

  /// Why a route is not taken; nil where it may be.
  public func obstacle(to route: Route, now: Instant) -> RouteObstacle? {
    let state = states[index(of: route)]
    guard let url = state.url else { return .noAddress }
    if route == .home, secrets.presence != .home { return .away }
    if !secrets.allows(url) { return .unencrypted }
    if let failure = state.failure, now < failure.until {
      return .failed(failure.cause, since: failure.since, until: failure.until)
    }
    return nil
  }

  private func index(of route: Route) -> Int {
    switch route {
    case .home: 0
    case .cloudhook: 1
    case .remoteUI: 2
    case .instance: 3
    }
  }

  // MARK: Events

  /// Home Assistant told its addresses in the cloud. A better way is taken from the next delivery
  /// on; one that has no address any more is left at once.
  public mutating func addressesTold(cloudhook: [UInt8]?, remoteUI: [UInt8]?, now: Instant) {
    setURL(of: .cloudhook, cloudhook)
    setURL(of: .remoteUI, remoteUI)
    if let route = current?.route, url(of: route) == nil { choose(now: now) }
  }

  private mutating func setURL(of route: Route, _ url: [UInt8]?) {
    let index = index(of: route)
    guard states[index].url != url else { return }
    states[index].url = url
    states[index].failure = nil
    states[index].absence.succeeded()
  }

  /// The board came home or left. What failed in the other network may work in this one.
  public mutating func presenceChanged(_ presence: HomeNetworks.Presence, now: Instant) {
    guard presence != secrets.presence else { return }
    secrets.presence = presence
    settled = nil
    forgetFailures()
    choose(now: now)
  }

  /// What failed may work from the next delivery on.
  mutating func forgetFailures() {
    isDoubtful = false
    for index in states.indices {
      states[index].failure = nil
      states[index].absence.succeeded()
    }
  }

  /// A delivery is about to begin: a better route may be worth another try.
  public mutating func deliveryDue(now: Instant) { choose(now: now) }

  /// What was sent over a route was proven.
  public mutating func proven(over route: Route) {
    if let current, current.route == route { settled = current }
    let index = index(of: route)
    states[index].failure = nil
    states[index].absence.succeeded()
    isDoubtful = false
  }

  /// What was sent over a route was not proven. Returns whether there is another one to try at
  /// once.
  public mutating func failed(_ cause: OutageCause, over failed: Route, now: Instant) -> Bool {
    let index = index(of: failed)
    isDoubtful = isDoubtful || cause.isDoubtful
    let since = states[index].failure?.since ?? now
    states[index].failure = Failure(
      cause: cause, since: since, until: now + states[index].absence.failed())
    if settled?.route == failed { settled = nil }
    choose(now: now)
    return current != nil && current?.route != failed
  }

  /// All routes failed, and the waiting for the next attempt is over: each may be tried once more.
  public mutating func retryDue(now: Instant) {
    for index in states.indices { states[index].failure?.until = now }
    isDoubtful = false
    choose(now: now)
  }

  private mutating func choose(now: Instant) {
    let best = order.first { obstacle(to: $0, now: now) == nil }
    guard best != current?.route else { return }
    current = best.map { ($0, $0 == settled?.route ? settled?.since ?? now : now) }
  }
}
