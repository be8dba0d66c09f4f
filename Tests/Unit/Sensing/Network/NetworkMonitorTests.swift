import Bytes
import KernelHeaders
import Sensing
import Testing

/// A board with a cable, a radio and a tunnel, and what it makes of where it is.
@Suite struct NetworkMonitorTests {
  private static let wiredGateway: [UInt8] = [192, 168, 1, 1]
  private static let gatewayHardware: [UInt8] = [0x0A, 0, 0, 0, 0, 1]
  private static let near: [UInt8] = [2, 0, 0, 0, 0, 1]
  private static let far: [UInt8] = [2, 0, 0, 0, 0, 2]

  private let kernel = FakeKernel()

  init() {
    kernel.links = [
      FakeKernel.Link(index: 1, name: "lo", hardware: ARPHRD_LOOPBACK),
      FakeKernel.Link(index: eth, name: "eth0"),
      FakeKernel.Link(
        index: wlan, name: "wlan0",
        stations: [
          FakeKernel.Station("Office", bssid: Self.far),
          FakeKernel.Station("Harbour", bssid: Self.near, isAssociated: true),
        ]),
      FakeKernel.Link(index: tun, name: "tun0", hardware: ARPHRD_NONE),
    ]
    kernel.neighbours = [
      FakeKernel.Neighbour(
        interface: eth, address: Self.wiredGateway, hardware: Self.gatewayHardware)
    ]
  }

  private func route(
    _ interface: UInt32, metric: UInt32? = nil, gateway: [UInt8]? = wiredGateway
  ) -> KernelMessage.Route {
    KernelMessage.Route(metric: metric, interface: interface, gateway: gateway)
  }

  private func associated(_ name: String, _ bssid: [UInt8]) -> [FakeKernel.Station] {
    [FakeKernel.Station(name, bssid: bssid, isAssociated: true)]
  }

  // MARK: Places

  @Test func theNetworkOfTheRadioIsFound() throws {
    kernel.begin(route(wlan, metric: 600))
    #expect(kernel.places == [try wireless("Harbour", Self.near)])
    #expect(kernel.deadline == nil, "nothing is to be done until something changes")
  }

  @Test func theGatewayAtTheEndOfTheCableIsFound() throws {
    kernel.begin(route(eth))
    #expect(kernel.places == [try wired(Self.gatewayHardware)])
    #expect(kernel.deadline == nil)
  }

  @Test func withoutADefaultRouteThereIsNoPlace() {
    kernel.begin(
      KernelMessage.Route(destinationBits: 24, interface: eth),
      KernelMessage.Route(family: AF_INET6, destinationBits: 64, interface: eth),
      KernelMessage.Route(family: AF_INET6, type: RTN_UNREACHABLE, interface: 1))
    #expect(kernel.places == [.none])
    #expect(kernel.deadline == nil)
  }

  @Test func ofTwoDefaultRoutesTheOneWithTheLowerMetricCounts() throws {
    kernel.begin(
      route(wlan, metric: 600), route(eth, metric: 100), route(tun, metric: 700))
    #expect(kernel.place == (try wired(Self.gatewayHardware)))
  }

  @Test func aRouteWithoutAMetricComesFirst() throws {
    kernel.begin(route(eth, metric: 1), route(wlan))
    #expect(kernel.place == (try wireless("Harbour", Self.near)))
  }

  @Test func whereOnlyIPv6LeadsOutItsGatewayCounts() throws {
    let gateway: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    kernel.neighbours = [
      FakeKernel.Neighbour(interface: eth, address: gateway, hardware: Self.gatewayHardware)
    ]
    kernel.begin(
      KernelMessage.Route(family: AF_INET6, metric: 1024, interface: eth, gateway: gateway))
    #expect(kernel.place == (try wired(Self.gatewayHardware)))
  }

  @Test func aTunnelThatTakesTheDefaultRouteIsElsewhere() {
    kernel.begin(
      route(wlan, metric: 600), route(tun, metric: 50, gateway: [10, 8, 0, 1]))
    #expect(kernel.place == .elsewhere(interface(tun)))
    #expect(!kernel.asked.contains(32), "a tunnel has no radio")
  }

  @Test func aCableWithoutAGatewayIsElsewhere() {
    kernel.begin(route(eth, gateway: nil))
    #expect(kernel.place == .elsewhere(interface(eth)))
  }

  @Test func aRadioWithoutAnAssociationIsElsewhere() {
    kernel.links[2].stations = [FakeKernel.Station("Harbour", bssid: Self.near)]
    kernel.begin(route(wlan))
    #expect(kernel.place == .elsewhere(interface(wlan)))
  }

  @Test func aBoardWithoutRadiosKnowsItsCable() throws {
    kernel.wireless = nil
    kernel.begin(route(eth))
    #expect(kernel.place == (try wired(Self.gatewayHardware)))
    #expect(kernel.reports.isEmpty, "it is no failure")
  }

  // MARK: Changes

  @Test func roamingToAnotherStationIsNoticed() throws {
    kernel.begin(route(wlan))
    kernel.associate(wlan, NL80211_CMD_ROAM, with: associated("Harbour", Self.far))
    #expect(kernel.places.count == 1, "not before it is quiet")
    kernel.wait(NetworkMonitor.quietTime)
    #expect(
      kernel.places == [
        try wireless("Harbour", Self.near), try wireless("Harbour", Self.far),
      ])
    #expect(kernel.deadline == nil)
  }

  @Test func losingTheNetworkAndFindingAnotherIsNoticed() throws {
    kernel.begin(route(wlan))
    kernel.associate(wlan, NL80211_CMD_DISCONNECT, with: [])
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == .elsewhere(interface(wlan)))
    kernel.associate(wlan, NL80211_CMD_CONNECT, with: associated("Office", Self.far))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == (try wireless("Office", Self.far)))
  }

  @Test func theRouteMovesToTheCableAndBack() throws {
    kernel.begin(route(wlan, metric: 600))
    kernel.add(route(eth, metric: 100))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == (try wired(Self.gatewayHardware)))
    kernel.removeRoutes(over: eth)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == (try wireless("Harbour", Self.near)))
    #expect(kernel.places.count == 3)
  }

  @Test func anInterfaceThatGoesDownTakesItsRouteWithItUnannounced() {
    kernel.begin(route(eth))
    kernel.routes = []
    kernel.announceLink(eth)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == .none)
  }

  @Test func anAddressThatIsTakenAwayTakesTheRouteWithItUnannounced() {
    kernel.begin(route(eth))
    kernel.routes = []
    // Only the route to the network of the address is said to be gone.
    kernel.announce(
      .route,
      KernelMessage.message(
        RTM_DELROUTE, KernelMessage.Route(destinationBits: 24, interface: eth).payload))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == .none)
  }

  @Test func aTunnelThatComesUpIsNoticed() throws {
    kernel.begin(route(wlan, metric: 600))
    kernel.add(route(tun, metric: 50, gateway: nil))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == .elsewhere(interface(tun)))
  }

  @Test func aBurstOfAnnouncementsIsOneRound() {
    kernel.begin(route(wlan))
    let count = kernel.asked.count
    for _ in 0..<20 {
      kernel.announceLink(wlan)
      kernel.announceRadio(wlan, NL80211_CMD_CONNECT)
      kernel.wait(.milliseconds(20))
    }
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.asked.count == count + 4, "routes, link and stations, once")
    #expect(kernel.places.count == 1)
  }

  @Test func announcementsThatNeverStopDoNotPutTheQuestionsOff() {
    kernel.begin(route(wlan))
    kernel.routes = []
    for _ in 0..<60 {
      kernel.announceLink(wlan)
      kernel.wait(.milliseconds(10))
    }
    #expect(kernel.place == .none)
  }

  @Test func whatSaysNothingAboutThePlaceIsNotFollowed() {
    kernel.begin(route(wlan))
    kernel.announceLink(wlan, isOfRadio: true)
    kernel.announceRadio(wlan, NL80211_CMD_NEW_STATION)
    kernel.announceRadio(wlan, NL80211_CMD_NOTIFY_CQM)
    kernel.announceRadio(eth, NL80211_CMD_CONNECT)
    kernel.add(KernelMessage.Route(destinationBits: 32, interface: wlan))
    kernel.announce(.generic, KernelMessage.message(33, KernelMessage.generic(46, [])))
    #expect(kernel.deadline == nil)
  }

  @Test func aChangeDuringTheQuestionsAsksThemAgain() {
    kernel.begin(route(wlan))
    kernel.announceLink(wlan)
    kernel.wait(NetworkMonitor.quietTime - .milliseconds(1))
    let count = kernel.asked.count
    // The announcement waits in the socket when the questions begin.
    kernel.announceWhenAsked(
      .route, KernelMessage.message(RTM_NEWROUTE, route(eth, metric: 1).payload))
    kernel.wait(.milliseconds(1))
    #expect(kernel.asked.count == count + 4)
    #expect(kernel.deadline == kernel.now + NetworkMonitor.quietTime)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.asked.count == count + 8)
    #expect(kernel.deadline == nil)
  }

  // MARK: A gateway that no program has spoken to

  @Test func aGatewayIsKnownAsSoonAsTheKernelHasItsHardwareAddress() throws {
    kernel.neighbours = []
    kernel.begin(route(eth))
    #expect(kernel.place == (try wired(nil)))
    #expect(kernel.deadline == nil)
    let count = kernel.asked.count
    kernel.announceNeighbour(eth, Self.wiredGateway, nil, state: NUD_INCOMPLETE)
    kernel.announceNeighbour(eth, [192, 168, 1, 9], [2, 0, 0, 0, 0, 9])
    kernel.announceNeighbour(wlan, Self.wiredGateway, [2, 0, 0, 0, 0, 8])
    kernel.announceNeighbour(eth, Self.wiredGateway, Self.near, state: NUD_FAILED)
    #expect(kernel.places == [try wired(nil)])
    kernel.announceNeighbour(eth, Self.wiredGateway, Self.gatewayHardware)
    #expect(kernel.places == [try wired(nil), try wired(Self.gatewayHardware)])
    #expect(kernel.asked.count == count, "the announcement says it all")
  }

  @Test func neighboursAreHeardOnlyUntilTheGatewayIsKnown() {
    let neighbours = "route \(RTNLGRP_NEIGH.rawValue)"
    kernel.neighbours[0].state = NUD_INCOMPLETE
    kernel.neighbours[0].hardware = nil
    kernel.begin(route(eth))
    #expect(kernel.groups.contains(neighbours))
    kernel.announceNeighbour(eth, Self.wiredGateway, Self.gatewayHardware, state: NUD_STALE)
    #expect(!kernel.groups.contains(neighbours))
    #expect(
      kernel.groups == [
        "route \(RTNLGRP_LINK.rawValue)", "route \(RTNLGRP_IPV4_ROUTE.rawValue)",
        "route \(RTNLGRP_IPV6_ROUTE.rawValue)", "generic \(FakeKernel.mlme)",
      ])
  }

  @Test func neighboursAreNotHeardAnyMoreWhereTheRouteHasMoved() {
    kernel.neighbours = []
    kernel.begin(route(eth))
    kernel.removeRoutes(over: eth)
    kernel.add(route(wlan))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(!kernel.groups.contains("route \(RTNLGRP_NEIGH.rawValue)"))
    // Had it been heard, it would be believed of the wrong cable.
    kernel.announce(
      .route,
      KernelMessage.message(
        RTM_NEWNEIGH,
        KernelMessage.neighbour(
          eth, Self.wiredGateway, hardware: Self.gatewayHardware, state: NUD_REACHABLE)))
    #expect(kernel.places.count == 2)
  }
}
