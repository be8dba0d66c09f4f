import Bytes
import KernelHeaders
import Testing

@testable import Sensing

/// What the radio has heard: names come from the air, from any sender.
@Suite struct StationTests {
  private static let bssid: [UInt8] = [2, 0, 0, 0, 0, 1]

  private func network(_ station: KernelMessage.Station) throws -> WirelessNetwork? {
    try NetlinkMessages.all(
      in: KernelMessage.message(32, station.payload(interface: 3)),
      WirelessNetwork.init(associatedIn:)
    ).first
  }

  private func associated(
    answer: [UInt8]? = nil, beacon: [UInt8]? = nil
  ) throws -> WirelessNetwork {
    let station = KernelMessage.Station(
      bssid: Self.bssid, answer: answer, beacon: beacon, status: NL80211_BSS_STATUS_ASSOCIATED)
    return try #require(try network(station))
  }

  private func name(_ bytes: [UInt8]) -> [UInt8] {
    KernelMessage.elements([(0, bytes), (1, [0x82, 0x84, 0x8B])])
  }

  @Test func onlyAnAssociationCounts() throws {
    var station = KernelMessage.Station(
      bssid: Self.bssid, answer: name([UInt8]("Harbour".utf8)))
    #expect(try network(station) == nil)
    for status in [NL80211_BSS_STATUS_AUTHENTICATED, NL80211_BSS_STATUS_IBSS_JOINED] {
      station.status = status.rawValue
      #expect(try network(station) == nil)
    }
    station.status = 77
    #expect(try network(station) == nil)
    station.status = NL80211_BSS_STATUS_ASSOCIATED.rawValue
    #expect(try network(station)?.ssid == (try ssid("Harbour")))
  }

  @Test func anAssociationWithoutAnAddressIsNone() throws {
    for count in [0, 5, 7] {
      let station = KernelMessage.Station(
        bssid: [UInt8](repeating: 1, count: count), answer: name([65]),
        status: NL80211_BSS_STATUS_ASSOCIATED)
      #expect(try network(station) == nil)
    }
  }

  @Test(arguments: [
    [UInt8]("Café ⛵".utf8), [0x41, 0, 0x42], [0xFF, 0xFE], [UInt8](1...32), [0, 1],
  ])
  func aNameIsAnyBytes(bytes: [UInt8]) throws {
    let found = try #require(try associated(answer: name(bytes)).ssid)
    #expect([UInt8](found.bytes) == bytes)
  }

  @Test func aHiddenNameIsTakenFromTheAnswer() throws {
    let harbour = try ssid("Harbour")
    let plain = name([UInt8]("Harbour".utf8))
    for hidden in [name([]), name([0, 0, 0, 0, 0, 0, 0])] {
      #expect(try associated(answer: plain, beacon: hidden).ssid == harbour)
      #expect(try associated(answer: hidden, beacon: plain).ssid == harbour)
      #expect(try associated(answer: hidden, beacon: hidden).ssid == nil)
    }
    #expect(try associated(beacon: plain).ssid == harbour)
    #expect(try associated(answer: plain, beacon: name([65])).ssid == harbour)
    #expect(try associated().ssid == nil, "the access point is known all the same")
  }

  @Test func theNameNeedNotComeFirst() throws {
    let elements = KernelMessage.elements([
      (1, [0x82]), (221, [UInt8](repeating: 0, count: 255)), (0, [0x41]), (0, [0x42]),
    ])
    #expect(try associated(answer: elements).ssid == (try ssid("A")))
  }

  @Test(arguments: [
    [0], [0, 5, 0x41], [0, 33] + [UInt8](repeating: 0x41, count: 33), [0, 255, 0x41], [1, 200, 0],
    [1, 1, 0, 0],
  ])
  func elementsThatMakeNoSenseHaveNoName(elements: [UInt8]) throws {
    #expect(try associated(answer: elements).ssid == nil)
  }

  @Test func aNameThatIsFollowedByNonsenseIsAName() throws {
    #expect(try associated(answer: [0, 1, 0x41, 5, 200, 0]).ssid == (try ssid("A")))
  }

  @Test func aNameIsReadUpToTheLastByteOfTheFrame() throws {
    let elements = KernelMessage.elements([(1, [0x82]), (0, [UInt8]("Harbour".utf8))])
    #expect(try associated(answer: elements).ssid == (try ssid("Harbour")))
  }
}
