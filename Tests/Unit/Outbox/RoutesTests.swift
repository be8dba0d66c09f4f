import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct RoutesTests {
  private static let instance = [UInt8]("http://192.168.1.5:8123".utf8)
  private static let home = [UInt8]("http://10.0.0.2:8123".utf8)
  private static let cloudhook = [UInt8]("https://hooks.example/abc".utf8)
  private static let remoteUI = [UInt8]("https://home.example".utf8)
  private static let start = Instant(nanoseconds: 0)

  private func routes(
    _ presence: HomeNetworks.Presence = .home, home: [UInt8]? = home,
    isPlainAllowedAway: Bool = false,
    hasCloud: Bool = true
  ) -> Routes {
    Routes(
      instance: Self.instance, home: home, cloudhook: hasCloud ? Self.cloudhook : nil,
      remoteUI: hasCloud ? Self.remoteUI : nil, presence: presence,
      isPlainAllowedAway: isPlainAllowedAway, seed: 1, now: Self.start)
  }

  private func after(_ seconds: Int64) -> Instant { Self.start + .seconds(seconds) }

  // MARK: The order

  @Test func atHomeTheWayIsDirect() {
    #expect(routes().current?.route == .home)
  }

  /// The person did not say which networks are home: the address of the configuration is the one to
  /// take.
  @Test func whereHomeIsNotKnownTheCloudIsForWhenTheAddressFails() {
    var routes = routes(.unknown, home: nil)
    var order: [Route?] = [routes.current?.route]
    while routes.failed(.notLive, now: Self.start) { order.append(routes.current?.route) }
    #expect(order == [.instance, .cloudhook, .remoteUI])
  }

  @Test func awayTheOrderIsThatOfTheDocumentation() {
    var routes = routes(.away, isPlainAllowedAway: true)
    var order: [Route?] = [routes.current?.route]
    while routes.failed(.notLive, now: Self.start) { order.append(routes.current?.route) }
    #expect(order == [.cloudhook, .remoteUI, .instance])
    #expect(routes.current == nil)
  }

  /// A stranger in the harbour's network would be shown the webhook's address.
  @Test func awayNothingIsSentInPlainUnlessThatIsAllowed() {
    let shy = routes(.away, hasCloud: false)
    #expect(shy.current == nil)
    #expect(shy.obstacle(to: .instance, now: Self.start) == .unencrypted)
    #expect(shy.obstacle(to: .home, now: Self.start) == .away)
    #expect(shy.obstacle(to: .cloudhook, now: Self.start) == .noAddress)
    #expect(routes(.away, isPlainAllowedAway: true, hasCloud: false).current?.route == .instance)
  }

  /// It may be the harbour's network as well.
  @Test func whereItIsUnknownWhetherThisIsHomeNothingIsSentInPlain() {
    #expect(routes(.unknown, hasCloud: false).current == nil)
    #expect(routes(.unknown).current?.route == .cloudhook)
    #expect(routes(.unknown, home: nil, hasCloud: false).current?.route == .instance)
  }

  // MARK: Failures

  @Test func aFailureMovesOnAndSaysWhy() throws {
    var routes = routes()
    let isOther = routes.failed(.server(.unavailable(status: 503)), now: after(1))
    #expect(isOther)
    #expect(routes.current?.route == .cloudhook && routes.current?.since == after(1))
    let failure = try #require(routes.failure(of: .home, now: after(1)))
    #expect(failure.cause == .server(.unavailable(status: 503)) && failure.since == after(1))
    #expect(failure.until > after(1) && failure.until <= after(1) + Routes.firstAbsence)
  }

  /// A router that works for one message in two must not cost every second one.
  @Test func aRouteThatKeepsFailingIsLeftAloneForLonger() throws {
    var routes = routes()
    var now = Self.start
    var absences: [Duration] = []
    for _ in 0..<10 {
      _ = routes.failed(.notLive, now: now)
      let failure = try #require(routes.failure(of: .home, now: now))
      #expect(failure.since == Self.start)
      absences.append(failure.until - now)
      now = failure.until
      routes.deliveryDue(now: now)
      #expect(routes.current?.route == .home)
    }
    for (shorter, longer) in zip(absences, absences.dropFirst(2)) {
      #expect(longer > shorter || longer > Routes.longestAbsence * 0.7)
    }
    #expect(absences.allSatisfy { $0 <= Routes.longestAbsence })
    #expect(absences.last.map { $0 > Routes.longestAbsence * 0.7 } == true)
  }

  @Test func aProofForgetsTheFailures() throws {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.deliveryDue(now: after(100))
    routes.proven()
    _ = routes.failed(.notLive, now: after(200))
    let failure = try #require(routes.failure(of: .home, now: after(200)))
    #expect(failure.since == after(200) && failure.until <= after(200) + Routes.firstAbsence)
  }

  @Test func whenAllHaveFailedAllAreTriedOnceMore() {
    var routes = routes()
    while routes.failed(.notLive, now: after(0)) {}
    #expect(routes.current == nil)
    routes.retryDue(now: after(5))
    #expect(routes.current?.route == .home)
    var count = 1
    while routes.failed(.notLive, now: after(5)) { count += 1 }
    #expect(count == 4)
  }

  // MARK: Since when

  /// The router at home stays broken for days; that it is tried again every hour makes the cloud no
  /// newer.
  @Test func aVainTryOfABetterRouteDoesNotMakeTheOldOneNew() throws {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.proven()
    for seconds: Int64 in [100, 1000, 10_000] {
      routes.deliveryDue(now: after(seconds))
      #expect(routes.current?.route == .home && routes.current?.since == after(seconds))
      _ = routes.failed(.notLive, now: after(seconds + 1))
      #expect(routes.current?.route == .cloudhook && routes.current?.since == after(0))
      routes.proven()
    }
    let failure = try #require(routes.failure(of: .home, now: after(10_001)))
    #expect(failure.since == after(0), "home has failed since the first time")
  }

  /// One that took over and was never proven has nothing to be remembered by.
  @Test func aRouteThatWasNotProvenIsTakenSinceTheLastTime() {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.deliveryDue(now: after(100))
    _ = routes.failed(.notLive, now: after(101))
    #expect(routes.current?.route == .cloudhook && routes.current?.since == after(101))
  }

  @Test func whatWorksAllTheTimeIsTakenSinceTheStart() {
    var routes = routes()
    for seconds in 1...100 as ClosedRange<Int64> {
      routes.deliveryDue(now: after(seconds))
      routes.proven()
    }
    #expect(routes.current?.route == .home && routes.current?.since == Self.start)
  }

  @Test func afterAnOutageTheRouteIsTakenSinceItWorksAgain() throws {
    var routes = routes(.unknown, home: nil, hasCloud: false)
    routes.proven()
    for seconds in 10...20 as ClosedRange<Int64> {
      _ = routes.failed(.gone, now: after(seconds))
      #expect(routes.current == nil)
      let failure = try #require(routes.failure(of: .instance, now: after(seconds)))
      #expect(failure.since == after(10), "the retries are not new failures")
      routes.retryDue(now: after(seconds + 1))
    }
    routes.proven()
    #expect(routes.current?.since == after(21))
    _ = routes.failed(.gone, now: after(30))
    let failure = try #require(routes.failure(of: .instance, now: after(30)))
    #expect(failure.since == after(30), "a proof ends the row of failures")
  }

  /// The board was ashore meanwhile: the cloud of this evening is not the cloud of this morning.
  @Test func whoWasHomeMeanwhileTakesTheCloudSinceLeaving() {
    var routes = routes(.away)
    routes.proven()
    routes.presenceChanged(.home, now: after(100))
    routes.presenceChanged(.away, now: after(200))
    #expect(routes.current?.route == .cloudhook && routes.current?.since == after(200))
  }

  @Test func theFailureToldIsTheLatestOfARow() throws {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.deliveryDue(now: after(100))
    _ = routes.failed(.server(.notFound), now: after(100))
    let failure = try #require(routes.failure(of: .home, now: after(101)))
    #expect(failure.cause == .server(.notFound) && failure.since == after(0))
  }

  @Test func onlyARouteThatCanBeIsInTheOrder() {
    #expect(routes().order == [.home, .cloudhook, .remoteUI, .instance])
    #expect(routes(.unknown, home: nil).order == [.instance, .cloudhook, .remoteUI])
  }

  @Test func aDoubtEndsWithTheRetryAndAnAnswerThatSaysNothingDoesNotRenewIt() {
    var routes = routes(.unknown, home: nil, hasCloud: false)
    _ = routes.failed(.notLive, now: after(0))
    #expect(routes.isDoubtful)
    routes.retryDue(now: after(10))
    _ = routes.failed(.noConnection(InlineText("no route to host")), now: after(10))
    #expect(!routes.isDoubtful)
  }

  @Test func aDoubtEndsWithAnotherNetwork() {
    var routes = routes(.home, home: nil, hasCloud: false)
    _ = routes.failed(.notLive, now: after(0))
    routes.presenceChanged(.unknown, now: after(1))
    #expect(!routes.isDoubtful)
  }

  /// The other one knows the registration: it is not gone.
  @Test func aDoubtEndsWithAProofOverAnotherRoute() {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    #expect(routes.isDoubtful && routes.current?.route == .cloudhook)
    routes.proven()
    #expect(!routes.isDoubtful)
  }

  // MARK: Coming and going

  @Test func whoComesHomeTriesTheDirectWayAtOnce() {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.presenceChanged(.away, now: after(1))
    #expect(routes.current?.route == .cloudhook)
    routes.presenceChanged(.home, now: after(2))
    #expect(routes.current?.route == .home && routes.current?.since == after(2))
  }

  @Test func theSamePresenceAgainChangesNothing() {
    var routes = routes()
    _ = routes.failed(.notLive, now: after(0))
    routes.presenceChanged(.home, now: after(1))
    #expect(routes.current?.route == .cloudhook)
  }

  @Test func aNewAddressIsTriedAndTheSameOneIsNot() {
    var routes = routes(.away)
    _ = routes.failed(.gone, now: after(0))
    #expect(routes.current?.route == .remoteUI)
    routes.addressesTold(cloudhook: Self.cloudhook, remoteUI: Self.remoteUI, now: after(1))
    routes.deliveryDue(now: after(1))
    #expect(routes.current?.route == .remoteUI)
    routes.addressesTold(
      cloudhook: [UInt8]("https://hooks.example/new".utf8), remoteUI: Self.remoteUI, now: after(1))
    #expect(routes.current?.route == .remoteUI, "not in the middle of a delivery")
    routes.deliveryDue(now: after(2))
    #expect(routes.current?.route == .cloudhook)
  }

  @Test func aSubscriptionThatEndedTakesItsRoutesAlongAtOnce() {
    var routes = routes(.away, isPlainAllowedAway: true)
    routes.addressesTold(cloudhook: nil, remoteUI: nil, now: after(1))
    #expect(routes.current?.route == .instance)
  }

  /// The board left while a message was under way.
  @Test func whatWasSentOverAnotherWaySaysNothingOfThisOne() {
    var routes = routes(.away)
    let isOther = routes.failed(.notLive, over: .home, now: after(0))
    #expect(isOther && routes.current?.route == .cloudhook)
    #expect(routes.obstacle(to: .cloudhook, now: after(0)) == nil)
    routes.proven(over: .home)
    _ = routes.failed(.notLive, over: .cloudhook, now: after(1))
    routes.proven(over: .home)
    #expect(routes.obstacle(to: .cloudhook, now: after(1)) != nil)
  }
}

extension Routes {
  fileprivate func failure(
    of route: Route, now: Instant
  ) -> (cause: OutageCause, since: Instant, until: Instant)? {
    if case .failed(let cause, let since, let until)? = obstacle(to: route, now: now) {
      return (cause, since, until)
    }
    return nil
  }

  /// What was sent over the route that is used.
  fileprivate mutating func failed(_ cause: OutageCause, now: Instant) -> Bool {
    guard let route = current?.route else { return false }
    return failed(cause, over: route, now: now)
  }

  fileprivate mutating func proven() {
    if let route = current?.route { proven(over: route) }
  }
}
