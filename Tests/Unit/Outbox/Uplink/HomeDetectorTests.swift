import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct HomeDetectorTests {
  private static let start = Instant(nanoseconds: 0)
  private static let interface = NetworkInterface(index: 1, name: InlineText("eth0"))
  private static let gateway = HardwareAddress([2, 0, 0, 0, 0, 1].span)
  private static let stranger = HardwareAddress([2, 0, 0, 0, 0, 2].span)

  private var detector = HomeDetector(
    HomeNetworks(gateways: Self.gateway.map { [$0] } ?? []), now: Self.start)

  private mutating func arrive(at gateway: HardwareAddress?) -> Bool {
    detector.placeChanged(.wired(gateway: gateway, Self.interface)).isPresenceOther
  }

  @Test mutating func aChangeOfThePresenceIsToldOnce() {
    #expect(detector.presence == .unknown)
    let told = [arrive(at: Self.gateway), arrive(at: Self.gateway), arrive(at: Self.stranger)]
    #expect(told == [true, false, true])
    #expect(detector.presence == .away)
  }

  @Test mutating func thePlaceIsKnownAlsoWhereItChangesNothing() {
    let other = NetworkPlace.elsewhere(Self.interface)
    _ = arrive(at: Self.stranger)
    let isTold = detector.placeChanged(other).isPresenceOther
    #expect(!isTold)
    #expect(detector.place == other)
  }

  /// The cable is there, and the gateway has not answered yet.
  @Test mutating func aHomeWhoseGatewayIsNotHeardAnyMoreIsNoHome() {
    _ = arrive(at: Self.gateway)
    let isTold = arrive(at: nil)
    #expect(isTold && detector.presence == .unknown)
  }

  /// It is not known then whether this is home, and that is told once.
  @Test mutating func aGatewayThatDoesNotAnswerIsTold() throws {
    let bytes: [UInt8] = [192, 168, 1, 1]
    let address = NetworkAddress(.ipv4, bytes.span)
    let silent = NetworkPlace.silent(gateway: try #require(address), Self.interface)
    let told = [silent, silent, .wired(gateway: nil, Self.interface), silent].map {
      detector.placeChanged($0).isGatewaySilent
    }
    #expect(told == [true, false, false, true])
    #expect(detector.presence == .unknown)
    detector = HomeDetector(HomeNetworks(ssids: []), now: Self.start)
    let isTold = detector.placeChanged(silent).isGatewaySilent
    #expect(!isTold, "where no gateway is the home's")
  }

  /// The link is there before the gateway has answered.
  @Test(arguments: [true, false])
  mutating func aCableThatLeadsElsewhereIsAnotherNetworkOnceItsGatewayIsKnown(isOther: Bool) {
    _ = arrive(at: Self.gateway)
    _ = detector.placeChanged(.none)
    let back = detector.placeChanged(.wired(gateway: nil, Self.interface))
    #expect(back.isBack && !back.isNetworkOther)
    let known = detector.placeChanged(
      .wired(gateway: isOther ? Self.stranger : Self.gateway, Self.interface))
    #expect(!known.isBack && known.isNetworkOther == isOther)
  }

  /// Each dialling makes the interface again; a login that is denied there is not tried each time.
  @Test mutating func aModemThatDialsAgainIsBackInTheSameNetwork() {
    let name = InlineText("ppp0")
    _ = detector.placeChanged(.elsewhere(NetworkInterface(index: 7, name: name)))
    _ = detector.placeChanged(.none)
    let back = detector.placeChanged(.elsewhere(NetworkInterface(index: 8, name: name)))
    #expect(back.isBack && !back.isNetworkOther)
  }

  // MARK: The first look

  @Test mutating func theFirstLookEndsWithWhatIsFound() {
    #expect(detector.isLooking)
    let silent = arrive(at: nil)
    #expect(!silent && detector.isLooking, "the gateway may answer")
    _ = arrive(at: Self.gateway)
    #expect(!detector.isLooking && detector.deadline == nil)
    let isLate = detector.deadlineReached(now: Self.start + .seconds(60))
    #expect(!isLate)
  }

  @Test mutating func theFirstLookEndsInTimeAndOnce() {
    let end = Self.start + HomeDetector.firstLookTimeout
    #expect(detector.deadline == end)
    let early = detector.deadlineReached(now: end + .nanoseconds(-1))
    #expect(!early && detector.isLooking)
    let due = detector.deadlineReached(now: end)
    #expect(due && !detector.isLooking)
    let again = detector.deadlineReached(now: end)
    #expect(!again)
    #expect(detector.presence == .unknown)
  }

  @Test mutating func whatIsFoundLaterCountsAsWell() {
    _ = detector.deadlineReached(now: Self.start + .seconds(60))
    let isTold = arrive(at: Self.gateway)
    #expect(isTold && detector.presence == .home)
  }

  @Test mutating func whereNoNetworkIsHomeNothingIsLookedFor() {
    detector = HomeDetector(nil, now: Self.start)
    #expect(!detector.isLooking && detector.deadline == nil)
    let isTold = arrive(at: Self.gateway)
    #expect(!isTold && detector.presence == .unknown)
    #expect(detector.place == .wired(gateway: Self.gateway, Self.interface))
  }
}
