import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// Whether Home Assistant takes locations: some are looked up.
@Suite struct LocationLookupTests {
  private func rig() throws -> DeliveryRig { try DeliveryRig(beginning: .direct) }

  /// Sends a fix of that second, and returns whether it was looked up.
  private func isLookedUp(_ rig: DeliveryRig, second: Int64) throws -> Bool {
    rig.now = Instant(nanoseconds: second * 1_000_000_000)
    rig.record(.here(at: second))
    let start = rig.sent.count
    try rig.acceptedCycle()
    return rig.sent[start...].contains { $0.contains("template") }
  }

  @Test func theFirstLocationIsLookedUpAndThenOneInAHundred() throws {
    let rig = try rig()
    var lookedUp: [Int64] = []
    for second in 0..<Int64(2 * KnownServer.locationsOnTrust + 3) {
      if try isLookedUp(rig, second: second) { lookedUp.append(second) }
    }
    let interval = Int64(KnownServer.locationsOnTrust + 1)
    #expect(lookedUp == [0, interval, 2 * interval])
  }

  @Test func aLocationIsLookedUpAfterAnOutageAndAfterARestart() throws {
    let rig = try rig()
    #expect(try isLookedUp(rig, second: 0))
    #expect(try !isLookedUp(rig, second: 1))
    rig.delivery.connectionEnded()
    #expect(try isLookedUp(rig, second: 2))
    rig.cycleDue()
    rig.connectionFailed()
    try rig.acceptedAttempt()
    #expect(try isLookedUp(rig, second: 20))
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    #expect(try isLookedUp(rig, second: 21))
  }

  private func lookedUp(_ answer: String) throws -> DeliveryRig {
    let rig = try rig()
    try rig.acceptedCycle()
    rig.forgetWhatWasToldSoFar()
    rig.record(.here(at: 0))
    rig.cycleDue()
    try rig.accept()
    #expect(rig.underWay == .readBack)
    rig.answered(answer)
    try rig.acceptAll()
    return rig
  }

  @Test func aDroppedLocationIsToldAndNotCounted() throws {
    let elsewhere = readBack(ofLocation: #"{"gps":[1.0000000,2.0000000]}"#)
    let rig = try lookedUp(elsewhere)
    #expect(
      rig.events == [
        .locationDropped, .superseded(Batch.Superseded(readings: 0, fixes: 1)),
        .proven(readings: 0, hasLocation: false),
      ])
    // It would be dropped again; and the next one is looked up, too.
    #expect(try rig.isQuietCycle())
    #expect(try isLookedUp(rig, second: 1))
  }

  @Test func aDisabledTrackerIsToldOnceAndItsReturnToo() throws {
    let rig = try lookedUp(#"{"p":{"e":null}}"#)
    #expect(rig.events == [.trackerMissing, .proven(readings: 0, hasLocation: false)])
    rig.delivery.connectionEnded()
    rig.cycleDue()
    rig.answered(
      DeliveryRig.configuration.replacing(#""disabled":false"#, with: #""disabled":true"#))
    try rig.acceptAll()
    #expect(rig.events.filter { $0 == .trackerMissing }.count == 1)
    rig.delivery.connectionEnded()
    try rig.acceptedCycle()
    #expect(rig.events.filter { $0 == .trackerFound }.count == 1)
  }

  /// The place is the same, and only its age tells that it is the one of an hour ago.
  @Test func aLocationThatWasDroppedOnAParkedBoardIsSeen() throws {
    let same = readBack(ofLocation: #"{"gps":[52.0000000,0.0000000]}"#, age: "3600")
    let rig = try lookedUp(same)
    #expect(rig.events.first == .locationDropped)
  }

  /// Home Assistant did not take it in its time, and has it nowhere.
  @Test func aDroppedLocationComesAsHistory() throws {
    let rig = try lookedUp(readBack(ofLocation: #"{"gps":[1.0000000,2.0000000]}"#))
    #expect(rig.historyEntryCount == 1)
    #expect(try rig.recoveredChunks().flatMap(\.points).compactMap { $0[2] } == [0])
    #expect(rig.historyEntryCount == 0)
  }

  /// A newer fix took its place in the batch while it was looked up.
  @Test func aDroppedLocationIsCountedOnceThoughANewerOneCame() throws {
    let rig = try rig()
    rig.record(.here(at: 0))
    rig.cycleDue()
    try rig.accept()
    try rig.accept()
    rig.record(.here(at: 1))
    rig.answered(readBack(ofLocation: #"{"gps":[1.0000000,2.0000000]}"#))
    try rig.acceptAll()
    #expect(rig.events.contains(.superseded(Batch.Superseded(readings: 0, fixes: 1))))
    #expect(try rig.recoveredChunks().flatMap(\.points).compactMap { $0[2] }.contains(0))
  }

  @Test(arguments: ["{}", "[]", "", #"{"other":{"e":null}}"#])
  func theAnswerToAnotherLookUpIsNone(answer: String) throws {
    let rig = try lookedUp(answer)
    #expect(rig.events.contains(.outage(.otherAnswer)))
  }

  @Test(arguments: [#"{"p":{"error":"TemplateError"}}"#, #"{"p":""}"#])
  func aTemplateThatFailsHoldsUpNothing(answer: String) throws {
    let rig = try lookedUp(answer)
    #expect(rig.events == [.proven(readings: 0, hasLocation: true)])
  }

  @Test func aLocationWhoseLookUpWasNotAnsweredIsSentAgain() throws {
    let rig = try rig()
    rig.record(.here(at: 0))
    rig.cycleDue()
    try rig.accept()
    try rig.accept()
    #expect(rig.underWay == .readBack)
    rig.connectionFailed()
    try rig.acceptedAttempt()
    #expect(rig.sent.filter { $0.contains(#""gps":"#) }.count == 2)
    #expect(rig.events.last == .proven(readings: 0, hasLocation: true))
  }

  @Test func withoutAnIDOfTheDeviceLocationsAreSentOnTrust() throws {
    let rig = try rig()
    rig.cycleDue()
    rig.answered("[]")
    try rig.acceptAll()
    #expect(try !isLookedUp(rig, second: 0))
    #expect(rig.events.last == .proven(readings: 0, hasLocation: true))
  }
}
