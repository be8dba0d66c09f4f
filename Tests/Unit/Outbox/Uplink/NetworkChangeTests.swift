import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What a change of the network means for messages, whether or not it is known which one is home.
@Suite struct NetworkChangeTests {
  private static let cable = NetworkInterface(index: 1, name: InlineText("eth0"))
  private static let radio = NetworkInterface(index: 2, name: InlineText("wlan0"))
  private static let modem = NetworkInterface(index: 3, name: InlineText("wwan0"))

  private let rig = UplinkRig.proven(.init())

  private func place(_ place: NetworkPlace) { rig.event { $0.placeChanged(place, now: $1) } }

  private func sending() {
    rig.wait(.seconds(30))
    rig.cycle()
  }

  private static func harbour(_ accessPoint: UInt8) throws -> NetworkPlace {
    let name = [UInt8]("Harbour".utf8)
    let (ssid, bssid) = (SSID(name.span), HardwareAddress([2, 0, 0, 0, 0, accessPoint].span))
    return .wireless(WirelessNetwork(ssid: ssid, bssid: try #require(bssid)), radio)
  }

  /// Its answer would be waited for until the timeout of 30 s.
  @Test func aMessageThatIsUnderWayIsSentAnewOverTheOtherNetwork() throws {
    place(try Self.harbour(1))
    sending()
    let calls = rig.calls.count
    place(.elsewhere(Self.modem))
    #expect(rig.cancelled == [.webhook])
    rig.wait(Delivery.firstRetryDelay)
    #expect(rig.calls.count == calls + 1)
  }

  /// A router forgot the connection meanwhile, and drops what comes over it.
  @Test func aLongSleepEndsWhatIsUnderWayAndAShortOneDoesNot() {
    sending()
    let left = rig.leftConnectionCount
    rig.event { $0.boardWoke(after: Uplink.connectionSleepMax, now: $1) }
    #expect(rig.cancelled.isEmpty && rig.leftConnectionCount == left)
    rig.event { $0.boardWoke(after: Uplink.connectionSleepMax + .seconds(1), now: $1) }
    #expect(rig.cancelled == [.webhook])
    #expect(rig.leftConnectionCount == left + 1)
  }

  @Test(arguments: [nil, "refresh"])
  func aRegistrationThatIsUnderWayIsTriedAgainInTheOtherNetwork(refreshToken: String?) {
    let rig = UplinkRig(.init(refreshToken: refreshToken))
    rig.wait(.seconds(1))
    rig.event { $0.placeChanged(.elsewhere(Self.cable), now: $1) }
    #expect(rig.cancelled.isEmpty && rig.calls.count == 1)
    rig.event { $0.placeChanged(.elsewhere(Self.modem), now: $1) }
    #expect(rig.cancelled == [.login])
    rig.wait(Enrollment.tokenCheckDelay)
    #expect(rig.calls.count == 2)
  }

  @Test func aMessageOutlivesAnotherAccessPointOfOneNameAndAShortLoss() throws {
    place(try Self.harbour(1))
    sending()
    place(try Self.harbour(2))
    place(.none)
    #expect(rig.cancelled.isEmpty)
  }

  @Test func aGatewayThatIsLearnedLaterIsNoOtherNetwork() {
    place(.wired(gateway: nil, Self.cable))
    sending()
    place(.wired(gateway: UplinkRig.gateway, Self.cable))
    #expect(rig.cancelled.isEmpty)
  }

  /// The first message over another cable makes its gateway known.
  @Test func aMessageOutlivesTheGatewayOfTheCableThatItWentOver() {
    place(.wired(gateway: UplinkRig.gateway, Self.cable))
    place(.none)
    place(.wired(gateway: nil, Self.cable))
    sending()
    let stranger = HardwareAddress([2, 0, 0, 0, 0, 9].span)
    place(.wired(gateway: stranger, Self.cable))
    #expect(rig.cancelled.isEmpty)
  }

  /// The gateway tells that this is home while a message goes over a way that is allowed anywhere.
  @Test func aMessageGoesOnWhereItsWayIsAllowedBothBeforeAndAfter() {
    let rig = UplinkRig.proven(.init(knowsHome: true, url: "https://127.0.0.1:1"))
    rig.event { $0.placeChanged(.wired(gateway: nil, Self.cable), now: $1) }
    rig.wait(.seconds(30))
    rig.cycle()
    #expect(rig.uplink.delivery.underWay?.route != nil)
    rig.event { $0.placeChanged(.wired(gateway: UplinkRig.gateway, Self.cable), now: $1) }
    #expect(rig.cancelled.isEmpty)
  }

  @Test func theFirstNetworkThatIsFoundEndsNoMessage() {
    sending()
    place(.elsewhere(Self.modem))
    #expect(rig.cancelled.isEmpty)
  }

  /// Its name server comes seconds after its route.
  @Test func whenTheLinkIsBackAnOutageIsTriedAtOnceAndItsNextDelaysAreShort() {
    place(.elsewhere(Self.modem))
    place(.none)
    sending()
    for _ in 0..<8 {
      rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
      rig.wait(.seconds(300))
    }
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
    rig.wait(.seconds(6))
    let calls = rig.calls.count
    place(.elsewhere(Self.modem))
    #expect(rig.calls.count == calls + 1)
    rig.event { $0.messageFailed(InlineText("no name"), now: $1) }
    rig.wait(Delivery.quickRetryDelay)
    #expect(rig.calls.count == calls + 2)
  }
}
