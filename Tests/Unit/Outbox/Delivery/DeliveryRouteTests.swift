import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// A delivery that has more than one way to go.
@Suite struct DeliveryRouteTests {
  private let rig: DeliveryRig

  init() throws {
    rig = try DeliveryRig(
      beginning: .forTests(
        "https://ha.example", home: "http://10.0.0.2", cloudhook: "https://hook"),
      answersInquiries: true)
    rig.configuration = DeliveryRig.configuration.replacing(
      #"{"version""#, with: #"{"cloudhook_url":"https://hook","version""#)
    try rig.acceptedCycle()
    rig.forgetWhatWasToldSoFar()
  }

  @Test func aFailureGoesOnOverTheNextRouteAtOnce() throws {
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    try rig.accept()
    rig.connectionFailed()
    #expect(rig.underWay == .states)
    #expect(rig.deadline == rig.now + Delivery.proofTimeout)
    try rig.acceptAll()
    #expect(!rig.isInOutage)
    #expect(
      rig.events.suffix(3) == [
        .routeFailed(.home, .noConnection(InlineText("Couldn't connect to server"))),
        .routeTaken(.cloudhook), .proven(readings: 1, hasLocation: false),
      ])
  }

  /// Another server may answer there, and take the locations for its own.
  @Test func theServerOverAnotherRouteIsAskedWhichItIs() throws {
    rig.answersInquiries = false
    rig.cycleDue()
    rig.connectionFailed()
    #expect(rig.underWay == .configuration)
  }

  @Test func onlyWhenNoRouteIsLeftItIsAnOutage() throws {
    rig.cycleDue()
    rig.answered(.server(.unavailable(status: 503)))
    rig.answered(.server(.unavailable(status: 503)))
    #expect(!rig.isInOutage)
    rig.answered(.server(.unavailable(status: 503)))
    #expect(rig.isInOutage && rig.deadline != nil)
    // All are tried once more.
    try rig.acceptedAttempt()
    #expect(!rig.isInOutage && rig.route == .home)
  }

  @Test func whoComesHomeInAnOutageIsNotKeptWaiting() throws {
    rig.presenceChanged(.away)
    rig.cycleDue()
    rig.connectionFailed()
    rig.connectionFailed()
    #expect(rig.isInOutage)
    for _ in 0..<10 {
      try rig.sleepUntilDeadline()
      rig.connectionFailed()
      rig.connectionFailed()
    }
    rig.sleep(Delivery.firstRetryDelay)
    rig.presenceChanged(.home)
    try rig.acceptAll()
    #expect(!rig.isInOutage)
  }

  @Test func whoLeavesTakesTheNextCycleOverTheCloud() throws {
    rig.presenceChanged(.away)
    #expect(rig.underWay == nil && rig.events.isEmpty)
    try rig.acceptedCycle()
    #expect(rig.events == [.routeTaken(.cloudhook), .proven(readings: 0, hasLocation: false)])
    rig.forgetWhatWasToldSoFar()
    try rig.acceptedCycle()
    #expect(rig.events == [.proven(readings: 0, hasLocation: false)])
  }

  @Test func withoutARouteReadingsWaitUntilThereIsOne() throws {
    let rig = try DeliveryRig(
      beginning: .forTests(home: "http://ha", at: .away), answersInquiries: true)
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    #expect(rig.underWay == nil && rig.events == [.outage(.noRoute)])
    try rig.sleepUntilDeadline()
    #expect(rig.underWay == nil && rig.deadline != nil)
    rig.presenceChanged(.home)
    try rig.acceptAll()
    #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
  }

  /// The harbour's network ended in the middle of a cycle.
  @Test(arguments: 0...2)
  func whoLeavesInTheMiddleOfACycleStopsThere(answersBefore: Int) throws {
    let rig = try DeliveryRig(beginning: .forTests(home: "http://ha"))
    _ = try rig.sensor("level", 7)
    rig.record(.here(at: 0))
    rig.cycleDue()
    for _ in 0..<answersBefore { try rig.accept() }
    rig.presenceChanged(.away)
    try rig.accept()
    #expect(rig.underWay == nil && rig.deadline != nil)
    #expect(rig.events.last == .outage(.noRoute))
    rig.presenceChanged(.home)
    try rig.acceptAll()
    #expect(rig.events.last == .proven(readings: 1, hasLocation: true))
  }

  /// While Home Assistant is gone, too.
  @Test func whoComesAndGoesAtTheEdgeOfANetworkTriesNoOftenerThanElse() throws {
    rig.cycleDue()
    while rig.underWay != nil { rig.connectionFailed() }
    let end = rig.now + Delivery.firstRetryDelay
    for _ in 0..<20 {
      rig.presenceChanged(.away)
      rig.presenceChanged(.home)
      #expect(rig.underWay == nil)
      rig.sleep(.milliseconds(100))
    }
    #expect(try #require(rig.deadline) <= end)
    try rig.sleepUntilDeadline()
    #expect(rig.underWay != nil)
  }

  @Test func aFailureCountsForTheWayThatTheMessageWent() throws {
    rig.cycleDue()
    rig.presenceChanged(.away)
    rig.connectionFailed()
    #expect(
      rig.events == [.routeFailed(.home, .noConnection(InlineText("Couldn't connect to server")))])
    try rig.acceptAll()
    #expect(
      rig.events.dropFirst() == [.routeTaken(.cloudhook), .proven(readings: 0, hasLocation: false)])
  }

  @Test func aProofCountsForTheWayThatTheMessageWent() throws {
    rig.cycleDue()
    rig.presenceChanged(.away)
    try rig.acceptAll()
    #expect(rig.events == [.proven(readings: 0, hasLocation: false)])
  }

  /// Home Assistant says so itself, over just that way.
  @Test(arguments: [true, false])
  func anAddressInTheCloudThatIsTakenAwayIsLeftInTheMiddleOfACycle(hasOther: Bool) throws {
    let rig = try DeliveryRig(
      beginning: .forTests(
        hasOther ? "https://ha" : "http://ha", home: "http://ha", cloudhook: "https://hook",
        at: .away),
      answersInquiries: true)
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    if hasOther {
      try rig.acceptAll()
      #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
      #expect(rig.route == .instance)
    } else {
      #expect(rig.underWay == nil && rig.events.last == .outage(.noRoute) && rig.deadline != nil)
    }
  }

  /// At a friend's there is a Home Assistant, too, at the same address, and it knows us not.
  @Test func oneRouteThatDoesNotKnowUsIsNoReasonForDoubtWhileAnotherWorks() throws {
    for _ in 0..<100 {
      rig.sleep(.seconds(60))
      rig.cycleDue()
      if rig.route == .home { rig.answered(.notLive) }
      try rig.acceptAll()
    }
    #expect(!rig.isInOutage)
    #expect(!rig.events.contains { if case .registrationDoubted = $0 { true } else { false } })
  }

  @Test func whatNoRouteKnowsIsDoubtedEvenWhereOneIsDown() throws {
    rig.cycleDue()
    let began = rig.now
    while rig.now - began <= Delivery.doubtAfter + Delivery.longestRetryDelay {
      rig.answered(.notLive)
      rig.answered(.gone)
      rig.connectionFailed()
      try rig.sleepUntilDeadline()
    }
    #expect(rig.events.contains { if case .registrationDoubted = $0 { true } else { false } })
  }
}
