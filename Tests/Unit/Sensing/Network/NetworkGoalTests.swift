import Bytes
import KernelHeaders
import Sensing
import Testing

/// The way to Home Assistant, whatever else leads anywhere.
@Suite struct NetworkGoalTests {
  private static let server: [UInt8] = [192, 168, 1, 5]
  private static let router: [UInt8] = [192, 168, 1, 1]
  private static let other: [UInt8] = [192, 168, 1, 2]
  private static let home: [UInt8] = [0x0A, 0, 0, 0, 0, 1]
  private static let stranger: [UInt8] = [0x0A, 0, 0, 0, 0, 2]
  private static let station: [UInt8] = [2, 0, 0, 0, 0, 1]

  private let kernel = FakeKernel()

  init() {
    kernel.links = [
      FakeKernel.Link(index: eth, name: "eth0"),
      FakeKernel.Link(
        index: wlan, name: "wlan0",
        stations: [FakeKernel.Station("Harbour", bssid: Self.station, isAssociated: true)]),
      FakeKernel.Link(index: tun, name: "tun0", hardware: ARPHRD_NONE),
    ]
    know(Self.router, as: Self.home)
  }

  private func know(_ address: [UInt8], as hardware: [UInt8]) {
    kernel.neighbours.append(
      FakeKernel.Neighbour(interface: eth, address: address, hardware: hardware))
  }

  /// Home Assistant at its numeric address, or at a name.
  private func begin(
    _ routes: KernelMessage.Route..., at server: [UInt8]? = server, passesTunnels: Bool = false
  ) throws {
    kernel.routes += routes
    kernel.begin(
      to: NetworkGoal(
        address: server.flatMap { NetworkAddress($0.count == 4 ? .ipv4 : .ipv6, $0.span) },
        passesTunnels: passesTunnels, gateways: [try address(Self.home)]))
  }

  private func route(
    _ interface: UInt32, metric: UInt32? = nil, gateway: [UInt8]? = router, bits: UInt8 = 0
  ) -> KernelMessage.Route {
    KernelMessage.Route(
      destinationBits: bits, metric: metric, interface: interface, gateway: gateway)
  }

  private var silent: NetworkPlace? {
    NetworkAddress(.ipv4, Self.router.span).map { .silent(gateway: $0, interface(eth)) }
  }

  private let tunnel = NetworkPlace.elsewhere(interface(tun))

  // MARK: A tunnel above the cable

  @Test func aTunnelThatTakesTheDefaultRouteLeavesTheHomesCableTheHome() throws {
    kernel.ways[Self.server] = route(eth, gateway: nil, bits: 32)
    try begin(
      route(eth, metric: 100), route(tun, metric: 50, gateway: nil),
      route(eth, gateway: nil, bits: 24))
    #expect(kernel.places == [try wired(Self.home)])
    #expect(kernel.deadline == nil)
  }

  @Test func aHomeThatIsReachedOverATunnelIsElsewhere() throws {
    kernel.ways[Self.server] = route(tun, gateway: nil, bits: 32)
    try begin(route(eth, metric: 100), route(tun, metric: 50, gateway: nil))
    #expect(kernel.place == tunnel)
  }

  /// A name may be another machine's at the end of the tunnel, unless only this network answers it.
  @Test(arguments: [true, false])
  func aNameIsOfTheCableWhereItIsLocalAlone(isLocal: Bool) throws {
    try begin(
      route(eth, metric: 100), route(tun, metric: 50, gateway: nil), at: nil,
      passesTunnels: isLocal)
    #expect(kernel.place == (isLocal ? try wired(Self.home) : tunnel))
  }

  /// Each interface has a route to its own link, also one that leads nowhere.
  @Test(
    arguments: [
      ([0xFE, 0x80], 16, false), ([0xFE, 0xBF], 16, false), ([0xFE, 0xC0], 16, true),
      ([0xFE, 0x40], 16, true), ([0xFD, 0x80], 16, true), ([192, 168], 4, true),
      ([10, 128], 4, true),
      ([254, 128], 4, true),
    ] as [([UInt8], Int, Bool)])
  func withoutADefaultRouteTheNetworksOfTheInterfacesCount(
    start: [UInt8], byteCount: Int, counts: Bool
  ) throws {
    try begin(
      KernelMessage.Route(
        family: byteCount == 4 ? AF_INET : AF_INET6, destinationBits: 16,
        destination: start + [UInt8](repeating: 0, count: byteCount - 2), interface: wlan),
      at: nil, passesTunnels: true)
    #expect((kernel.place != .none) == counts)
  }

  @Test func aRouteToTheAddressAloneIsNoticed() throws {
    kernel.ways[Self.server] = route(eth, gateway: nil, bits: 32)
    try begin(route(eth))
    kernel.ways[Self.server] = route(tun, gateway: nil, bits: 32)
    kernel.add(route(tun, gateway: nil, bits: 24))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == tunnel)
  }

  /// A VPN sends all traffic to a table of its own, by a rule, and may except the local network.
  @Test(
    arguments: [RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE].flatMap { group in
      [RTM_NEWRULE, RTM_DELRULE].map { (group, $0) }
    })
  func aChangedRuleIsNoticed(group: rtnetlink_groups, type: Int) throws {
    kernel.ways[Self.server] = route(eth, gateway: nil, bits: 32)
    try begin(route(eth))
    kernel.ways[Self.server] = route(tun, gateway: nil, bits: 32)
    kernel.changeRules(group, type)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == tunnel)
    #expect(kernel.deadline == nil)
  }

  @Test(arguments: [false, true])
  func rulesMatterOnlyOnTheWayToAnAddress(isNamed: Bool) throws {
    kernel.routes = [route(eth)]
    if isNamed { try begin(at: nil) } else { kernel.begin() }
    for group in [RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE] {
      #expect(!kernel.groups.contains("route \(group.rawValue)"))
    }
  }

  @Test(
    arguments: [
      (RTN_THROW, true), (RTN_UNREACHABLE, true), (RTN_BLACKHOLE, true), (RTN_PROHIBIT, true),
      (RTN_LOCAL, false), (RTN_BROADCAST, false), (RTN_ANYCAST, false), (RTN_MULTICAST, false),
    ])
  func aRouteThatLeadsNowhereMayChangeTheWay(type: Int, counts: Bool) throws {
    kernel.ways[Self.server] = route(tun, gateway: nil, bits: 32)
    try begin(route(eth))
    var exception = route(tun, gateway: nil, bits: 24)
    (exception.type, exception.interface) = (type, nil)
    kernel.add(exception)
    #expect((kernel.deadline != nil) == counts)
  }

  // MARK: Several routers

  private static func linkLocal(_ last: UInt8) -> [UInt8] {
    [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [last]
  }

  /// RFC 4191: 1 is high, 0 or none medium, 3 low.
  @Test(
    arguments: [[(1, 1), (2, 0)], [(2, 0), (1, 1)], [(2, 3), (1, 0)], [(2, 3), (1, nil)]]
      as [[(UInt8, UInt8?)]])
  func ofTwoRoutersTheOneOfHigherPreferenceCounts(routers: [(UInt8, UInt8?)]) throws {
    for (last, preference) in routers {
      kernel.routes.append(
        KernelMessage.Route(
          family: AF_INET6, metric: 1024, preference: preference, interface: eth,
          gateway: Self.linkLocal(last)))
    }
    know(Self.linkLocal(1), as: Self.home)
    know(Self.linkLocal(2), as: Self.stranger)
    try begin()
    #expect(kernel.place == (try wired(Self.home)))
    #expect(kernel.asked.count { $0 == UInt16(RTM_GETNEIGH) } == 1)
  }

  @Test func ofEqualRoutesAndNextHopsAnyGatewayMayBeTheHomes() throws {
    know(Self.other, as: Self.stranger)
    let hops = [Self.other, Self.router].map { KernelMessage.Hop(interface: eth, gateway: $0) }
    try begin(KernelMessage.Route(hops: hops))
    #expect(kernel.place == (try wired(Self.home)))
    kernel.removeRoutes(over: eth)
    kernel.routes = [route(eth, gateway: Self.other), route(eth)]
    kernel.announceLink(eth)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == (try wired(Self.home)))
  }

  @Test func aWorseRouteOfTheSameCableDoesNotCount() throws {
    know(Self.other, as: Self.stranger)
    try begin(route(eth, metric: 5, gateway: Self.other), route(eth, metric: 9))
    #expect(kernel.place == (try wired(Self.stranger)))
  }

  // MARK: No default route

  @Test func aRadioSaysWhereItIsWithoutADefaultRoute() throws {
    try begin(
      route(eth, gateway: nil, bits: 24),
      route(wlan, metric: 600, gateway: nil, bits: 24), at: nil)
    #expect(kernel.place == (try wireless("Harbour", Self.station)))
  }

  @Test func theWayOverARadioIsJudgedWithoutADefaultRoute() throws {
    kernel.ways[Self.server] = route(wlan, gateway: nil, bits: 32)
    try begin()
    #expect(kernel.place == (try wireless("Harbour", Self.station)))
  }

  @Test func onACableWithoutAGatewayTheServersOwnHardwareCounts() throws {
    know(Self.server, as: Self.home)
    kernel.ways[Self.server] = route(eth, gateway: nil, bits: 32)
    try begin()
    #expect(kernel.place == (try wired(Self.home)))
  }

  @Test func aServerThatNothingLeadsToIsNowhere() throws {
    try begin(route(wlan, gateway: nil, bits: 24))
    #expect(kernel.places == [.none])
  }

  // MARK: A gateway that no program speaks to

  @Test func aQuietGatewayIsSpokenToAndAnswers() throws {
    kernel.neighbours = []
    try begin(route(eth), at: nil)
    #expect(kernel.spokenTo == ["\(Self.router) over 2"])
    #expect(kernel.places == [try wired(nil)])
    kernel.announceNeighbour(eth, Self.router, Self.home)
    #expect(kernel.places == [try wired(nil), try wired(Self.home)])
    #expect(kernel.deadline == nil, "a steady state has no deadline")
  }

  @Test func aGatewayThatDoesNotAnswerIsSilentAndSpokenToEverMoreRarely() throws {
    kernel.neighbours = []
    try begin(route(eth), at: nil)
    kernel.wait(NetworkMonitor.gatewayTimeout)
    #expect(kernel.places == [try wired(nil), try #require(silent)])
    kernel.wait(.seconds(3600))
    #expect((15...20).contains(kernel.spokenTo.count))
    #expect(kernel.places.count == 2, "it is told once")
    // The kernel announces something, and everything is asked again.
    kernel.announceLink(eth)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places.count == 2, "and stays silent until it answers")
    kernel.announceNeighbour(eth, Self.router, Self.home)
    #expect(kernel.place == (try wired(Self.home)))
    #expect(kernel.deadline == nil)
  }

  @Test func theSecondGatewayIsSpokenToWhereTheFirstIsAStrangers() throws {
    kernel.neighbours = []
    know(Self.other, as: Self.stranger)
    try begin(route(eth, gateway: Self.other), route(eth), at: nil)
    #expect(kernel.spokenTo == ["\(Self.router) over 2"])
    #expect(kernel.place == (try wired(Self.stranger)))
    #expect(!kernel.isSettled, "it may be home")
    // The home's router restarts, and no route of the board changes.
    kernel.wait(.seconds(60))
    #expect(kernel.places == [try wired(Self.stranger)])
    kernel.announceNeighbour(eth, Self.router, Self.home)
    #expect(kernel.place == (try wired(Self.home)))
    #expect(kernel.isSettled && kernel.deadline == nil)
  }

  @Test func theSecondGatewayIsSpokenToEverMoreRarelyToo() throws {
    kernel.neighbours = []
    know(Self.other, as: Self.stranger)
    try begin(route(eth, gateway: Self.other), route(eth), at: nil)
    kernel.wait(.seconds(3600))
    #expect((15...20).contains(kernel.spokenTo.count))
    #expect(kernel.places == [try wired(Self.stranger)])
    kernel.announceNeighbour(eth, Self.router, Self.station)
    #expect(kernel.isSettled && kernel.deadline == nil, "both are strangers'")
  }

  @Test func atHomeNoOtherGatewayIsSpokenTo() throws {
    try begin(route(eth, gateway: Self.other), route(eth), at: nil)
    #expect(kernel.place == (try wired(Self.home)))
    #expect(kernel.spokenTo.isEmpty)
    #expect(kernel.isSettled && kernel.deadline == nil)
  }

  @Test func whereNoGatewayIsTheHomesNoneIsSpokenTo() throws {
    kernel.neighbours = []
    kernel.begin(route(eth), to: NetworkGoal(address: nil))
    #expect(kernel.spokenTo.isEmpty)
    #expect(kernel.isSettled && kernel.deadline == nil)
  }
}
