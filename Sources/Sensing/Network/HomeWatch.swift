public import Bytes

/// One of the two conversations with the kernel.
public enum NetlinkProtocol: Equatable, Sendable {
  /// `NETLINK_ROUTE`: interfaces, routes, neighbours.
  case route
  /// `NETLINK_GENERIC`: families such as nl80211.
  case generic
}

/// Watches in which network the machine is (`netlink(7)`, `rtnetlink(7)`, nl80211), without the
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
public struct HomeWatch: ~Copyable {
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

  enum State {
    case closed
    /// Everything is known.
    case resting
    case gathering(until: Instant)
    case asking(Question, until: Instant)
  }

  /// The questions of one round, in the order in which they are asked.
  enum Question {
    case routes(NetworkAddress.Family)
    case link(DefaultRoute)
    case families(LinkMessage, DefaultRoute)
    case stations(WirelessFamily, LinkMessage, DefaultRoute)
    case neighbour(NetworkAddress, NetworkInterface)
  }

  let name: InlineText
  var state = State.closed
  private var actions: [Action] = []
  private var supervision = Supervision()
  private var routePort: UInt32 = 0
  private var genericPort: UInt32 = 0
  private var sequence: UInt32 = 0

  // What the question that is open has brought so far.
  var foundRoute: DefaultRoute?
  var foundFamily: WirelessFamily?
  var foundNetwork: WirelessNetwork?
  var isInterrupted = false

  /// Whether something was announced while questions were open.
  private var isOutdated = false
  private var family: WirelessFamily?
  /// The gateway whose hardware address is still to come, and over what.
  private(set) var awaited: (gateway: NetworkAddress, interface: NetworkInterface)?
  private var hearsNeighbours = false
  /// The interface that the last round asked the radio for.
  private(set) var radioInterface: UInt32?

  /// The question that `.send` is about.
  public private(set) var request = ByteBuffer(capacity: NetlinkRequest.byteCountMax)
  public private(set) var place = NetworkPlace.unknown
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
    switch state {
    case .closed: supervision.retryAt
    case .resting: nil
    case .gathering(let until), .asking(_, let until): until
    }
  }

  // MARK: Events

  /// Somebody wants to know.
  public mutating func begin() {
    precondition(deadline == nil && place == .unknown, "a watch begins once")
    actions.append(.open)
  }

  /// The sockets are open; the kernel knows them by these ports.
  public mutating func opened(routePort: UInt32, genericPort: UInt32, now: Instant) {
    self.routePort = routePort
    self.genericPort = genericPort
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
    guard !isClosed else { return }
    let port = netlink == .route ? routePort : genericPort
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
      malformed(error, now: now)
    }
  }

  /// The kernel had to drop what it could not deliver.
  public mutating func overrun(now: Instant) {
    guard !isClosed else { return }
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
    state = .closed
    hearsNeighbours = false
    // The group is to be joined again.
    family = nil
    change(to: .unknown)
  }

  public mutating func deadlineReached(now: Instant) {
    guard let deadline, now >= deadline else { return }
    switch state {
    case .closed: actions.append(.open)
    case .resting: break
    case .gathering: startRound(now: now)
    case .asking: failed(.silent(name), now: now)
    }
  }

  // MARK: Rounds

  var isClosed: Bool {
    guard case .closed = state else { return false }
    return true
  }

  private mutating func startRound(now: Instant) {
    isOutdated = false
    awaited = nil
    ask(.routes(.ipv4), until: now + Self.answersTimeout)
  }

  /// Sends the next question of a round.
  mutating func ask(_ question: Question, until: Instant) {
    state = .asking(question, until: until)
    foundRoute = nil
    foundFamily = nil
    foundNetwork = nil
    isInterrupted = false
    sequence &+= 1
    request.removeAll()
    request.append(question.request, sequence: sequence)
    actions.append(.send(question.netlink))
  }

  /// Asks everything again in a moment.
  mutating func gather(now: Instant) {
    state = .gathering(until: now + Self.quietTime)
  }

  /// Something was announced.
  mutating func changed(now: Instant) {
    switch state {
    case .closed, .gathering: break
    case .resting: gather(now: now)
    case .asking: isOutdated = true
    }
  }

  /// Ends a round with what it has found.
  mutating func finish(_ place: NetworkPlace, now: Instant) {
    if awaited == nil { hearNeighbours(false) }
    state = .resting
    if isOutdated { gather(now: now) }
    if supervision.succeeded() != nil { actions.append(.tellRecovery) }
    change(to: place)
  }

  private mutating func change(to place: NetworkPlace) {
    guard self.place != place else { return }
    self.place = place
    actions.append(.tellPlace)
  }

  // MARK: What a round goes by

  /// Looks for the radio: first for who speaks for radios, if need be.
  mutating func askRadio(_ link: LinkMessage, _ route: DefaultRoute, until: Instant) {
    radioInterface = route.interface
    if let family {
      ask(.stations(family, link, route), until: until)
    } else {
      ask(.families(link, route), until: until)
    }
  }

  mutating func familyFound(_ family: WirelessFamily?) {
    self.family = family
    wirelessSight = family == nil ? .absent : .present
    if let family { actions.append(.join(.generic, group: family.associationGroup)) }
  }

  mutating func familyLost() { family = nil }

  /// Waits for the gateway to be known. Neighbours are announced whenever the machine speaks with
  /// one, so nobody listens to them for longer than this.
  mutating func awaitGateway(_ gateway: NetworkAddress, over interface: NetworkInterface) {
    awaited = (gateway, interface)
    hearNeighbours(true)
  }

  mutating func gatewayFound() { awaited = nil }

  private mutating func hearNeighbours(_ wanted: Bool) {
    guard wanted != hearsNeighbours else { return }
    hearsNeighbours = wanted
    let group = RouteNetlink.Group.neighbour
    actions.append(wanted ? .join(.route, group: group) : .leave(.route, group: group))
  }

  func isWireless(_ type: UInt16) -> Bool { family?.id == type }
}

extension HomeWatch.Question {
  var request: NetlinkRequest {
    switch self {
    case .routes(let family): .routes(family)
    case .link(let route): .link(route.interface)
    case .families: .families
    case .stations(let family, _, let route): .stations(family, interface: route.interface)
    case .neighbour(let gateway, let interface): .neighbour(gateway, interface: interface.index)
    }
  }

  var netlink: NetlinkProtocol {
    switch self {
    case .routes, .link, .neighbour: .route
    case .families, .stations: .generic
    }
  }
}
