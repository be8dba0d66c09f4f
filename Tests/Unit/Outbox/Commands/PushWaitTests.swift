import Bytes
import ModelRelay
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What an uplink does about commands that waited at a push relay, and when it asks there beside an
/// open channel.
@Suite struct PushWaitTests {
  private let relay = ModelRelay()
  private let rig = UplinkRig.withRelay()

  private func pump(_ more: String = "") -> String {
    #"{"message":"command_gpio","data":{"output":"Pump","command":"turn_on"\#(more)}}"#
  }

  // MARK: Commands that waited

  @Test(arguments: [0, 60, 24 * 3600, 25 * 3600])
  func aCommandOfTheLastDayIsCarriedOut(seconds: Int) {
    relay.arrived = ModelRelay.time - .seconds(seconds)
    relay.push(pump())
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
  }

  /// The pump would run for what was three weeks ago.
  @Test(arguments: [25 * 3600 + 1, 21 * 86_400])
  func anOlderCommandIsReportedAndNotCarriedOut(seconds: Int) {
    relay.arrived = ModelRelay.time - .seconds(seconds)
    relay.push(pump(#","id":"1""#))
    rig.fetch(from: relay)
    #expect(rig.orders.isEmpty && relay.waiting.isEmpty)
    #expect(rig.results.map(\.problem) == [.expired])
    rig.uploadProven(results: true)
    #expect(rig.told.map(\.result) == ["refused"] && rig.told.map(\.reason) == ["expired"])
  }

  /// Its sender sends it again, with the same `id`.
  @Test func anExpiredCommandMayComeAgain() {
    relay.arrived = ModelRelay.time - .seconds(26 * 3600)
    relay.push(pump(#","id":"1""#))
    rig.fetch(from: relay)
    relay.arrived = ModelRelay.time
    relay.push(pump(#","id":"1""#))
    rig.uploadProvenAfterAMinute(results: true)
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
  }

  @Test(arguments: [
    (#","ttl":600"#, 600, true), (#","ttl":600"#, 601, false), (#","ttl":"600""#, 601, false),
    (#","ttl":0"#, 0, true), (#","ttl":0"#, 1, false), (#","ttl":null"#, 3600, true),
    (#","ttl":2592000"#, 29 * 86_400, true),
  ])
  func theSenderSaysHowLongItMayWait(ttl: String, seconds: Int, isDone: Bool) {
    relay.arrived = ModelRelay.time - .seconds(seconds)
    relay.push(pump(ttl))
    rig.fetch(from: relay)
    #expect(rig.orders.count == (isDone ? 1 : 0))
    #expect(rig.results.map(\.problem) == [isDone ? nil : .expired])
  }

  @Test(arguments: [#""a day""#, "-1", "2592001", "9223372036854775807", "1e99", "[]", "true"])
  func aTimeToLiveThatIsNoneIsAMistakeOfTheSender(ttl: String) {
    relay.push(pump(#","ttl":\#(ttl)"#))
    rig.fetch(from: relay)
    #expect(rig.orders.isEmpty && rig.results.map(\.problem) == [.wrongData("ttl")])
  }

  @Test func aCommandOfUnknownAgeIsNotCarriedOut() {
    relay.push(pump())
    rig.fetch(from: relay, time: nil)
    relay.arrived = nil
    relay.push(pump())
    rig.uploadProvenAfterAMinute()
    rig.fetch(from: relay)
    #expect(rig.orders.isEmpty && rig.results.map(\.problem) == [.expired, .expired])
  }

  /// The relay's answer to the acknowledgement took this long.
  @Test func theTimeOnTheBoardCounts() {
    relay.push(pump(#","ttl":600"#))
    rig.fetchOnce(from: relay)
    rig.fetchOnce(from: relay, arrives: false)
    for _ in 0..<11 { rig.uploadProvenAfterAMinute() }
    rig.fetch(from: relay)
    #expect(rig.orders.isEmpty && rig.results.map(\.problem) == [.expired])
  }

  @Test func overTheChannelACommandDoesNotWait() throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","ttl":0}"#)
    #expect(rig.orders.count == 1)
  }

  @Test func anOldNotificationIsShownAndCleared() {
    relay.arrived = ModelRelay.time - .seconds(21 * 86_400)
    relay.push(#"{"message":"Storm at nine","data":{"tag":"storm","ttl":0}}"#)
    rig.fetch(from: relay)
    #expect(rig.uplink.notifications.entries.map(\.message) == ["Storm at nine"])
    relay.push(#"{"message":"clear_notification","data":{"tag":"storm"}}"#)
    rig.uploadProvenAfterAMinute()
    rig.fetch(from: relay)
    #expect(rig.uplink.notifications.entries.isEmpty)
  }

  // MARK: Beside the channel

  private func rigWithChannel() -> UplinkRig {
    let rig = UplinkRig.withRelay { $0.webSocket = .notifications }
    rig.fetch(from: relay)
    rig.wait(.seconds(60))
    rig.event { $0.pushChannelChanged(.opened, now: $1) }
    return rig
  }

  private func minutes(_ count: Int, _ rig: UplinkRig) {
    for _ in 0..<count {
      rig.uploadProvenAfterAMinute()
      rig.fetch(from: relay)
    }
  }

  /// What came before it was opened waits there.
  @Test func theRelayIsAskedAsSoonAsTheChannelIsOpen() {
    let rig = rigWithChannel()
    #expect(rig.isFetching)
  }

  @Test func besideAnOpenChannelTheRelayIsAskedHourly() {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    let before = rig.fetchCount
    minutes(59, rig)
    #expect(rig.fetchCount == before)
    minutes(2, rig)
    #expect(rig.fetchCount == before + 1)
  }

  /// Home Assistant reopens it every ten minutes, which says nothing.
  @Test func aChannelThatStaysOpenIsNoReasonToAsk() {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    let before = rig.fetchCount
    for _ in 0..<5 {
      minutes(2, rig)
      rig.event { $0.pushChannelChanged(.opened, now: $1) }
    }
    #expect(rig.fetchCount == before)
  }

  @Test func aChannelThatWasLostBringsTheMinuteBack() {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    let before = rig.fetchCount
    minutes(2, rig)
    rig.event { $0.webSocketChanged(.connecting, now: $1) }
    minutes(3, rig)
    #expect(rig.fetchCount == before + 3)
  }

  @Test func aChannelThatIsRefusedIsNone() {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    let before = rig.fetchCount
    rig.event {
      $0.pushChannelChanged(.refused(.server(code: "not_found", message: "")), now: $1)
    }
    minutes(3, rig)
    #expect(rig.fetchCount == before + 3)
  }

  /// One that opens each second does not ask each second.
  @Test func aChannelThatFlapsAsksOnceAMinute() {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    let before = rig.fetchCount
    for _ in 0..<100 {
      rig.wait(.seconds(1))
      rig.event { $0.webSocketChanged(.connecting, now: $1) }
      rig.event { $0.pushChannelChanged(.opened, now: $1) }
      rig.fetch(from: relay)
    }
    #expect(rig.fetchCount == before + 1)
  }

  /// A sign that comes while the answer is on its way.
  @Test func aChannelThatOpensDuringARequestBringsOneMore() {
    let rig = UplinkRig.withRelay { $0.webSocket = .notifications }
    #expect(rig.isFetching)
    rig.event { $0.pushChannelChanged(.opened, now: $1) }
    rig.fetch(from: relay)
    let before = rig.fetchCount
    minutes(2, rig)
    #expect(rig.fetchCount == before + 1)
  }

  // MARK: Both ways

  /// Home Assistant refuses a confirmation that comes late, and has sent the notification to the
  /// relay: it is there now, not in an hour.
  @Test func aRefusedConfirmationBringsTheCommandFromTheRelayOnce() throws {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    minutes(2, rig)
    let text = #""message":"command_gpio","data":{"output":"Pump","command":"turn_on"},"#
    try rig.notify(
      "command_gpio", #"{"output":"Pump","command":"turn_on"}"#, confirmID: "c-1",
      confirmation: .failed)
    #expect(rig.orders.isEmpty)
    relay.push(#"{\#(text)"hass_confirm_id":"c-1"}"#)
    minutes(1, rig)
    #expect(rig.orders.count == 1)
  }

  @Test func aNotificationThatCameBothWaysIsShownOnce() throws {
    let rig = rigWithChannel()
    rig.fetch(from: relay)
    try rig.notify("Storm at nine", "{}", confirmID: "c-1", confirmation: .failed)
    relay.push(#"{"message":"Storm at nine","hass_confirm_id":"c-1"}"#)
    relay.push(#"{"message":"Storm at ten","hass_confirm_id":"c-2"}"#)
    minutes(2, rig)
    #expect(rig.notifications.map(\.message) == ["Storm at nine", "Storm at ten"])
    #expect(rig.uplink.notifications.entries.count == 2)
  }

  // MARK: A relay that lies

  /// Such a number would stay in every later request.
  @Test func aNumberThatIsNoTimeHoldsUpNothing() {
    let row = #"{"notifications":[{"number":9223372036854775807,"sealed":""}]}"#
    var body = ByteBuffer(capacity: 256)
    body.append([UInt8](row.utf8))
    rig.event { $0.fetchAnswered(AnswerHead(status: 200), &body, now: $1) }
    #expect(rig.pushEvents == [.problem(.impossibleNumber)])
    relay.push(#"{"message":"a"}"#)
    for _ in 0..<2 { rig.uploadProvenAfterAMinute() }
    rig.fetch(from: relay)
    #expect(rig.notifications.map(\.message) == ["a"])
    #expect(relay.acknowledgements.first == 0)
  }
}
