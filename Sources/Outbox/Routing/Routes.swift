public import Bytes
public import Sensing

/// Selection of the route for messages: the best one that works.
///
/// If the networks of the home are known, the order is that of `Route`; otherwise the address in
/// the configuration comes first, and the cloud is the fallback.
///
/// A failed route is not used for a while, which grows with every consecutive failure, and the next
/// one is used. After that time the better route is used again; when a board comes home or leaves,
/// all routes are tried again.
public struct Routes: Sendable {
  /// Time without use after a route's first failure, and its maximum.
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

  /// States in the order of `Route.allCases`.
  private var states: [State]
  /// Possible routes, the best one first.
  public let order: [Route]
  /// Rule for secrets.
  public private(set) var secrets: SecretRule
  /// Present route, and the time since which it is used; nil if none is allowed.
  public private(set) var current: (route: Route, since: Instant)?
  /// Route of the last proof: a failed attempt over a better one does not end its time.
  private var settled: (route: Route, since: Instant)?
  /// Whether a route of this round answered as if the registration were deleted.
  private(set) var isDoubtful = false

  /// - Parameters:
  ///   - instance: address in the configuration.
  ///   - home: address in the home network; nil if the networks of the home are unknown.
  ///   - cloudhook: last known cloud address of the webhook.
  ///   - remoteUI: last known cloud address of the home.
  ///   - presence: presence at the start.
  ///   - isPlainAllowedAway: whether an address without TLS may be used away from home.
  ///   - seed: start of the jitter of the delays.
  ///   - now: beginning of the use of the first route.
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

  /// Returns the address of a route.
  public func url(of route: Route) -> [UInt8]? { states[index(of: route)].url }

  /// Returns the reason why a route is not used; nil if it can be used.
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

  /// Stores the cloud addresses of Home Assistant. A better route is used from the next delivery
  /// on; a route that loses its address is left at once.
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

  /// Handles the board's arrival or departure. A route that failed may work in the new network.
  public mutating func presenceChanged(_ presence: HomeNetworks.Presence, now: Instant) {
    guard presence != secrets.presence else { return }
    secrets.presence = presence
    settled = nil
    forgetFailures()
    choose(now: now)
  }

  /// Forgets all failures, for the next delivery.
  mutating func forgetFailures() {
    isDoubtful = false
    for index in states.indices {
      states[index].failure = nil
      states[index].absence.succeeded()
    }
  }

  /// Chooses the route for a delivery: a better one may be due again.
  public mutating func deliveryDue(now: Instant) { choose(now: now) }

  /// Records a proof over a route.
  public mutating func proven(over route: Route) {
    if let current, current.route == route { settled = current }
    let index = index(of: route)
    states[index].failure = nil
    states[index].absence.succeeded()
    isDoubtful = false
  }

  /// Records a failure over a route. Returns whether another one can be tried at once.
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

  /// Makes all routes available for the next attempt, after the delay of an outage.
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
