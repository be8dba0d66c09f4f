import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// What is asked of Home Assistant and told to it beside readings.
@Suite struct InquiryTests {
  private static let fingerprint = RegistrationRequest.boat.fingerprint

  private func rig(
    _ identity: RegistrationRequest? = nil, isTold: Bool = false
  ) throws -> DeliveryRig {
    try DeliveryRig(beginning: .direct, identity: identity, isIdentityTold: isTold)
  }

  @Test func whatIsDueBesideReadingsComesFirst() throws {
    let rig = try DeliveryRig(beginning: .direct, protection: .plain, identity: .boat)
    _ = try rig.sensor("bilge", 1)
    rig.record(.here(at: 0))
    rig.cycleDue()
    #expect(rig.underWay == .key)
    rig.keyAnswered(.notAvailable)
    var order: [MessageType] = []
    while let message = rig.underWay {
      order.append(message.type)
      try rig.accept()
    }
    #expect(
      order == [
        .getConfiguration, .updateRegistration, .registerSensor, .updateLocation, .renderTemplate,
        .updateSensorStates,
      ])
  }

  // MARK: The configuration

  @Test func aFirstCycleBeginsByAskingWhoHomeAssistantIs() throws {
    let rig = try rig()
    rig.cycleDue()
    #expect(rig.underWay == .configuration)
    try rig.acceptAll()
    #expect(rig.sent == ["{}", "[]"])
    guard case .configurationRead(let configuration)? = rig.events.first else {
      Issue.record("nothing was told")
      return
    }
    #expect(configuration.version == ServerVersion("2025.4.4"))
    #expect(rig.events.count == 2, "a tracker that is there is no news")
  }

  @Test func itIsAskedAgainOnceADayAndNotInBetween() throws {
    let rig = try rig()
    try rig.acceptedCycle()
    rig.sleep(.seconds(24 * 3600) - .nanoseconds(1))
    #expect(try rig.isQuietCycle())
    rig.sleep(.nanoseconds(1))
    #expect(try rig.acceptedCycle() == ["{}", "[]"])
    #expect(try rig.isQuietCycle())
  }

  @Test func itIsAskedAgainWhenHomeAssistantMayHaveRestarted() throws {
    let rig = try rig()
    try rig.acceptedCycle()
    rig.delivery.connectionEnded()
    #expect(try rig.acceptedCycle() == ["{}", "[]"])
  }

  /// One message finds out that Home Assistant drops everything, however many sensors wait.
  @Test func anAttemptInAnOutageIsOneMessage() throws {
    let rig = try rig()
    for number in 0..<20 { _ = try rig.sensor("s\(number)", 0) }
    rig.cycleDue()
    rig.answered(.unproven)
    for _ in 0..<3 {
      try rig.sleepUntilDeadline()
      rig.answered(.unproven)
    }
    #expect(rig.sent.count == 4)
    #expect(rig.events == [.outage(.dropped)])
  }

  @Test(arguments: ["{}", "[]", "null", #"{"version":7}"#, #"{"version":"2025.4.4"}"#])
  func aConfigurationThatCannotBeReadHoldsUpNothing(json: String) throws {
    let rig = try rig()
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    rig.answered(json)
    try rig.acceptAll()
    #expect(rig.events.first == .configurationUnreadable)
    #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
    // It would say the same again.
    #expect(try rig.isQuietCycle())
  }

  @Test func aLocationIsWrittenAsItsVersionOfHomeAssistantTakesIt() throws {
    let rig = try rig()
    rig.cycleDue()
    rig.answered(DeliveryRig.configuration.replacing("2025.4.4", with: "2026.8.0"))
    try rig.accept()
    var fix = Fix.here(at: 0)
    fix.horizontalErrorMeters = 2.5
    rig.record(fix)
    rig.cycleDue()
    #expect(rig.sent.last?.contains(#""gps_accuracy":2.5"#) == true)
  }

  // MARK: What has changed about the device

  @Test func whatHasChangedIsToldOnce() throws {
    let rig = try rig(.boat)
    let sent = try rig.acceptedCycle()
    #expect(sent.count == 3 && sent[1].contains(#""device_name":"Boat""#))
    #expect(rig.events.contains(.registrationTold(fingerprint: Self.fingerprint)))
    #expect(try rig.isQuietCycle())
  }

  @Test(arguments: ["{}", #"{"success":false}"#, "[]"])
  func whatHomeAssistantDoesNotWantToKnowHoldsUpNothing(answer: String) throws {
    let rig = try rig(.boat)
    _ = try rig.sensor("level", 7)
    rig.cycleDue()
    try rig.accept()
    if answer == "{}" { rig.answered(.unproven) } else { rig.answered(answer) }
    try rig.acceptAll()
    #expect(rig.events.filter { $0 == .registrationDropped }.count == 1)
    #expect(rig.events.last == .proven(readings: 1, hasLocation: false))
    #expect(try rig.isQuietCycle())
  }

  /// An on-path attacker may have kept the answer of before the change.
  @Test func anAnswerThatSaysSomethingElseOfTheDeviceIsNone() throws {
    let rig = try rig(.boat)
    rig.cycleDue()
    try rig.accept()
    rig.answered(RegistrationRequest.answeredForBoat.replacing("Boat", with: "Before"))
    try rig.acceptAll()
    #expect(rig.events.contains(.registrationDropped))
    #expect(!rig.events.contains(.registrationTold(fingerprint: Self.fingerprint)))
  }

  /// In the first case the link fails while it is told, in the second one before the proof.
  @Test(arguments: [1, 2])
  func whatHasChangedIsToldUntilItsCycleIsProven(answers: Int) throws {
    let rig = try rig(.boat)
    rig.cycleDue()
    for _ in 0..<answers { try rig.accept() }
    rig.connectionFailed()
    #expect(!rig.events.contains(.registrationTold(fingerprint: Self.fingerprint)))
    try rig.acceptedAttempt()
    #expect(rig.events.contains(.registrationTold(fingerprint: Self.fingerprint)))
  }

  // MARK: Routes of notifications

  private static var notifiable: RegistrationRequest {
    var request = RegistrationRequest.boat
    request.push = PushRoutes(isWebSocketWanted: true)
    return request
  }

  private func namesRoutes(_ message: String) -> Bool {
    message.contains("push_websocket_channel")
  }

  /// The backup may be older than the routes, and no answer shows that they are gone.
  @Test func aHomeAssistantRestoredFromABackupIsToldTheRoutesOfNotificationsAgain() throws {
    let rig = try rig(Self.notifiable, isTold: true)
    try rig.acceptedCycle()
    rig.sleep(Cycle.reportInterval)
    #expect(try rig.isQuietCycle(), "nothing hints at a restore")
    rig.cycleDue()
    rig.connectionFailed()
    #expect(try rig.acceptedAttempt().count { namesRoutes($0) } == 1)
    #expect(try rig.isQuietCycle())
  }

  /// An update that is taken back within the hour: nothing else would ask until the next day.
  @Test func aRestoreSoonAfterAReportIsFollowedByOneAtTheEndOfTheHour() throws {
    let rig = try rig(Self.notifiable, isTold: true)
    try rig.acceptedCycle()
    rig.sleep(.seconds(1200))
    rig.delivery.connectionEnded()
    #expect(try rig.acceptedCycle().count { namesRoutes($0) } == 0)
    rig.sleep(Cycle.reportInterval)
    #expect(try rig.acceptedCycle().count { namesRoutes($0) } == 1)
    rig.sleep(Cycle.reportInterval)
    #expect(try rig.isQuietCycle())
  }

  /// The agent may have been off while Home Assistant was restored.
  @Test func theFirstCycleTellsTheRoutesOfNotificationsThoughTheyWereToldBefore() throws {
    let rig = try rig(Self.notifiable, isTold: true)
    let sent = try rig.acceptedCycle()
    #expect(sent.count == 3 && namesRoutes(sent[1]))
  }

  @Test func onABadLinkTheRoutesOfNotificationsAreToldOnceAnHour() throws {
    let rig = try rig(Self.notifiable, isTold: true)
    var minutes: [Int64] = []
    for minute in 0...Int64(120) {
      rig.now = Instant(nanoseconds: 0) + .seconds(60 * minute)
      rig.delivery.connectionEnded()
      if try rig.acceptedCycle().contains(where: { namesRoutes($0) }) { minutes.append(minute) }
    }
    #expect(minutes == [0, 60, 120])
  }

  @Test func aNewRegistrationKnowsTheRoutesOfNotifications() throws {
    let rig = try rig(Self.notifiable)
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    #expect(try rig.acceptedCycle() == ["{}", "[]"])
    rig.sleep(Cycle.reportInterval)
    rig.delivery.connectionEnded()
    #expect(try rig.acceptedCycle().count { namesRoutes($0) } == 1)
  }

  /// What is on its way when the link fails again is lost.
  @Test func routesOfNotificationsThatWereNotProvenAreToldWithTheNextAttempt() throws {
    let rig = try rig(Self.notifiable, isTold: true)
    rig.cycleDue()
    try rig.accept()
    try rig.accept()
    #expect(rig.underWay == .states)
    rig.connectionFailed()
    #expect(try rig.acceptedAttempt().count { namesRoutes($0) } == 1)
  }

  @Test func aDeviceWithoutNotificationsIsToldOnlyWhenItChanges() throws {
    let rig = try rig(.boat, isTold: true)
    #expect(try rig.acceptedCycle() == ["{}", "[]"])
    rig.sleep(Cycle.reportInterval)
    rig.delivery.connectionEnded()
    #expect(try rig.acceptedCycle() == ["{}", "[]"])
  }
}
