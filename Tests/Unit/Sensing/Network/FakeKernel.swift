import Bytes
import KernelHeaders
import Sensing
import Testing

/// A kernel that answers what it is asked and announces what the test changes, and a
/// `NetworkMonitor` that speaks with it in virtual time.
final class FakeKernel {
  typealias Station = KernelMessage.Station

  struct Link {
    var index: UInt32
    var name: String
    var hardware = ARPHRD_ETHER
    /// What its radio has heard; nil where it has none.
    var stations: [Station]?
  }

  struct Neighbour {
    var interface: UInt32
    var address: [UInt8]
    var hardware: [UInt8]?
    var state = NUD_REACHABLE
  }

  static let routePort: UInt32 = 1234
  static let genericPort: UInt32 = 4_000_001_234
  static let mlme: UInt32 = 12

  var links: [Link] = []
  var routes: [KernelMessage.Route] = []
  var neighbours: [Neighbour] = []
  /// The ways to single addresses.
  var ways: [[UInt8]: KernelMessage.Route] = [:]
  /// What was said something to, and over which interface.
  private(set) var spokenTo: [String] = []
  /// The number of the family of radios; nil where the kernel has none.
  var wireless: UInt16? = 32
  /// Errors to answer the next questions of a type with.
  var refusals: [UInt16: Int32] = [:]
  /// Lists of a type that change while they are made, and how often.
  var interruptions: [UInt16: Int] = [:]
  /// Whether it takes questions and does not answer.
  var isMute = false
  /// What becomes of the datagram with this number on its way.
  var damage: ((Int, [UInt8]) -> [UInt8])?
  private var deliveredCount = 0
  /// Whether a list that cannot be made ends with its error, instead of an error at once.
  var endsWithErrors = true

  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var monitor = NetworkMonitor(name: InlineText("network"))
  private(set) var isOpen = false
  private(set) var openCount = 0
  private(set) var groups: Set<String> = []
  /// The types of what was asked, in order.
  private(set) var asked: [UInt16] = []
  private(set) var places: [NetworkPlace] = []
  private(set) var reports: [String] = []
  private var pending: [(NetlinkProtocol, [UInt8])] = []
  private var waiting: [(NetlinkProtocol, [UInt8])] = []

  var place: NetworkPlace { monitor.place }
  var deadline: Instant? { monitor.deadline }
  var isSettled: Bool { monitor.isSettled }

  // MARK: Time

  /// Begins with these routes, behind those that the test has put there.
  func begin(_ routes: KernelMessage.Route..., to goal: NetworkGoal? = nil) {
    self.routes += routes
    if let goal { monitor = NetworkMonitor(name: InlineText("network"), to: goal) }
    monitor.begin()
    settle()
  }

  /// Lets everything be said that can be said at this moment.
  func settle() {
    repeat {
      while let action = monitor.nextAction() { perform(action) }
      guard !pending.isEmpty else { return }
      let (netlink, datagram) = pending.removeFirst()
      let arriving = damage?(deliveredCount, datagram) ?? datagram
      deliveredCount += 1
      monitor.received(arriving.span, on: netlink, now: now)
    } while true
  }

  /// Lets time pass, and the deadlines in it.
  func wait(_ duration: Duration) {
    let end = now + duration
    while let deadline = monitor.deadline, deadline <= end {
      now = max(now, deadline)
      monitor.deadlineReached(now: now)
      settle()
    }
    now = end
  }

  // MARK: Announcements

  func announce(_ netlink: NetlinkProtocol, _ datagram: [UInt8]) {
    pending.append((netlink, datagram))
    settle()
  }

  /// Announces something just before the answer to the next question.
  func announceWhenAsked(_ netlink: NetlinkProtocol, _ datagram: [UInt8]) {
    waiting.append((netlink, datagram))
  }

  func add(_ route: KernelMessage.Route) {
    routes.append(route)
    announce(.route, KernelMessage.message(RTM_NEWROUTE, route.payload))
  }

  func removeRoutes(over interface: UInt32) {
    for route in routes where route.interface == interface {
      announce(.route, KernelMessage.message(RTM_DELROUTE, route.payload))
    }
    routes.removeAll { $0.interface == interface }
  }

  /// Announces a changed rule of the family, if the monitor has joined the group for that.
  func changeRules(_ group: rtnetlink_groups, _ type: Int = RTM_NEWRULE) {
    guard groups.contains("route \(group.rawValue)") else { return }
    let family = group == RTNLGRP_IPV4_RULE ? AF_INET : AF_INET6
    announce(
      .route,
      KernelMessage.message(type, [UInt8(family)] + [UInt8](repeating: 0, count: 11)))
  }

  func announceLink(_ index: UInt32, isOfRadio: Bool = false) {
    guard let link = links.first(where: { $0.index == index }) else { return }
    announce(
      .route,
      KernelMessage.message(
        RTM_NEWLINK, KernelMessage.link(index, link.name, isOfRadio: isOfRadio)))
  }

  func announceNeighbour(
    _ interface: UInt32, _ address: [UInt8], _ hardware: [UInt8]?, state: Int32 = NUD_REACHABLE
  ) {
    let neighbour = Neighbour(
      interface: interface, address: address, hardware: hardware, state: state)
    neighbours.removeAll { $0.interface == interface && $0.address == address }
    neighbours.append(neighbour)
    guard groups.contains("route \(RTNLGRP_NEIGH.rawValue)") else { return }
    announce(.route, KernelMessage.message(RTM_NEWNEIGH, payload(of: neighbour)))
  }

  func associate(_ interface: UInt32, _ command: nl80211_commands, with stations: [Station]) {
    for index in links.indices where links[index].index == interface {
      links[index].stations = stations
    }
    announceRadio(interface, command)
  }

  func announceRadio(_ interface: UInt32, _ command: nl80211_commands) {
    guard let wireless, groups.contains("generic \(Self.mlme)") else { return }
    announce(
      .generic,
      KernelMessage.message(
        wireless,
        KernelMessage.generic(
          command.rawValue, KernelMessage.attribute(NL80211_ATTR_IFINDEX.rawValue, interface))))
  }

  func overrun() {
    pending = []
    monitor.overrun(now: now)
    settle()
  }

  func truncate() {
    monitor.truncated(now: now)
    settle()
  }

  func fail(_ failure: SourceFailure) {
    monitor.failed(failure, now: now)
    settle()
  }

  // MARK: Actions

  private func perform(_ action: NetworkMonitor.Action) {
    switch action {
    case .open:
      #expect(!isOpen)
      (isOpen, openCount) = (true, openCount + 1)
      monitor.opened(routePort: Self.routePort, genericPort: Self.genericPort, now: now)
    case .close: (isOpen, groups, pending) = (false, [], [])
    case .join(let netlink, let group): groups.insert(Self.name(netlink, group))
    case .leave(let netlink, let group):
      #expect(groups.remove(Self.name(netlink, group)) != nil, "it was in the group")
    case .send(let netlink): answer(netlink, [UInt8](monitor.request.bytes))
    case .speak(let address, let interface):
      spokenTo.append("\([UInt8](address.bytes)) over \(interface)")
    case .tellPlace: places.append(monitor.place)
    case .tellFailure(let failure): reports.append(Self.kind(failure))
    case .tellRecovery: reports.append("recovered")
    }
  }

  private static func name(_ netlink: NetlinkProtocol, _ group: UInt32) -> String {
    "\(netlink == .route ? "route" : "generic") \(group)"
  }

  private static func kind(_ failure: SourceFailure) -> String {
    switch failure {
    case .notPermitted: "notPermitted"
    case .intermittent: "intermittent"
    case .silent: "silent"
    case .malformed: "malformed"
    default: "another"
    }
  }

  // MARK: Answers

  private func answer(_ netlink: NetlinkProtocol, _ request: [UInt8]) {
    #expect(isOpen)
    #expect(Self.read(UInt32.self, request, 0) == UInt32(request.count))
    let type = Self.read(UInt16.self, request, 4)
    let sequence = Self.read(UInt32.self, request, 8)
    let port = netlink == .route ? Self.routePort : Self.genericPort
    asked.append(type)
    pending += waiting
    waiting = []
    if isMute { return }
    let reply = Reply(type: type, netlink: netlink, sequence: sequence, port: port)
    if let error = refusals[type] { return refuse(reply, error) }
    switch Int(type) {
    case RTM_GETROUTE where Self.read(UInt16.self, request, 6) & UInt16(NLM_F_DUMP) == 0:
      #expect(Int(request[17]) == 8 * (request.count - 32), "all of the address counts")
      guard let way = ways[[UInt8](request[32...])] else { return refuse(reply, ENETUNREACH) }
      send(reply, RTM_NEWROUTE, payload: way.payload)
    case RTM_GETROUTE: answerRoutes(reply, family: request[16])
    case RTM_GETLINK: answerLink(reply, index: Self.read(UInt32.self, request, 20))
    case RTM_GETNEIGH:
      answerNeighbour(
        reply, index: Self.read(UInt32.self, request, 20), address: [UInt8](request[32...]))
    case Int(NLMSG_MIN_TYPE): answerFamilies(reply)
    case Int(wireless ?? 0): answerStations(reply, index: Self.read(UInt32.self, request, 24))
    default: refuse(reply, ENOENT)
    }
  }

  private struct Reply {
    let type: UInt16
    let netlink: NetlinkProtocol
    let sequence: UInt32
    let port: UInt32
  }

  private func answerRoutes(_ reply: Reply, family: UInt8) {
    list(reply, RTM_NEWROUTE, routes.filter { $0.family == Int32(family) }.map(\.payload))
  }

  private func answerLink(_ reply: Reply, index: UInt32) {
    guard let link = links.first(where: { $0.index == index }) else {
      return refuse(reply, ENODEV)
    }
    send(
      reply, RTM_NEWLINK,
      payload: KernelMessage.link(index, link.name, hardware: link.hardware))
  }

  private func answerNeighbour(_ reply: Reply, index: UInt32, address: [UInt8]) {
    let found = neighbours.first { $0.interface == index && $0.address == address }
    guard let found else { return refuse(reply, ENOENT) }
    send(reply, RTM_NEWNEIGH, payload: payload(of: found))
  }

  private func answerFamilies(_ reply: Reply) {
    var families = [
      KernelMessage.family("nlctrl", id: 16, groups: [("notify", 16)]),
      KernelMessage.family("80211", id: 30, groups: [("mlme", 3)]),
    ]
    if let wireless {
      families.append(
        KernelMessage.family(
          "nl80211", id: wireless, groups: [("config", 10), ("scan", 11), ("mlme", Self.mlme)]))
    }
    list(reply, Int(NLMSG_MIN_TYPE), families)
  }

  private func answerStations(_ reply: Reply, index: UInt32) {
    let link = links.first { $0.index == index }
    guard let stations = link?.stations else { return refuse(reply, ENODEV) }
    list(reply, Int(reply.type), stations.map { $0.payload(interface: index) })
  }

  private func payload(of neighbour: Neighbour) -> [UInt8] {
    KernelMessage.neighbour(
      neighbour.interface, neighbour.address, hardware: neighbour.hardware, state: neighbour.state)
  }

  /// A list in two datagrams and its end in a third.
  private func list(_ reply: Reply, _ type: Int, _ payloads: [[UInt8]]) {
    var flags = NLM_F_MULTI
    if let count = interruptions[reply.type], count > 0 {
      interruptions[reply.type] = count - 1
      flags |= NLM_F_DUMP_INTR
    }
    let messages = payloads.map { payload in
      KernelMessage.message(
        type, flags: Int(flags), sequence: reply.sequence, port: reply.port, payload)
    }
    let half = messages.count / 2
    for part in [messages[..<half], messages[half...]] where !part.isEmpty {
      pending.append((reply.netlink, part.flatMap { $0 }))
    }
    send(reply, Int(NLMSG_DONE), flags: Int(flags), payload: KernelMessage.integer(Int32(0)))
  }

  private func refuse(_ reply: Reply, _ error: Int32) {
    let isEnd = endsWithErrors && error == ENODEV
    send(
      reply, Int(isEnd ? NLMSG_DONE : NLMSG_ERROR),
      payload: KernelMessage.integer(-error) + [UInt8](repeating: 0, count: 16))
  }

  private func send(_ reply: Reply, _ type: Int, flags: Int = 0, payload: [UInt8]) {
    pending.append(
      (
        reply.netlink,
        KernelMessage.message(
          type, flags: flags, sequence: reply.sequence, port: reply.port, payload)
      ))
  }

  static func read<Integer: FixedWidthInteger>(
    _: Integer.Type, _ bytes: [UInt8], _ offset: Int
  ) -> Integer {
    unsafe bytes.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: offset, as: Integer.self)
    }
  }
}
