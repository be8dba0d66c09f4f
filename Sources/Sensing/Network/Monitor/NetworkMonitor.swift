public import Bytes

/// Follows the network location of the machine (`netlink(7)`, `rtnetlink(7)`, nl80211), without the
/// sockets.
///
/// It asks the kernel for the route to Home Assistant's address, and then the radio for its
/// association, or the neighbours for the gateway (`NetworkRound`). After that it only listens. The
/// announcements of the kernel come in bursts, so a new round starts a moment after the first one.
///
/// The kernel knows the hardware address of a gateway only after the machine has contacted it. If
/// it could be the home gateway, the monitor has it contacted, at growing intervals, until it
/// answers or another one is the home's.
///
/// Invariants:
/// 1. One request is open at a time; a datagram of another one is ignored.
/// 2. After a failure the sockets are closed, `place` is `unknown`, and there is a deadline.
/// 3. While the sockets are open there is a deadline, unless everything is known, or all except the
/// address of a gateway that cannot be the home's, and the source is not intermittent.
public struct NetworkMonitor: ~Copyable {
  /// Delay between an announcement and the next round.
  public static let quietTime: Duration = .milliseconds(500)
  /// Timeout of a round. The kernel answers at once.
  public static let answersTimeout: Duration = .seconds(10)
  /// Timeout of a gateway, and longest pause before it is contacted again.
  public static let gatewayTimeout: Duration = .seconds(5)
  public static let gatewayPauseMax: Duration = .seconds(300)
  /// Maximum size of a datagram. The kernel packs lists into datagrams of at most 8 KB, unless one
  /// entry alone is longer.
  public static let datagramByteCountMax = 16 * 1024

  /// The two sockets and the information from them.
  private struct Connection {
    let routePort: UInt32
    let genericPort: UInt32
    var phase: Phase
    /// Family of nl80211, whose announcements are received; nil if unknown.
    var family: WirelessFamily?
    /// Interface of the last request about one.
    var interface: UInt32?
    var hearsNeighbours = false
  }

  private enum Phase {
    /// Everything is known, except possibly the hardware addresses of `gateways`.
    case resting
    case gathering(until: Instant)
    /// The request of `round` is open.
    case asking
  }

  private let name: InlineText
  /// Destination of the route; nil if no network is configured as home.
  private let goal: NetworkGoal?
  private var connection: Connection?
  /// The open round; the last one while none is open.
  private var round: NetworkRound?
  /// Gateways without a known hardware address, while the monitor rests.
  private var gateways: AwaitedGateways?
  private var actions: [Action] = []
  private var supervision = Supervision()
  /// Sequence number of the last request.
  private var sequence: UInt32 = 0

  /// Request to send for `.send`.
  public private(set) var request = ByteBuffer(capacity: NetlinkRequest.byteCountMax)
  /// Current location of the machine.
  public private(set) var place = NetworkPlace.unknown

  public init(name: InlineText, to goal: NetworkGoal? = nil) {
    self.name = name
    self.goal = goal
    actions.reserveCapacity(8)
  }

  /// Returns the next action, or nil. After every event, call it until it returns nil.
  public mutating func nextAction() -> Action? {
    actions.isEmpty ? nil : actions.removeFirst()
  }

  // Inlined: each turn asks for it, and a call would copy the whole monitor.

  /// Instant at which `deadlineReached` is due; nil while nothing is pending.
  @inline(__always)
  public var deadline: Instant? {
    switch connection?.phase {
    case nil: supervision.retryAt
    case .resting: earliest(gateways?.nextAt, supervision.steadyAt)
    case .gathering(let until): until
    case .asking: round?.until
    }
  }

  /// Whether the place remains until the kernel announces a change.
  public var isSettled: Bool {
    guard case .resting = connection?.phase else { return false }
    return gateways?.nextAt == nil
  }

  // MARK: Events

  /// Starts the monitor.
  public mutating func begin() {
    precondition(deadline == nil && place == .unknown, "a monitor begins once")
    actions.append(.open)
  }

  /// Records that the sockets are open, with their ports in the kernel.
  public mutating func opened(routePort: UInt32, genericPort: UInt32, now: Instant) {
    connection = Connection(
      routePort: routePort, genericPort: genericPort, phase: .resting)
    gateways = nil
    var groups = [
      RouteNetlink.Group.link, RouteNetlink.Group.ipv4Route, RouteNetlink.Group.ipv6Route,
    ]
    // Rules choose the table for an address.
    if goal?.address != nil {
      groups += [RouteNetlink.Group.ipv4Rule, RouteNetlink.Group.ipv6Rule]
    }
    for group in groups { actions.append(.join(.route, group: group)) }
    startRound(now: now)
  }

  /// Processes one datagram of the kernel.
  public mutating func received(
    _ datagram: Span<UInt8>, on netlink: NetlinkProtocol, now: Instant
  ) {
    let port = netlink == .route ? connection?.routePort : connection?.genericPort
    guard let port else { return }
    do throws(NetlinkError) {
      var messages = NetlinkMessages(datagram)
      while let message = try messages.next() {
        if message.port != port {
          switch netlink {
          case .generic: try radioAnnounced(message, now: now)
          case .route: try routesAnnounced(message, now: now)
          }
        } else if message.sequence == sequence {
          try answered(message, on: netlink, now: now)
        }
        // Other sequences belong to abandoned requests.
        if isClosed { return }
      }
    } catch {
      failed(.malformed(name, found: InlineText(error.words)), now: now)
    }
  }

  /// Records that the kernel dropped messages.
  public mutating func overrun(now: Instant) {
    // An answer may be among them.
    gather(now: now)
  }

  /// Records that a datagram was longer than `datagramByteCountMax`.
  public mutating func truncated(now: Instant) {
    failed(.malformed(name, found: InlineText("a message that is too long")), now: now)
  }

  /// Records that a socket could not be opened, or failed.
  public mutating func failed(_ failure: SourceFailure, now: Instant) {
    // Pending actions need the sockets; pending reports are replaced below.
    actions.removeAll(keepingCapacity: true)
    actions.append(.close)
    if let report = supervision.failed(failure, now: now) { actions.append(.tellFailure(report)) }
    connection = nil
    change(to: .unknown)
  }

  /// Handles the deadline; an early call does nothing.
  public mutating func deadlineReached(now: Instant) {
    guard let deadline, now >= deadline else { return }
    switch connection?.phase {
    case nil: actions.append(.open)
    case .resting:
      tellSteadiness(now: now)
      if let gateways, let next = gateways.nextAt, now >= next {
        gatewaysSilent(gateways, now: now)
      }
    case .gathering: startRound(now: now)
    case .asking: failed(.silent(name), now: now)
    }
  }

  // MARK: Announcements

  private mutating func radioAnnounced(
    _ message: borrowing NetlinkMessage, now: Instant
  ) throws(NetlinkError) {
    guard message.type == connection?.family?.id, let change = try AssociationChange(message)
    else { return }
    // Other radios of the machine do not matter.
    if change.interface == nil || change.interface == connection?.interface {
      changed(now: now)
    }
  }

  private mutating func routesAnnounced(
    _ message: borrowing NetlinkMessage, now: Instant
  ) throws(NetlinkError) {
    switch message.type {
    case RouteNetlink.MessageType.newRoute:
      let (header, byteCount) = (message.payload, RouteNetlink.Route.byteCount)
      guard header.count >= byteCount else { throw .truncated }
      // Only default routes count, and routes that may lead to the address or except it, as a
      // VPN excepts the local network from its table.
      let isForAll = header[1] == 0
      let isOwn = RouteNetlink.Route.ownAddresses.contains(header[7])
      if isForAll || goal != nil && !isOwn { changed(now: now) }
    case RouteNetlink.MessageType.newRule, RouteNetlink.MessageType.deleteRule:
      changed(now: now)
    case RouteNetlink.MessageType.deleteRoute:
      // With the last address of an interface, the kernel drops the default route over it, and
      // announces only the removal of the routes that came with the address.
      changed(now: now)
    case RouteNetlink.MessageType.newLink:
      // The routes of an interface that goes down are removed without an announcement.
      if try !LinkMessage(message).isOfRadio { changed(now: now) }
    case RouteNetlink.MessageType.deleteLink: changed(now: now)
    case RouteNetlink.MessageType.newNeighbour:
      try neighbourAnnounced(NeighbourMessage(message), now: now)
    default: break
    }
  }

  private mutating func neighbourAnnounced(_ neighbour: NeighbourMessage, now: Instant) {
    guard case .resting = connection?.phase, var gateways, gateways.answered(neighbour)
    else { return }
    rest(awaiting: gateways.addresses.isEmpty ? nil : gateways)
    change(to: .wired(gateway: gateways.known, gateways.interface))
  }

  /// Handles gateways that have not answered in time.
  private mutating func gatewaysSilent(_ gateways: AwaitedGateways, now: Instant) {
    rest(awaiting: spokenTo(gateways, now: now))
    guard gateways.known == nil else { return }
    change(to: .silent(gateway: gateways.addresses[0], gateways.interface))
  }

  private mutating func spokenTo(_ gateways: AwaitedGateways, now: Instant) -> AwaitedGateways {
    var gateways = gateways
    for address in gateways.addresses {
      actions.append(.speak(address, interface: gateways.interface.index))
    }
    gateways.spoken(now: now)
    return gateways
  }

  private mutating func rest(awaiting gateways: AwaitedGateways?) {
    if gateways == nil { hearNeighbours(false) }
    connection?.phase = .resting
    self.gateways = gateways
  }

  /// Handles an announced change.
  private mutating func changed(now: Instant) {
    switch connection?.phase {
    case nil, .gathering: break
    case .resting: gather(now: now)
    case .asking: round?.isOutdated = true
    }
  }

  // MARK: Answers

  /// Processes a message that belongs to the open request.
  private mutating func answered(
    _ message: borrowing NetlinkMessage, on netlink: NetlinkProtocol, now: Instant
  ) throws(NetlinkError) {
    guard case .asking = connection?.phase, let round, round.netlink == netlink else { return }
    take(try round.answered(message), in: round, now: now)
  }

  private mutating func take(_ step: NetworkRound.Step, in round: NetworkRound, now: Instant) {
    switch step {
    case .wait: break
    case .ask: ask(round)
    case .familyFound(let family):
      connection?.family = family
      if let family { actions.append(.join(.generic, group: family.associationGroup)) }
      take(round.familyKnown(), in: round, now: now)
    case .familyLost:
      connection?.family = nil
      gather(now: now)
    case .found(let place, let unknown):
      finish(place, awaiting: unknown, of: round, now: now)
    case .askAgain: gather(now: now)
    case .failed(let error): failed(failure(of: error), now: now)
    }
  }

  private func failure(of error: Int32) -> SourceFailure {
    switch error {
    case KernelError.operationNotPermitted, KernelError.notPermitted: .notPermitted(name)
    case KernelError.busy: .busy(name)
    default: .failed(name, errno: error)
    }
  }

  // MARK: Rounds

  var isClosed: Bool { connection == nil }

  private mutating func startRound(now: Instant) {
    ask(
      NetworkRound(to: goal, family: connection?.family, until: now + Self.answersTimeout))
  }

  private mutating func ask(_ round: NetworkRound) {
    switch round.question {
    // Before the request, so that no announcement in between is missed.
    case .neighbour: hearNeighbours(true)
    case .link(let interface): connection?.interface = interface
    case .way, .routes, .families, .stations: break
    }
    connection?.phase = .asking
    self.round = round
    sequence &+= 1
    request.removeAll()
    request.append(round.request, sequence: sequence)
    actions.append(.send(round.netlink))
  }

  /// Schedules a new round.
  private mutating func gather(now: Instant) {
    connection?.phase = .gathering(until: now + Self.quietTime)
  }

  private mutating func finish(
    _ place: NetworkPlace, awaiting unknown: [NetworkAddress], of round: NetworkRound, now: Instant
  ) {
    var awaited: AwaitedGateways?
    if case .wired(let known, let interface) = place {
      awaited = AwaitedGateways(
        unknown, behind: known, on: interface, home: goal?.gateways ?? [])
    }
    if let gateways = awaited, gateways.maySpeak { awaited = spokenTo(gateways, now: now) }
    rest(awaiting: awaited)
    if supervision.succeeded() { actions.append(.tellRecovery) }
    tellSteadiness(now: now)
    if round.isOutdated { gather(now: now) }
    // A silent gateway remains silent until it answers.
    if case .wired(gateway: nil, let interface) = place, let first = unknown.first,
      self.place == .silent(gateway: first, interface)
    {
      return
    }
    change(to: place)
  }

  /// Reports recovery if an intermittent monitor has worked for long enough.
  private mutating func tellSteadiness(now: Instant) {
    if supervision.settled(now: now) { actions.append(.tellRecovery) }
  }

  private mutating func change(to place: NetworkPlace) {
    guard self.place != place else { return }
    self.place = place
    actions.append(.tellPlace)
  }

  /// Joins or leaves the announcements of neighbours. They come whenever the machine contacts one,
  /// so they are received only while a gateway is awaited.
  private mutating func hearNeighbours(_ isWanted: Bool) {
    guard let connection, isWanted != connection.hearsNeighbours else { return }
    self.connection?.hearsNeighbours = isWanted
    let group = RouteNetlink.Group.neighbour
    actions.append(isWanted ? .join(.route, group: group) : .leave(.route, group: group))
  }
}
