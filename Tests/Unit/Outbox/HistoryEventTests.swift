import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// The events that history goes in: their size, their pace, and what becomes of one that fails.
extension HistoryTests {
  @Test func aChunkThatIsNotProvenComesAgain() throws {
    rig.outage(level, 1...5)
    try rig.endOutage()
    rig.forgetWhatWasToldSoFar()
    rig.wake()
    #expect(rig.underWay == .history)
    try rig.accept()
    #expect(rig.underWay == .states)
    // The proof does not come.
    rig.connectionFailed()
    #expect(rig.historyEntryCount == 5)
    try rig.recover()
    #expect(rig.chunks().map(\.numbers) == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])
    #expect(rig.historyEntryCount == 0)
  }

  /// Its answer may be what was lost. A reader that remembers the numbers knows it again.
  @Test(arguments: [false, true])
  func aChunkThatMayHaveArrivedComesAgainAsItWas(isAnswered: Bool) throws {
    rig.outage(level, 1...2000)
    try rig.endOutage()
    rig.forgetWhatWasToldSoFar()
    rig.wake()
    if isAnswered { try rig.accept() }
    rig.connectionFailed()
    rig.outage(level, 2001...2003)
    try rig.recover()
    let chunks = rig.chunks()
    #expect(try #require(chunks[0].last) < 1900)
    #expect(chunks[0].first == chunks[1].first && chunks[0].last == chunks[1].last)
  }

  @Test func aChunkThatIsNeverAnsweredIsCut() throws {
    rig.outage(level, 1...2000)
    try rig.endOutage()
    rig.forgetWhatWasToldSoFar()
    for _ in 0..<4 {
      rig.wake()
      #expect(rig.underWay == .history)
      rig.connectionFailed()
      while rig.isInOutage {
        try rig.sleepUntilDeadline()
        while rig.underWay != nil, rig.underWay != .history { try rig.accept() }
      }
    }
    let counts = rig.chunks().map(\.readings.count)
    #expect(counts.count == 4 && counts[1] == counts[0])
    #expect(counts[2] < counts[1] && counts[3] < counts[2])
  }

  @Test func aFreshReadingWaitsForOneChunkAtMost() throws {
    rig.outage(level, 1...2000)
    try rig.endOutage()
    rig.wake()
    #expect(rig.underWay == .history)
    rig.record(level, 9999)
    rig.forgetWhatWasToldSoFar()
    try rig.accept()
    #expect(rig.underWay == .states)
    #expect(rig.sent.last?.contains("9999") == true)
  }

  @Test func aSlowLinkGetsSmallChunksAndAFastOneLarge() throws {
    rig.outage(level, 1...8000)
    try rig.endOutage()
    rig.forgetWhatWasToldSoFar()
    var counts: [Int] = []
    for slowness in [0, 0, 0, 0, 6, 6, 6, 6, 6, 6] {
      rig.wake()
      #expect(rig.underWay == .history)
      counts.append(try #require(rig.sent.last).utf8.count)
      rig.sleep(.seconds(slowness))
      try rig.acceptAll()
    }
    #expect(counts[3] > counts[0] * 3)
    #expect(counts[9] < 1100)
  }

  @Test func historyTakesNoMoreOfTheLinkThanItMay() throws {
    let (rig, level) = try DeliveryRig.withLevel(history: .forTests(bytesPerMinute: 6000))
    rig.outage(level, 1...1000)
    let start = rig.now
    rig.forgetWhatWasToldSoFar()
    while rig.historyEntryCount > 0 {
      try rig.acceptedAttempt()
    }
    let byteCount = rig.sent.filter { $0.contains("homeward_history") }
      .reduce(0) { $0 + Envelope.byteCount(sealing: $1.utf8.count) }
    // The last one may still take its time.
    let minutes = Double((rig.now - start).components.seconds) / 60
    #expect(Double(byteCount) <= 6000 * (minutes + 6))
    #expect(minutes > 2)
  }

  /// It is on the disk already; only the link has no room for it yet.
  @Test func historyFromTheDiskThatMustWaitForTheLinkIsNotWrittenAgain() throws {
    rig.outage(level, 1...300)
    let again = try DeliveryRig(history: .forTests(bytesPerMinute: 1024), disk: rig.disk)
    let level = try again.sensor("level", 0)
    try again.acceptedCycle()
    again.wake()
    try again.acceptAll()
    let before = again.diskActions.count
    for number in 1...5 {
      again.record(level, Int64(number))
      try again.acceptedCycle()
    }
    #expect(again.diskActions.count == before)
    #expect(again.historyEntryCount > 0, "the rest still waits")
  }

  /// The first entry that finds no place in a chunk is held over for the next one.
  @Test func whatFindsNoPlaceInAChunkIsNotReleasedWithIt() throws {
    rig.outage(level, 1...2000)
    rig.forgetWhatWasToldSoFar()
    try rig.endOutage()
    rig.wake()
    #expect(rig.underWay == .history)
    try rig.acceptAll()
    rig.wake()
    #expect(rig.underWay == .history)
    let first = rig.chunks()
    rig.connectionFailed()
    try rig.recover()
    let numbers = first.prefix(1).flatMap(\.numbers) + rig.chunks().flatMap(\.numbers)
    #expect(numbers == (1...2000).map(Double.init))
  }
}
