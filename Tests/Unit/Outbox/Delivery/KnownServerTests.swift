import Bytes
import HomeAssistant
import Testing

@testable import Outbox

@Suite struct KnownServerTests {
  private let now = Instant(nanoseconds: 0)
  private let events: DeliveryEvents
  private var server: KnownServer

  init() {
    events = DeliveryEvents()
    server = KnownServer(trackerID: [UInt8]("board".utf8), wantsZones: false, events)
  }

  private mutating func configurationAnswered(
    _ json: String = DeliveryRig.configuration
  ) -> Webhook.ServerConfiguration? {
    let bytes = [UInt8](json.utf8)
    return server.configurationAnswered(bytes.span, now: now)
  }

  private mutating func lookedUp(_ verdict: Webhook.LocationReadBack.Verdict?) {
    server.locationLookedUp(verdict)
  }

  @Test mutating func itIsAskedAtOnceThenOnceADayAndAtOnceWhereItIsDoubted() {
    #expect(server.isConfigurationDue(now: now))
    #expect(configurationAnswered() != nil)
    let day = now + .seconds(24 * 3600)
    #expect(!server.isConfigurationDue(now: day + .nanoseconds(-1)))
    #expect(server.isConfigurationDue(now: day))
    server.doubted()
    #expect(server.isConfigurationDue(now: now))
    #expect(server.version == ServerVersion("2025.4.4") && server.deviceID == "5fa3")
  }

  @Test mutating func oneThatCannotBeReadIsNotAskedAgainBeforeTheNextDay() {
    _ = configurationAnswered()
    server.doubted()
    #expect(configurationAnswered(#"{"version":7}"#) == nil)
    #expect(events.takeAll().last == .configurationUnreadable)
    #expect(!server.isConfigurationDue(now: now))
    #expect(server.version == ServerVersion("2025.4.4"), "what was told before is kept")
  }

  @Test mutating func withoutADeviceNoLocationIsLookedUp() {
    #expect(!server.isReadBackDue)
    _ = configurationAnswered()
    #expect(server.isReadBackDue)
  }

  @Test mutating func betweenTwoThatAreLookedUpAHundredGoOnTrust() {
    _ = configurationAnswered()
    lookedUp(.stored)
    for _ in 0..<KnownServer.locationsOnTrust {
      #expect(!server.isReadBackDue)
      server.locationTrusted()
    }
    #expect(server.isReadBackDue)
  }

  @Test(arguments: [.stored, .noTracker, nil] as [Webhook.LocationReadBack.Verdict?])
  mutating func onlyOneThatWasDroppedMakesTheNextBeLookedUp(
    verdict: Webhook.LocationReadBack.Verdict?
  ) {
    _ = configurationAnswered()
    lookedUp(.dropped)
    #expect(server.isReadBackDue)
    lookedUp(verdict)
    #expect(!server.isReadBackDue)
    server.doubted()
    #expect(server.isReadBackDue)
  }

  @Test mutating func aTrackerIsToldWhereItsStateChanges() {
    lookedUp(.stored)
    #expect(events.takeAll().isEmpty, "that there is one is expected")
    lookedUp(.noTracker)
    lookedUp(.noTracker)
    // A template that failed says nothing of it.
    lookedUp(nil)
    lookedUp(.stored)
    #expect(events.takeAll() == [.trackerMissing, .trackerFound])
  }
}
