public import Bytes

/// Follows in which network the machine is (`netlink(7)`, `rtnetlink(7)`, nl80211), without the
/// sockets.
///
/// It asks how the kernel reaches Home Assistant's address, and then the radio for its association
/// or the neighbours for the gateway (`NetworkRound`). From then on it only listens: nothing is
/// asked, and no deadline set, until the kernel announces a change. Announcements come in bursts,
/// so everything is asked again a moment after the first one.
///
/// The kernel knows the hardware address of a gateway only if the machine has spoken to it. If it
/// could be that of the home, the monitor has it spoken to, ever more rarely, until it answers or
/// another one is the home's.
///
/// What the kernel tells is read in whole datagrams of at most `datagramByteCountMax`.
///
/// Invariants:
/// 1. One question is open at a time; a datagram of another one is passed over.
/// 2. After a failure the sockets are closed, `place` is `unknown`, and there is a deadline.
/// 3. While the sockets are open there is a deadline, except where everything is known, or all but
///    the address of a gateway that is none of the home's, and no failure came and went of late.
public struct NetworkMonitor: ~Copyable {
  /// How long after an announcement the kernel is asked again.
  public static let quietTime: Duration = .milliseconds(500)
  /// How long all answers of one round may take. The kernel answers at once.
  public static let answersTimeout: Duration = .seconds(10)
  /// How long a gateway may take to answer, and how long it is left alone at most before it is
  /// spoken to again.
  public static let gatewayTimeout: Duration = .seconds(5)
  public static let gatewayPauseMax: Duration = .seconds(300)
  /// The kernel packs lists into datagrams of at most 8 KB, unless one entry alone is longer.
  public static let datagramByteCountMax = 16 * 1024

  /// The two sockets, and what was learned over them.
  private struct Connection {
    let routePort: UInt32
    let genericPort: UInt32
    var phase: Phase
    /// Who speaks for radios, whose announcements are heard; nil where that is not known.
    var family: WirelessFamily?
    /// The interface that was asked about last.
    var interface: UInt32?
    var hearsNeighbours = false
  }

  private enum Phase {
    /// Everything is known, or all but the hardware addresses of `gateways`.
    case resting
    case gathering(until: Instant)
    /// The question of `round` is open.
    case asking
  }

  private let name: InlineText
  private let goal: NetworkGoal?
  /// Nil while the sockets are closed.
  private var connection: Connection?
  /// The questions that are open, and what was answered; the last ones while none is.
  private var round: NetworkRound?
  /// Those of which no hardware address is known, while the monitor rests.
  private var gateways: AwaitedGateways?
  private var actions: [Action] = []
  private var supervision = Supervision()
  /// Of the last question.
  private var sequence: UInt32 = 0

  /// The question that `.send` is about.
  public private(set) var request = ByteBuffer(capacity: NetlinkRequest.byteCountMax)
  /// Where the machine is, as far as is known.
  public private(set) var place = NetworkPlace.unknown
  /// Whether a radio would be noticed.
  public private(set) var wirelessSight = WirelessSight.unknown

  /// - Parameters:
  ///   - name: what failures call the network.
  ///   - goal: what the way leads to; nil where no network is known to be home.
  public init(name: InlineText, to goal: NetworkGoal? = nil) {
    self.name = name
    self.goal = goal
    actions.reserveCapacity(8)
  }

  /// What is to be done next, or nil. After every event, the actions are done until there is none.
  public mutating func nextAction() -> Action? {
    actions.isEmpty ? nil : actions.removeFirst()
  }

  /// When `deadlineReached` is due; nil while nothing changes.
  public var deadline: Instant? {
    switch connection?.phase {
    case nil: supervision.retryAt
    case .resting: earliest(gateways?.nextAt, supervision.steadyAt)
    case .gathering(let until): until
    case .asking: round?.until
    }
  }

  /// Whether the place stays as it is until the kernel announces a change.
  public var isSettled: Bool {
    guard case .resting = connection?.phase else { return false }
    return gateways?.nextAt == nil
  }

  // MARK: Events

  /// The owner wants to know where the machine is, from now on.
  public mutating func begin() {
    precondition(deadline == nil && place == .unknown, "a monitor begins once")
    actions.append(.open)
  }

  /// The sockets are open; the kernel knows them by these ports.
  public mutating func opened(routePort: UInt32, genericPort: UInt32, now: Instant) {
    connection = Connection(
      routePort: routePort, genericPort: genericPort, phase: .resting)
    gateways = nil
    for group in [
      RouteNetlink.Group.link, RouteNetlink.Group.ipv4Route, RouteNetlink.Group.ipv6Route,
    ] {
      actions.append(.join(.route, group: group))
    }
    startRound(now: now)
  }

  /// Takes in one datagram of the kernel.
  public mutating func received(
    _ datagram: Span<UInt8>, on netlink: NetlinkProtocol, now: Instant
  ) {
    let port = netlink == .route ? connection?.routePort : connection?.genericPort
    guard let port else { return }
    do throws(NetlinkError) {
      var messages = NetlinkMessages(datagram)
      while let message = try messages.next() {
        if message.port != port {
          try announced(message, on: netlink, now: now)
        } else if message.sequence == sequence {
          try answered(message, on: netlink, now: now)
        }
        // Any other one belongs to a question that is given up.
        if isClosed { return }
      }
    } catch {
      failed(.malformed(name, found: InlineText(error.words)), now: now)
    }
  }

  /// The kernel had to drop what it could not deliver.
  public mutating func overrun(now: Instant) {
    // An answer may be among it, and does not come any more.
    gather(now: now)
  }

  /// A datagram was longer than `datagramByteCountMax`.
  public mutating func truncated(now: Instant) {
    failed(.malformed(name, found: InlineText("a message that is too long")), now: now)
  }

  /// A socket could not be opened, or it failed.
  public mutating func failed(_ failure: SourceFailure, now: Instant) {
    // What was to be done needs the sockets; what is to be told is told.
    actions.removeAll(keepingCapacity: true)
    actions.append(.close)
    if case .failed(let failure)? = supervision.failed(failure, now: now) {
      actions.append(.tellFailure(failure))
    }
    connection = nil
    change(to: .unknown)
  }

  /// The deadline has come; earlier, nothing happens.
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

  /// A message that answers no question.
  private mutating func announced(
    _ message: borrowing NetlinkMessage, on netlink: NetlinkProtocol, now: Instant
  ) throws(NetlinkError) {
    switch netlink {
    case .generic: try radioAnnounced(message, now: now)
    case .route: try routesAnnounced(message, now: now)
    }
  }

  private mutating func radioAnnounced(
    _ message: borrowing NetlinkMessage, now: Instant
  ) throws(NetlinkError) {
    guard message.type == connection?.family?.id else { return }
    guard let change = try AssociationChange(message) else { return }
    // Another radio of the machine is of no interest.
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
      // Only routes to everywhere, and those that may lead to the address.
      let isForAll = header[1] == 0
      if isForAll || goal != nil && header[7] == RouteNetlink.Route.unicast { changed(now: now) }
    case RouteNetlink.MessageType.deleteRoute:
      // With the last address of an interface, the kernel drops the default route over it and
      // announces only that those are gone which came with the address.
      changed(now: now)
    case RouteNetlink.MessageType.newLink:
      // An interface that goes down takes its routes with it, and they are not announced.
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

  /// They had time to answer, and did not.
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

  /// Something was announced.
  private mutating func changed(now: Instant) {
    switch connection?.phase {
    case nil, .gathering: break
    case .resting: gather(now: now)
    case .asking: round?.isOutdated = true
    }
  }

  // MARK: Answers

  /// A message that belongs to the question that is open.
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
      wirelessSight = family == nil ? .absent : .present
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

  /// Sends the next question of a round.
  private mutating func ask(_ round: NetworkRound) {
    switch round.question {
    // Before the question, or an announcement in between would be missed.
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

  /// Asks everything again in a moment.
  private mutating func gather(now: Instant) {
    connection?.phase = .gathering(until: now + Self.quietTime)
  }

  /// Ends a round with what it has found.
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
    if supervision.succeeded() != nil { actions.append(.tellRecovery) }
    tellSteadiness(now: now)
    if round.isOutdated { gather(now: now) }
    // One that was silent is so until it answers.
    if case .wired(gateway: nil, let interface) = place, let first = unknown.first,
      self.place == .silent(gateway: first, interface)
    {
      return
    }
    change(to: place)
  }

  /// Says that it works again, if it came and went and has worked for long enough.
  private mutating func tellSteadiness(now: Instant) {
    if supervision.settled(now: now) != nil { actions.append(.tellRecovery) }
  }

  private mutating func change(to place: NetworkPlace) {
    guard self.place != place else { return }
    self.place = place
    actions.append(.tellPlace)
  }

  /// Neighbours are announced whenever the machine speaks with one, so they are heard only while a
  /// gateway is to be known by one.
  private mutating func hearNeighbours(_ isWanted: Bool) {
    guard let connection, isWanted != connection.hearsNeighbours else { return }
    self.connection?.hearsNeighbours = isWanted
    let group = RouteNetlink.Group.neighbour
    actions.append(isWanted ? .join(.route, group: group) : .leave(.route, group: group))
  }
}
