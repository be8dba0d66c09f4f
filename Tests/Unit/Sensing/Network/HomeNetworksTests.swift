import Bytes
import Sensing
import Testing

@Suite struct HomeNetworksTests {
  private let harbour: SSID
  private let office: SSID
  private let here: HardwareAddress
  private let abroad: HardwareAddress
  private let wlan = NetworkInterface(index: 3, name: InlineText("wlan0"))

  init() throws {
    harbour = try ssid("Harbour")
    office = try ssid("Office")
    here = try address([2, 0, 0, 0, 0, 1])
    abroad = try address([2, 0, 0, 0, 0, 2])
  }

  private func wireless(_ ssid: SSID?, _ bssid: HardwareAddress) -> NetworkPlace {
    .wireless(WirelessNetwork(ssid: ssid, bssid: bssid), wlan)
  }

  private func wired(_ gateway: HardwareAddress?) -> NetworkPlace {
    .wired(gateway: gateway, NetworkInterface(index: 2, name: InlineText("eth0")))
  }

  @Test func aListedNameIsHomeWhereverItIsHeard() {
    let homes = HomeNetworks(ssids: [harbour])
    #expect(homes.presence(at: wireless(harbour, here)) == .home)
    #expect(homes.presence(at: wireless(harbour, abroad)) == .home)
    #expect(homes.presence(at: wireless(office, here)) == .away)
  }

  @Test func theSameNameAtAnotherHarbourIsNotHome() {
    let homes = HomeNetworks(ssids: [harbour], bssids: [here])
    #expect(homes.presence(at: wireless(harbour, here)) == .home)
    #expect(homes.presence(at: wireless(harbour, abroad)) == .away)
    #expect(homes.presence(at: wireless(office, here)) == .away)
  }

  @Test func anAccessPointAloneIsHome() {
    let homes = HomeNetworks(bssids: [here])
    #expect(homes.presence(at: wireless(office, here)) == .home)
    #expect(homes.presence(at: wireless(office, abroad)) == .away)
  }

  @Test func aNetworkThatHidesItsNameIsKnownByItsAccessPoint() {
    #expect(HomeNetworks(ssids: [harbour]).presence(at: wireless(nil, here)) == .unknown)
    let homes = HomeNetworks(ssids: [harbour], bssids: [here])
    #expect(homes.presence(at: wireless(nil, here)) == .home)
    #expect(homes.presence(at: wireless(nil, abroad)) == .away)
  }

  @Test func aCableIsHomeByItsGateway() {
    let homes = HomeNetworks(ssids: [harbour], gateways: [here])
    #expect(homes.presence(at: wired(here)) == .home)
    #expect(homes.presence(at: wired(abroad)) == .away)
    #expect(homes.presence(at: wired(nil)) == .unknown, "it may turn out to be")
    #expect(HomeNetworks(ssids: [harbour]).presence(at: wired(nil)) == .away, "it never will")
  }

  /// Of RFC 9568, HSRP and GLBP; many harbours have the same.
  @Test(arguments: [
    ("00:00:5e:00:01:01", true), ("00:00:5e:00:02:ff", true), ("00:00:0c:07:ac:0a", true),
    ("00:00:0c:9f:f0:01", true), ("00:07:b4:00:01:02", true), ("00:00:5e:00:03:01", false),
    ("00:00:0c:07:ad:0a", false), ("00:00:0c:9f:e0:01", false), ("00:07:b4:01:01:02", false),
  ])
  func theAddressOfAVirtualRouterIsKnown(text: String, isVirtual: Bool) throws {
    #expect(try #require(address(text)).isOfVirtualRouter == isVirtual)
  }

  @Test(arguments: [
    ("00:00:00:00:00:00", false), ("01:00:5e:00:00:01", false), ("ff:ff:ff:ff:ff:ff", false),
    ("02:00:00:00:00:01", true),
  ])
  func zeroAndAGroupAreNoDevice(text: String, isOfDevice: Bool) throws {
    #expect(try #require(address(text)).isOfDevice == isOfDevice)
  }

  @Test func aRadioIsNotJudgedByGatewaysNorACableByNames() {
    #expect(HomeNetworks(gateways: [here]).presence(at: wireless(harbour, here)) == .away)
    #expect(HomeNetworks(bssids: [here]).presence(at: wired(here)) == .away)
  }

  @Test func nowhereIsAwayAndNotYetIsUnknown() {
    let homes = HomeNetworks(ssids: [harbour], bssids: [here], gateways: [here])
    #expect(homes.presence(at: .none) == .away)
    #expect(homes.presence(at: .elsewhere(wlan)) == .away)
    #expect(homes.presence(at: .unknown) == .unknown)
  }

  @Test func withoutAListNothingIsHome() {
    #expect(HomeNetworks().presence(at: wireless(harbour, here)) == .away)
    #expect(HomeNetworks().presence(at: wireless(nil, here)) == .away)
    #expect(HomeNetworks().presence(at: wired(here)) == .away)
  }
}
