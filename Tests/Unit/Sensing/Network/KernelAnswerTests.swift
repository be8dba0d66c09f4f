import Bytes
import KernelHeaders
import Testing

@testable import Sensing

extension NetlinkMessages {
  /// Reads every message of a datagram as far as it is one that `read` wants.
  static func all<Answer>(
    in datagram: [UInt8],
    _ read: (borrowing NetlinkMessage) throws(NetlinkError) -> Answer?
  ) throws(NetlinkError) -> [Answer] {
    var messages = NetlinkMessages(datagram.span)
    var answers: [Answer] = []
    while let message = try messages.next() {
      if let answer = try read(message) { answers.append(answer) }
    }
    return answers
  }
}

extension [NetworkRoute] {
  /// The default routes of a datagram.
  init(reading datagram: [UInt8]) throws(NetlinkError) {
    var routes: [NetworkRoute] = []
    var messages = NetlinkMessages(datagram.span)
    while let message = try messages.next() { try routes.append(message) }
    self = routes.filter(\.isDefault)
  }
}

extension WirelessFamily {
  init?(reading datagram: [UInt8]) throws(NetlinkError) {
    let found = try NetlinkMessages.all(in: datagram, WirelessFamily.init(_:))
    guard let first = found.first else { return nil }
    self = first
  }
}

@Suite struct KernelAnswerTests {
  private static let hardware: [UInt8] = [0x0A, 0xBC, 0xDE, 0xF0, 0x12, 0x9F]

  // MARK: Routes

  private func routes(_ route: KernelMessage.Route) throws -> [NetworkRoute] {
    try [NetworkRoute](reading: KernelMessage.message(RTM_NEWROUTE, route.payload))
  }

  private func route(_ route: KernelMessage.Route) throws -> NetworkRoute? {
    try routes(route).first
  }

  private func bytes(_ address: NetworkAddress?) -> [UInt8]? { address.map { [UInt8]($0.bytes) } }

  @Test func aDefaultRouteHasAMetricAnInterfaceAndAGateway() throws {
    let found = try route(
      KernelMessage.Route(metric: 600, interface: 3, gateway: [192, 168, 1, 1]))
    #expect(found?.metric == 600)
    #expect(found?.hop.interface == 3)
    #expect(bytes(found?.hop.gateway) == [192, 168, 1, 1])
    #expect(found?.hop.gateway?.family == .ipv4)
  }

  @Test func aRouteToAnywhereElseIsNoDefaultRoute() throws {
    var usual = KernelMessage.Route(interface: 3, gateway: [192, 168, 1, 1])
    #expect(try route(usual) != nil)
    for change in [
      { $0.destinationBits = 24 }, { $0.sourceBits = 8 }, { $0.service = 0x10 },
      { $0.table = UInt32(RT_TABLE_LOCAL.rawValue) }, { $0.table = 51820 },
      { $0.type = RTN_UNREACHABLE }, { $0.type = RTN_BLACKHOLE }, { $0.interface = nil },
      { $0.flags = UInt32(RTNH_F_DEAD) }, { $0.flags = UInt32(RTNH_F_LINKDOWN) },
      { $0.flags = UInt32(RTM_F_CLONED) }, { $0.family = 28 },
    ] as [(inout KernelMessage.Route) -> Void] {
      var other = usual
      change(&other)
      #expect(try route(other) == nil)
    }
    usual.flags = UInt32(RTNH_F_ONLINK)
    #expect(try route(usual) != nil)
  }

  @Test func aGatewayOfTheOtherFamilyIsFound() throws {
    let gateway: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    let found = try route(KernelMessage.Route(interface: 3, via: (AF_INET6, gateway)))
    #expect(found?.hop.gateway?.family == .ipv6)
    #expect(bytes(found?.hop.gateway) == gateway)
  }

  @Test func ofSeveralNextHopsEachThatWorksCounts() throws {
    let found = try routes(
      KernelMessage.Route(
        metric: 5,
        hops: [
          KernelMessage.Hop(interface: 2, gateway: [10, 0, 0, 1], flags: RTNH_F_LINKDOWN),
          KernelMessage.Hop(interface: 3, gateway: [10, 0, 1, 1]),
          KernelMessage.Hop(interface: 4),
        ]))
    #expect(found.map(\.hop.interface) == [3, 4])
    #expect(found.map { bytes($0.hop.gateway) } == [[10, 0, 1, 1], nil])
    let dead = KernelMessage.Hop(interface: 2, flags: RTNH_F_DEAD)
    #expect(try route(KernelMessage.Route(hops: [dead, dead])) == nil)
  }

  @Test(arguments: [0, 7, 17, 0xFFFF] as [UInt16])
  func aNextHopWhoseLengthCannotBeIsRefused(length: UInt16) {
    let hops = KernelMessage.integer(length) + [0, 0] + KernelMessage.integer(UInt32(3))
    let payload =
      KernelMessage.Route().payload + KernelMessage.attribute(RTA_MULTIPATH.rawValue, hops)
    #expect(throws: NetlinkError.badLength) {
      try [NetworkRoute](reading: KernelMessage.message(RTM_NEWROUTE, payload))
    }
  }

  @Test func aGatewayOfAnotherSizeIsNone() throws {
    for count in 0...20 {
      let odd = [UInt8](repeating: 1, count: count)
      let found = try route(KernelMessage.Route(interface: 3, gateway: odd))
      #expect(found?.hop.interface == 3)
      #expect(bytes(found?.hop.gateway) == (count == 4 ? odd : nil), "of \(count) bytes")
      let other = try route(KernelMessage.Route(interface: 3, via: (AF_INET6, odd)))
      #expect(other?.hop.interface == 3)
      #expect(bytes(other?.hop.gateway) == (count == 16 ? odd : nil), "of \(count) bytes")
    }
    let unknown = try route(KernelMessage.Route(interface: 3, via: (0x0102, [1, 1, 1, 1])))
    #expect(unknown != nil)
    #expect(unknown?.hop.gateway == nil, "of an unknown family")
  }

  // MARK: Neighbours and links

  private func neighbour(_ payload: [UInt8]) throws -> NeighbourMessage? {
    try NetlinkMessages.all(
      in: KernelMessage.message(RTM_NEWNEIGH, payload), NeighbourMessage.init(_:)
    ).first
  }

  @Test(arguments: [
    (NUD_INCOMPLETE, false), (NUD_REACHABLE, true), (NUD_STALE, true), (NUD_DELAY, true),
    (NUD_PROBE, true), (NUD_FAILED, false), (NUD_NOARP, false), (NUD_PERMANENT, true),
    (NUD_NONE, false),
  ])
  func aNeighbourIsKnownOnceItHasAnswered(state: Int32, isKnown: Bool) throws {
    let found = try neighbour(
      KernelMessage.neighbour(2, [10, 0, 0, 1], hardware: Self.hardware, state: state))
    #expect(found?.interface == 2)
    #expect(bytes(found?.address) == [10, 0, 0, 1])
    #expect(found?.hardwareAddress == (isKnown ? try address(Self.hardware) : nil))
  }

  @Test func aHardwareAddressThatIsNoneIsNone() throws {
    for hardware in [nil, [], [0, 0, 0, 0, 0, 0], [1, 2, 3, 4], [UInt8](repeating: 1, count: 20)]
      as [[UInt8]?]
    {
      let found = try neighbour(
        KernelMessage.neighbour(2, [10, 0, 0, 1], hardware: hardware, state: NUD_REACHABLE))
      #expect(found != nil)
      #expect(found?.hardwareAddress == nil)
    }
  }

  @Test func theNameOfALinkIsPrintable() throws {
    for (name, shown) in [("wlan0", "wlan0"), ("a\u{1B}b", "a?b"), ("", "")] {
      let payload = KernelMessage.link(4, name)
      let found = try NetlinkMessages.all(
        in: KernelMessage.message(RTM_NEWLINK, payload), LinkMessage.init(_:)
      ).first
      #expect(found?.interface.index == 4)
      #expect(
        found.map { String(decoding: [UInt8]($0.interface.name.bytes), as: UTF8.self) } == shown)
      #expect(found?.isEthernet == true)
      #expect(found?.isOfRadio == false)
    }
  }

  // MARK: Families

  @Test func theFamilyOfRadiosIsFoundByItsName() throws {
    let list =
      KernelMessage.message(
        16, KernelMessage.family("nl80211x", id: 40, groups: [("mlme", 3)]))
      + KernelMessage.message(
        16, KernelMessage.family("nl80211", id: 35, groups: [("scan", 8), ("mlme", 9)]))
    let family = try WirelessFamily(reading: list)
    #expect(family?.id == 35)
    #expect(family?.associationGroup == 9)
  }

  @Test func aFamilyThatIsNotWholeIsNone() throws {
    let payloads = [
      KernelMessage.family("nl80211", id: 35, groups: []),
      KernelMessage.family("nl80211", id: 35, groups: [("scan", 8)]),
      KernelMessage.family("nl80211", id: 35, groups: [("mlme", 0)]),
      KernelMessage.family("nl80211", id: 15, groups: [("mlme", 9)]),
      KernelMessage.generic(UInt32(CTRL_CMD_NEWFAMILY), []),
      [UInt8(CTRL_CMD_DELFAMILY)]
        + KernelMessage.family("nl80211", id: 35, groups: [("mlme", 9)]).dropFirst(),
    ]
    for payload in payloads {
      #expect(try WirelessFamily(reading: KernelMessage.message(16, payload)) == nil)
    }
  }

  @Test(arguments: [RTN_LOCAL, RTN_BROADCAST, RTN_UNREACHABLE])
  func anAddressThatNoNeighbourHasNeedsNoHop(type: Int) throws {
    var route = KernelMessage.Route(interface: 3)
    #expect(try hop(route)?.interface == 3)
    route.type = type
    #expect(try hop(route) == nil)
  }

  private func hop(_ route: KernelMessage.Route) throws -> RouteHop? {
    let datagram = KernelMessage.message(RTM_NEWROUTE, route.payload)
    return try NetlinkMessages.all(in: datagram, RouteHop.init(_:)).first
  }

  // MARK: Damage

  @Test func noPartOfWhatAKernelSaidIsATrap() {
    for datagram in KernelRecording.all {
      for count in 0...datagram.count { readAll([UInt8](datagram[..<count])) }
      for offset in datagram.indices {
        for change in [0xFF, 0x80, 0x01, 0x10] as [UInt8] {
          var damaged = datagram
          damaged[offset] ^= change
          readAll(damaged)
        }
      }
    }
  }

  /// Reads each message as each kind of answer, whatever it says it is.
  private func readAll(_ datagram: [UInt8]) {
    _ = try? NetlinkMessages.all(in: datagram) { message throws(NetlinkError) in
      var routes: [NetworkRoute] = []
      _ = try? routes.append(message)
      _ = try? RouteHop(message)
      _ = try? LinkMessage(message)
      _ = try? NeighbourMessage(message)
      _ = try? WirelessFamily(message)
      _ = try? WirelessNetwork(associatedIn: message)
      _ = try? AssociationChange(message)
      _ = try? message.errorNumber()
      return true
    }
  }
}

/// What a real kernel said.
@Suite struct KernelRecordingTests {
  @Test func theStationOfTheAssociationIsFoundAmongTheOthers() throws {
    let networks = try NetlinkMessages.all(
      in: KernelRecording.stations, WirelessNetwork.init(associatedIn:))
    #expect(
      networks == [
        WirelessNetwork(ssid: try ssid("HomeNet"), bssid: try address([2, 0, 0, 0, 0, 0]))
      ])
  }

  @Test func theDefaultRoutesAreFoundAmongTheOthers() throws {
    let routes = try [NetworkRoute](reading: KernelRecording.routes)
    #expect(routes.map(\.metric).sorted() == [0, 50])
    let gateways = routes.map { $0.hop.gateway.map { [UInt8]($0.bytes) } }
    #expect(Set(gateways) == [[10, 0, 0, 1], [10, 1, 0, 1]])
  }

  @Test func associationsAreAnnouncedForAnInterface() throws {
    for datagram in [KernelRecording.connected, KernelRecording.disconnected] {
      let changes = try NetlinkMessages.all(in: datagram, AssociationChange.init(_:))
      #expect(changes.map(\.interface) == [3])
    }
  }

  @Test func refusalsHaveTheirNumber() throws {
    let numbers = try [KernelRecording.noRadio, KernelRecording.noNeighbour].map { datagram in
      try NetlinkMessages.all(in: datagram) { message throws(NetlinkError) in
        try message.errorNumber()
      }
    }
    #expect(numbers == [[ENODEV], [ENOENT]])
  }

  @Test func theGatewayIsFound() throws {
    let neighbours = try NetlinkMessages.all(
      in: KernelRecording.neighbour, NeighbourMessage.init(_:))
    #expect(neighbours.count == 1)
    let expected = try address([0xEA, 0x05, 0x28, 0x6F, 0xA5, 0x32])
    #expect(neighbours.first?.hardwareAddress == expected)
  }
}
