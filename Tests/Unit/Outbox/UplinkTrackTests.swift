import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// Which fixes an uplink keeps and sends.
@Suite struct UplinkTrackTests {
  /// A Home Assistant without keys, whose answers the test can write.
  private func rig(_ track: TrackFilter.Settings? = TrackFilter.Settings()) -> UplinkRig {
    .proven(.init(track: track))
  }

  private func prove(_ rig: UplinkRig) { rig.prove() }

  /// The cycle of a board that stands.
  private func stand(_ rig: UplinkRig, _ end: (UplinkRig) -> Void) {
    rig.wait(.seconds(30))
    rig.locate()
    rig.cycle()
    end(rig)
  }

  private func isClockTrusted(_ rig: UplinkRig) -> Bool {
    rig.uplink.delivery.history.isClockTrusted
  }

  private func fail(_ rig: UplinkRig) {
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
  }

  @Test func withoutSettingsEveryFixIsSent() {
    let rig = rig(nil)
    for _ in 0..<5 { stand(rig, prove) }
    #expect(rig.uplink.counts.locations == 5)
    #expect(rig.uplink.track == nil)
  }

  @Test func aBoardThatStandsSendsOneFix() {
    let rig = rig()
    for _ in 0..<5 { stand(rig, prove) }
    #expect(rig.uplink.counts.locations == 1 && rig.uplink.counts.proven == 6)
    #expect(rig.uplink.delivery.history.entryCount == 0)
    #expect(rig.uplink.lastFix?.notBefore == rig.now)
    #expect(rig.uplink.track?.last?.decision == .standing)
  }

  @Test func afterTheParkedIntervalItSendsAnother() {
    let rig = rig(TrackFilter.Settings(parkedEvery: .seconds(90)))
    for _ in 0..<7 { stand(rig, prove) }
    #expect(rig.uplink.counts.locations == 3)
  }

  @Test func afterAnOutageHomeAssistantIsToldWhereTheBoardIs() {
    let rig = rig()
    stand(rig, fail)
    #expect(rig.uplink.counts.locations == 0)
    for _ in 0..<20 { stand(rig, fail) }
    // What stands in the outage makes no points.
    #expect(rig.uplink.delivery.history.entryCount == 1)
    for _ in 0..<40 where !rig.uplink.delivery.isReached { stand(rig, prove) }
    #expect(rig.uplink.delivery.isReached)
    let before = rig.uplink.counts.locations
    stand(rig, prove)
    #expect(rig.uplink.counts.locations == before + 1)
    #expect(rig.uplink.track?.last?.decision == .owed)
    stand(rig, prove)
    #expect(rig.uplink.track?.last?.decision == .standing)
  }

  @Test func aNewRegistrationDoesNotKnowWhereTheBoardIs() {
    let rig = rig()
    stand(rig, prove)
    #expect(!rig.uplink.isPositionOwed)
    rig.event { uplink, _ in
      guard
        let made = Registration(webhookID: [UInt8]("made".utf8), protection: .plain)
      else { return }
      uplink.registered(made)
    }
    #expect(rig.uplink.isPositionOwed)
  }

  @Test func aFixThatIsLeftOutStillTellsTheTime() {
    let rig = rig()
    // Two that agree are needed, of which the first is kept.
    for isTrusted in [false, true] {
      rig.wait(.seconds(30))
      rig.locate(clockAhead: .seconds(1000))
      #expect(isClockTrusted(rig) == isTrusted)
      rig.cycle()
      rig.prove()
    }
    #expect(rig.uplink.track?.last?.decision == .standing)
  }

  // MARK: Zones

  static func zones(isPassive: Bool = false) -> String {
    #"[{"entity_id":"zone.home","state":"0","attributes":{"latitude":52.0,"longitude":4.0,"#
      + #""radius":100,"passive":\#(isPassive),"friendly_name":"Home"}}]"#
  }

  /// What Home Assistant keeps of a zone that is not loaded.
  private static let ghost =
    #"{"entity_id":"zone.ghost","state":"unavailable","attributes":{"restored":true}}"#

  /// An uplink that asked Home Assistant for its zones, which said this.
  private func rig(zones answer: String) -> UplinkRig {
    .proven(.init(track: .init(every: .seconds(3600))), zones: answer)
  }

  /// What becomes of fixes on the way out of a zone.
  private func decisions(_ answer: String) -> [TrackDecision?] {
    let rig = rig(zones: answer)
    return [52, 52.0005, 52.002].map { latitude in
      rig.wait(.seconds(30))
      rig.locate(latitude: latitude, speed: 5)
      rig.cycle()
      prove(rig)
      return rig.uplink.track?.last?.decision
    }
  }

  @Test func whoLeavesAZoneOfHomeAssistantIsToldAtOnce() {
    #expect(decisions(Self.zones()) == [.first, .nothingNew, .zone])
  }

  @Test(arguments: ["[]", "{}", "nonsense", zones(isPassive: true)])
  func withoutAZoneThatCountsThereIsNothingToLeave(_ answer: String) {
    #expect(decisions(answer) == [.first, .nothingNew, .nothingNew])
  }

  @Test func aZoneThatCannotBeReadHidesNoOther() {
    #expect(
      decisions("[\(Self.ghost),\(Self.zones().dropFirst())") == [.first, .nothingNew, .zone])
  }

  @Test(arguments: [("[]", true), ("[\(ghost)]", false), ("{}", false)])
  func onlyAnAnswerThatCanBeReadReplacesTheZones(_ answer: String, isRead: Bool) {
    let events = rig(zones: answer).deliveryEvents
    #expect(events.contains { if case .zonesRead = $0 { true } else { false } } == isRead)
  }

  @Test func zonesAreAskedForOnceADay() {
    let (with, without) = (rig(), rig(nil))
    #expect(with.calls.count == without.calls.count + 1)
    for rig in [with, without] {
      rig.wait(.seconds(30))
      rig.cycle()
      prove(rig)
    }
    #expect(with.calls.count == without.calls.count + 1)
    for rig in [with, without] {
      rig.wait(.seconds(86_400))
      rig.cycle()
      prove(rig)
    }
    #expect(with.calls.count == without.calls.count + 2)
  }
}
