public import Bytes

/// Follows in which network the machine is (`netlink(7)`, `rtnetlink(7)`, nl80211), without the
/// sockets.
///
/// It asks who carries the default route, and then the radio for its association or the neighbours
/// for the gateway. From then on it only listens: nothing is asked, and no deadline set, until the
/// kernel announces a change. Announcements come in bursts, so everything is asked anew a moment
/// after the first one.
///
/// What the kernel tells is read in whole datagrams of at most `datagramByteCountMax`. Of several
/// default routes the one with the lowest metric counts, of IPv4 before IPv6, in the main table; a
/// tunnel that leaves it alone and only adds more specific routes is not seen.
///
/// Invariants:
/// 1. One question is open at a time; a datagram of another one is passed over.
/// 2. After a failure the sockets are closed, `place` is `unknown`, and there is a deadline.
/// 3. While the sockets are open there is a deadline, except where everything is known, or all but
///    the address of a gateway, which the kernel then announces.
public struct NetworkMonitor: ~Copyable {
  /// How long after an announcement the kernel is asked again.
  public static let quietTime: Duration = .milliseconds(500)
  /// How long all answers of one round may take. The kernel answers at once.
  public static let answersTimeout: Duration = .seconds(10)
  /// The kernel packs lists into datagrams of at most 8 KB, unless one entry alone is longer.
  public static let datagramByteCountMax = 16 * 1024

  public enum Action: Equatable, Sendable {
    /// Open both sockets and tell `opened` or `failed`.
    case open
    /// Close both sockets.
    case close
    /// Hear the announcements of a multicast group, or no longer.
    case join(NetlinkProtocol, group: UInt32)
    case leave(NetlinkProtocol, group: UInt32)
    /// Send what stands in `request`.
    case send(NetlinkProtocol)
    /// `place` is another one.
    case tellPlace
    /// Say that there is no telling where the machine is, and why. It is tried again.
    case tellFailure(SourceFailure)
    /// Say that it works again.
    case tellRecovery
  }

  /// The two sockets, and what was learned over them.
  private struct Connection {
    let routePort: UInt32
    let genericPort: UInt32
    var phase: Phase
    /// Who speaks for radios, whose announcements are heard; nil where that is not known.
    var family: WirelessFamily?
    /// The interface that the radio was asked for last.
    var radioInterface: UInt32?
    var hearsNeighbours = false
  }

  private enum Phase {
    /// Everything is known, or all but the hardware address of a gateway.
    case resting(awaiting: Gateway?)
    case gathering(until: Instant)
    case asking(Round)
  }

  /// A gateway on a cable, to which the machine has not spoken yet.
  private struct Gateway {
    let address: NetworkAddress
    let interface: NetworkInterface
  }

  /// The questions from the routes to the place.
  private struct Round {
    var question: NetworkQuestion
    let until: Instant
    /// Whether the list that the kernel gives changed while it was made.
    var isInterrupted = false
    /// Whether something was announced while questions were open.
    var isOutdated = false
  }

  private let name: InlineText
  /// Nil while the sockets are closed.
  private var connection: Connection?
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

  /// - Parameter name: what failures call the network.
  public init(name: InlineText) {
    self.name = name
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
    case .resting: nil
    case .gathering(let until): until
    case .asking(let round): round.until
    }
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
      routePort: routePort, genericPort: genericPort, phase: .resting(awaiting: nil))
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
    guard let connection else { return }
    let port = netlink == .route ? connection.routePort : connection.genericPort
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
    case .resting: break
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
    guard let connection, message.type == connection.family?.id,
      let change = try AssociationChange(message)
    else { return }
    // Another radio of the machine is of no interest.
    if change.interface == nil || change.interface == connection.radioInterface {
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
      // Only routes to everywhere.
      if header[1] == 0 { changed(now: now) }
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
    guard case .resting(awaiting: let gateway?) = connection?.phase,
      let found = neighbour.hardwareAddress, neighbour.interface == gateway.interface.index,
      neighbour.address == gateway.address
    else { return }
    finish(.wired(gateway: found, gateway.interface), now: now)
  }

  /// Something was announced.
  private mutating func changed(now: Instant) {
    switch connection?.phase {
    case nil, .gathering: break
    case .resting: gather(now: now)
    case .asking(var round):
      round.isOutdated = true
      connection?.phase = .asking(round)
    }
  }

  // MARK: Answers

  /// A message that belongs to the question that is open.
  private mutating func answered(
    _ message: borrowing NetlinkMessage, on netlink: NetlinkProtocol, now: Instant
  ) throws(NetlinkError) {
    guard case .asking(var round) = connection?.phase, round.question.netlink == netlink
    else { return }
    if message.flags & Netlink.Flag.dumpInterrupted != 0 { round.isInterrupted = true }
    let step: NetworkQuestion.Step
    switch message.type {
    case Netlink.MessageType.error, Netlink.MessageType.done:
      let error = try message.errorNumber()
      if error != 0 {
        step = round.question.refused(error)
      } else {
        step = round.isInterrupted ? .askAgain : round.question.ended()
      }
    default: step = try round.question.received(message)
    }
    connection?.phase = .asking(round)
    take(step, in: round, now: now)
  }

  private mutating func take(_ step: NetworkQuestion.Step, in round: Round, now: Instant) {
    switch step {
    case .wait: break
    case .ask(let question): ask(question, in: round)
    case .askRadio(let link, let route):
      connection?.radioInterface = route.interface
      if let family = connection?.family {
        ask(.stations(family, link, route, found: nil), in: round)
      } else {
        ask(.families(link, route, found: nil), in: round)
      }
    case .familyFound(let family?, let link, let route):
      wirelessSight = .present
      connection?.family = family
      actions.append(.join(.generic, group: family.associationGroup))
      ask(.stations(family, link, route, found: nil), in: round)
    case .familyFound(nil, let link, let route):
      wirelessSight = .absent
      askGateway(link, route, in: round, now: now)
    case .askGateway(let link, let route): askGateway(link, route, in: round, now: now)
    case .familyLost:
      connection?.family = nil
      gather(now: now)
    case .found(let place): finish(place, now: now)
    case .askAgain: gather(now: now)
    case .failed(let error): failed(failure(of: error), now: now)
    }
  }

  private mutating func askGateway(
    _ link: LinkMessage, _ route: DefaultRoute, in round: Round, now: Instant
  ) {
    guard let gateway = route.gateway else { return finish(.elsewhere(link.interface), now: now) }
    // Before the question, or an announcement in between would be missed.
    hearNeighbours(true)
    ask(.neighbour(gateway, link.interface), in: round)
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
    let question = NetworkQuestion.routes(.ipv4, best: nil)
    ask(question, in: Round(question: question, until: now + Self.answersTimeout))
  }

  /// Sends the next question of a round.
  private mutating func ask(_ question: NetworkQuestion, in round: Round) {
    var round = round
    round.question = question
    round.isInterrupted = false
    connection?.phase = .asking(round)
    sequence &+= 1
    request.removeAll()
    request.append(question.request, sequence: sequence)
    actions.append(.send(question.netlink))
  }

  /// Asks everything again in a moment.
  private mutating func gather(now: Instant) {
    connection?.phase = .gathering(until: now + Self.quietTime)
  }

  /// Ends a round with what it has found, or the wait for a gateway.
  private mutating func finish(_ place: NetworkPlace, now: Instant) {
    var (gateway, isOutdated) = (Gateway?.none, false)
    if case .asking(let round) = connection?.phase {
      isOutdated = round.isOutdated
      if case .wired(gateway: nil, _) = place,
        case .neighbour(let address, let interface) = round.question
      {
        gateway = Gateway(address: address, interface: interface)
      }
    }
    if gateway == nil { hearNeighbours(false) }
    connection?.phase = .resting(awaiting: gateway)
    if isOutdated { gather(now: now) }
    if supervision.succeeded() != nil { actions.append(.tellRecovery) }
    change(to: place)
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

extension NetlinkError {
  fileprivate var words: StaticString {
    switch self {
    case .truncated: "a message that is cut off"
    case .badLength: "a length that cannot be"
    }
  }
}
