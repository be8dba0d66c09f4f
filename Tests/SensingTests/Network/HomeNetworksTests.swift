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
    #expect(homes.judgement(of: wireless(harbour, here)) == .home)
    #expect(homes.judgement(of: wireless(harbour, abroad)) == .home)
    #expect(homes.judgement(of: wireless(office, here)) == .away)
  }

  @Test func theSameNameAtAnotherHarbourIsNotHome() {
    let homes = HomeNetworks(ssids: [harbour], bssids: [here])
    #expect(homes.judgement(of: wireless(harbour, here)) == .home)
    #expect(homes.judgement(of: wireless(harbour, abroad)) == .away)
    #expect(homes.judgement(of: wireless(office, here)) == .away)
  }

  @Test func anAccessPointAloneIsHome() {
    let homes = HomeNetworks(bssids: [here])
    #expect(homes.judgement(of: wireless(office, here)) == .home)
    #expect(homes.judgement(of: wireless(office, abroad)) == .away)
  }

  @Test func aNetworkThatHidesItsNameIsKnownByItsAccessPoint() {
    #expect(HomeNetworks(ssids: [harbour]).judgement(of: wireless(nil, here)) == .unknown)
    let homes = HomeNetworks(ssids: [harbour], bssids: [here])
    #expect(homes.judgement(of: wireless(nil, here)) == .home)
    #expect(homes.judgement(of: wireless(nil, abroad)) == .away)
  }

  @Test func aCableIsHomeByItsGateway() {
    let homes = HomeNetworks(ssids: [harbour], gateways: [here])
    #expect(homes.judgement(of: wired(here)) == .home)
    #expect(homes.judgement(of: wired(abroad)) == .away)
    #expect(homes.judgement(of: wired(nil)) == .unknown, "it may turn out to be")
    #expect(HomeNetworks(ssids: [harbour]).judgement(of: wired(nil)) == .away, "it never will")
  }

  @Test func aRadioIsNotJudgedByGatewaysNorACableByNames() {
    #expect(HomeNetworks(gateways: [here]).judgement(of: wireless(harbour, here)) == .away)
    #expect(HomeNetworks(bssids: [here]).judgement(of: wired(here)) == .away)
  }

  @Test func nowhereIsAwayAndNotYetIsUnknown() {
    let homes = HomeNetworks(ssids: [harbour], bssids: [here], gateways: [here])
    #expect(homes.judgement(of: .none) == .away)
    #expect(homes.judgement(of: .elsewhere(wlan)) == .away)
    #expect(homes.judgement(of: .unknown) == .unknown)
  }

  @Test func withoutAListNothingIsHome() {
    #expect(HomeNetworks().judgement(of: wireless(harbour, here)) == .away)
    #expect(HomeNetworks().judgement(of: wireless(nil, here)) == .away)
    #expect(HomeNetworks().judgement(of: wired(here)) == .away)
  }
}
