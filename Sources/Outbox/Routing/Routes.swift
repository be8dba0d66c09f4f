public import Bytes
public import HomeAssistant
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

  private struct State: Sendable {
    var url: [UInt8]?
    var failure: (cause: OutageCause, since: Instant, until: Instant)?
    var absence: BackOff

    mutating func forgetFailures() {
      failure = nil
      absence.succeeded()
    }
  }

  /// States in the order of `Route.allCases`.
  private var states: [State]
  /// Possible routes, the best one first.
  public let order: [Route]
  public private(set) var secrets: SecretRule
  /// Present route, and the time since which it is used; nil if none is allowed.
  public private(set) var current: (route: Route, since: Instant)?
  /// Route of the last proof: a failed attempt over a better one does not end its time.
  private var settled: (route: Route, since: Instant)?
  /// Whether a route of this round answered as if the registration were deleted.
  private(set) var isDoubtful = false

  /// Without `home` the networks of the home are unknown; `seed` starts the jitter of the delays.
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

  public func url(of route: Route) -> [UInt8]? { states[route.rawValue].url }

  /// Returns the reason why a route is not used; nil if it can be used.
  public func obstacle(to route: Route, now: Instant) -> RouteObstacle? {
    let state = states[route.rawValue]
    guard let url = state.url else { return .noAddress }
    if route == .home, secrets.presence != .home { return .away }
    if !secrets.allows(url) { return .unencrypted }
    if let failure = state.failure, now < failure.until {
      return .failed(failure.cause, since: failure.since, until: failure.until)
    }
    return nil
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
    guard states[route.rawValue].url != url else { return }
    states[route.rawValue].url = url
    states[route.rawValue].forgetFailures()
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
    for index in states.indices { states[index].forgetFailures() }
  }

  /// Chooses the route for a delivery: a better one may be due again.
  public mutating func deliveryDue(now: Instant) { choose(now: now) }

  /// Records a proof over a route.
  public mutating func proven(over route: Route) {
    if let current, current.route == route { settled = current }
    states[route.rawValue].forgetFailures()
    isDoubtful = false
  }

  /// Records a failure over a route. Returns whether another one can be tried at once.
  public mutating func failed(_ cause: OutageCause, over failed: Route, now: Instant) -> Bool {
    let index = failed.rawValue
    isDoubtful = isDoubtful || cause.isDoubtful
    let since = states[index].failure?.since ?? now
    states[index].failure = (cause, since, now + states[index].absence.failed())
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

/// Route to Home Assistant's webhook.
public enum Route: Int, CaseIterable, Sendable {
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
  case noAddress
  /// The board is away, and the address is one of the home network.
  case away
  /// The board may be in a foreign network, and the route has no TLS.
  case unencrypted
  /// The route failed, and is not used until then.
  case failed(OutageCause, since: Instant, until: Instant)
}

/// Reason why a message to Home Assistant is not proven to have arrived.
public enum OutageCause: Equatable, Sendable {
  /// The connection failed. Indirect: the other causes are small, and copies include this one.
  indirect case noConnection(InlineText)
  /// An empty body: Home Assistant starts or reloads, or the registration was deleted.
  case notLive
  /// A plain answer instead of a sealed one: the message was dropped.
  case dropped
  /// An answer that the board's key does not open.
  case otherKey
  /// 410: the registration was deleted.
  case gone
  case badRequest
  case encryptionRequired
  /// Another server than a handler of Home Assistant answered.
  case server(ServerRefusal)
  /// No route is allowed: in a network that may not be home nothing is sent unencrypted.
  case noRoute
  /// The answer opened with the board's key, but contradicts Home Assistant's documentation.
  case unreadableAnswer
  /// The answer opened with the board's key, but belongs to another message: a proxy or an attacker
  /// on the way repeats an old one.
  case otherAnswer

  /// Returns the cause for an unproven message with this answer.
  public init(_ answer: Answer) {
    switch answer {
    case .opened, .content: self = .unreadableAnswer
    case .unproven: self = .dropped
    case .otherKey: self = .otherKey
    case .notLive: self = .notLive
    case .encryptionRequired: self = .encryptionRequired
    case .badRequest, .refused: self = .badRequest
    case .gone: self = .gone
    case .server(let refusal): self = .server(refusal)
    }
  }

  /// Whether a lasting outage of this kind means that the registration is no longer valid.
  var isDoubtful: Bool {
    switch self {
    case .notLive, .dropped, .otherKey, .encryptionRequired, .gone: true
    default: false
    }
  }

  /// Whether no answer came, so that nothing is known of the registration.
  var isSilence: Bool {
    switch self {
    case .noConnection, .noRoute: true
    default: false
    }
  }
}

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

/// Connection over which a message is sent.
public enum Carrier: Sendable { case http, webSocket }

/// Carriers of messages: HTTP, or the WebSocket if the configuration prefers it and it is open.
struct Carriers {
  /// Address of the WebSocket; a message to another address uses HTTP. Nil if all messages use it.
  private let webSocketURL: [UInt8]?
  private(set) var isWebSocketOpen = false
  /// Carrier of the last message.
  private var last = Carrier.http
  /// Whether the WebSocket of the last answer is still open.
  private var isWebSocketKept = false

  init(webSocketURL: [UInt8]?) { self.webSocketURL = webSocketURL }

  /// Returns the carrier of a message to this address.
  mutating func next(to url: [UInt8]?) -> Carrier {
    let isPosted = isWebSocketOpen && url != nil && url == webSocketURL
    last = isPosted ? .webSocket : .http
    return last
  }

  mutating func ended(_ carrier: Carrier, isAnswered: Bool) {
    isWebSocketKept = isAnswered && carrier == .webSocket
  }

  mutating func webSocketChanged(isOpen: Bool) {
    isWebSocketOpen = isOpen
    if !isOpen { isWebSocketKept = false }
  }

  /// Whether Home Assistant cannot have restarted since the last message.
  func isConnectionKept(isHTTPKept: Bool) -> Bool { last == .http ? isHTTPKept : isWebSocketKept }
}
