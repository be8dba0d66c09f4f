import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

@Suite struct HistoryTests {
  let rig: DeliveryRig
  let level: SensorIndex

  init() throws {
    (rig, level) = try DeliveryRig.withLevel()
  }

  // MARK: While Home Assistant takes everything

  @Test func nothingIsWrittenWhileHomeAssistantTakesTheData() throws {
    for number in 1...1000 {
      rig.record(level, Int64(number))
      rig.record(.here(at: Int64(number)))
      try rig.acceptedCycle()
      rig.sleep(.seconds(1))
    }
    #expect(!rig.hasWritten)
    #expect(rig.historyEntryCount == 0)
    #expect(rig.chunks().isEmpty)
  }

  @Test func whatWasReplacedBeforeItsCycleFollowsAsHistoryFromMemory() throws {
    for number in 1...3 { rig.record(level, Int64(number)) }
    try rig.acceptedCycle()
    rig.wake()
    try rig.acceptAll()
    let chunks = rig.chunks()
    #expect(chunks.map(\.numbers) == [[1, 2, 3]])
    #expect(chunks.first?.first == nil)
    #expect(!rig.hasWritten)
    #expect(rig.historyEntryCount == 0)
  }

  @Test func aValueThatStaysIsKeptOnce() throws {
    for number in [1, 1, 2, 2, 2] { rig.record(level, Int64(number)) }
    #expect(rig.historyEntryCount == 2)
    try rig.acceptedCycle()
    rig.record(level, 2)
    try rig.recover()
    #expect(rig.chunks().flatMap(\.numbers) == [1, 2])
  }

  @Test func aReadingThatComesWhileAMessageIsUnderWayIsOnlySentOnce() throws {
    rig.record(level, 1)
    rig.cycleDue()
    rig.record(level, 2)
    try rig.acceptAll()
    try rig.acceptedCycle()
    rig.wake()
    #expect(rig.underWay == nil)
    #expect(rig.chunks().isEmpty)
    #expect(rig.historyEntryCount == 0)
  }

  @Test func readingsThatAreReplacedWhileAMessageIsUnderWayAreNotLost() throws {
    rig.record(level, 1)
    rig.cycleDue()
    for number in 2...4 { rig.record(level, Int64(number)) }
    try rig.acceptAll()
    try rig.acceptedCycle()
    rig.wake()
    try rig.acceptAll()
    #expect(Set(rig.chunks().flatMap(\.numbers)).isSuperset(of: [2, 3]))
    #expect(rig.historyEntryCount == 0)
  }

  @Test func whatIsReplacedBetweenTheBeginOfACycleAndItsStatesIsNotLost() throws {
    _ = try rig.sensor("new", 0)
    rig.cycleDue()
    #expect(rig.underWay?.type == .registerSensor)
    rig.record(level, 1)
    rig.record(level, 2)
    try rig.acceptAll()
    for _ in 0..<3 {
      rig.wake()
      try rig.acceptAll()
      try rig.acceptedCycle()
    }
    #expect(rig.chunks().flatMap(\.numbers).contains(1))
    #expect(rig.historyEntryCount == 0)
  }

  @Test func aValueThatTheAnswerDoesNotNameIsNotReleased() throws {
    rig.record(level, 1)
    rig.cycleDue()
    rig.answered("{}")
    rig.wake()
    try rig.acceptAll()
    #expect(rig.chunks().map(\.numbers) == [[1]])
  }

  // MARK: An outage

  @Test func whatAnOutageBroughtArrivesInOrderWithItsTimes() throws {
    rig.outage(level, 1...100)
    let chunks = try rig.recoveredChunks()
    #expect(chunks.flatMap(\.numbers) == (1...100).map(Double.init))
    #expect(chunks.flatMap(\.readings).map { $0[0] } == (0..<100).map(Double.init))
    #expect(
      chunks.allSatisfy { $0.sensors == ["level"] && $0.names == ["level"] && $0.clock == "set" })
    #expect(chunks.allSatisfy { $0.deviceID == "board" && $0.device == "Boat" })
    #expect(rig.historyEntryCount == 0)
  }

  @Test func theOnlyReadingOfAShortOutageArrivesWithItsTime() throws {
    rig.sleep(.seconds(5))
    rig.outage(level, 7...7)
    #expect(try rig.recoveredChunks().flatMap(\.readings) == [[5, 0, 7]])
  }

  @Test func sequenceNumbersOfChunksFollowEachOther() throws {
    rig.outage(level, 1...2000)
    let chunks = try rig.recoveredChunks()
    try #require(chunks.count > 2)
    for (chunk, next) in zip(chunks, chunks.dropFirst()) {
      #expect(chunk.last.map { $0 + 1 } == next.first)
    }
    #expect(chunks.flatMap(\.numbers).count == 2000)
  }

  @Test func everyChunkStaysBelowTheLimitOfTheRecorder() throws {
    rig.outage(level, 1...3000)
    rig.forgetWhatWasToldSoFar()
    try rig.recover()
    let largest = rig.sent.filter { $0.contains("homeward_history") }.map(\.utf8.count).max()
    #expect(try #require(largest) < 32_768)
    #expect(try #require(largest) > 20_000)
  }

  @Test func historyThatMustWaitForTheLinkIsOnTheDiskOneCycleLater() throws {
    let (rig, level) = try DeliveryRig.withLevel(history: .forTests(bytesPerMinute: 1024))
    for number in 1...300 { rig.record(level, Int64(number)) }
    try rig.acceptedCycle()
    rig.wake()
    try rig.acceptAll()
    #expect(!rig.hasWritten)
    try rig.acceptedCycle()
    #expect(rig.hasWritten)
    let again = try DeliveryRig(disk: rig.disk)
    #expect(try again.recoveredChunks().flatMap(\.numbers).last == 300)
  }

  @Test func anUrgentReadingWhileAMessageIsUnderWayWritesNothing() throws {
    rig.record(level, 1)
    rig.cycleDue()
    rig.record(level, 2)
    rig.urgentChange()
    #expect(!rig.hasWritten)
  }

  @Test func whatIsKeptComesAfterARestart() throws {
    rig.outage(level, 1...10)
    let again = try DeliveryRig(disk: rig.disk)
    #expect(try again.recoveredChunks().flatMap(\.numbers) == (1...10).map(Double.init))
  }

  @Test func aFixThatIsTooOldToBeSentAsNewArrivesAsAPoint() throws {
    rig.record(.here(at: 7))
    rig.sleep(.seconds(100))
    try rig.acceptedCycle()
    rig.wake()
    try rig.acceptAll()
    let chunks = rig.chunks()
    #expect(chunks.flatMap(\.points) == [[7, 52, 0.007, 3, nil, nil, nil]])
    #expect(
      chunks.flatMap(\.pointColumns) == [
        "time", "latitude", "longitude", "accuracy", "altitude", "speed", "course",
      ])
  }

  // MARK: What may be lost

  @Test func withDurabilityOfReadingsEachIsOnTheDiskAtOnce() throws {
    let rig = try DeliveryRig(history: .forTests(durability: .reading))
    let level = try rig.sensor("level", 0)
    for number in 1...5 {
      rig.record(level, Int64(number))
      let again = try DeliveryRig(disk: rig.disk.copy())
      #expect(try again.recoveredChunks().flatMap(\.numbers).last == Double(number))
    }
  }

  @Test func withDurabilityOfReadingsWhatIsProvenDoesNotComeAgain() throws {
    let (rig, level) = try DeliveryRig.withLevel(history: .forTests(durability: .reading))
    for number in 1...5 {
      rig.record(level, Int64(number))
      try rig.acceptedCycle()
      rig.wake()
      #expect(rig.underWay == nil)
    }
    #expect(rig.chunks().isEmpty)
    #expect(rig.historyEntryCount == 0)
  }

  @Test func inMemoryOnlyTheDiskIsNeverWrittenTo() throws {
    let (rig, level) = try DeliveryRig.withLevel(history: .forTests(durability: .memory))
    rig.outage(level, 1...100)
    #expect(try rig.recoveredChunks().flatMap(\.numbers) == (1...100).map(Double.init))
    #expect(!rig.hasWritten)
    #expect(rig.historyEntryCount == 0)
  }

  @Test func whatIsOpenWhenTheAgentEndsIsKept() throws {
    rig.record(level, 1)
    rig.delivery.stopping()
    rig.settle()
    let again = try DeliveryRig(disk: rig.disk)
    #expect(try again.recoveredChunks().flatMap(\.numbers) == [1])
  }

  /// A board that is switched off between two reports would send the same again each time.
  @Test func whatArrivedBeforeTheAgentEndsDoesNotComeAgain() throws {
    rig.outage(level, 1...2000)
    rig.forgetWhatWasToldSoFar()
    try rig.endOutage()
    rig.wake()
    try rig.acceptAll()
    let arrived = rig.chunks().flatMap(\.numbers)
    #expect((1..<2000).contains(arrived.count))
    rig.delivery.stopping()
    rig.settle()
    let later = try DeliveryRig(disk: rig.disk).recoveredChunks().flatMap(\.numbers)
    #expect(arrived + later == (1...2000).map(Double.init))
  }

  /// A disk that was full is left alone for a while. There is no later attempt.
  @Test func whatADiskDidNotTakeIsTriedAgainWhenTheAgentEnds() throws {
    rig.disk.condition = .full
    rig.outage(level, 1...3)
    rig.disk.condition = .healthy
    rig.delivery.stopping()
    rig.settle()
    #expect(rig.delivery.history.spool.unkeptEntryCount == 0)
    let again = try DeliveryRig(disk: rig.disk)
    #expect(try again.recoveredChunks().flatMap(\.numbers) == [1, 2, 3])
  }

  @Test func aCallerCanHaveEverythingKept() throws {
    rig.disk.condition = .full
    rig.outage(level, 1...3)
    #expect(rig.unkeptAfterAnAttempt() == 3)
    rig.disk.condition = .healthy
    #expect(rig.unkeptAfterAnAttempt() == 0)
    // What waits for the proof of its cycle.
    try rig.recover()
    rig.record(level, 4)
    rig.cycleDue()
    #expect(rig.unkeptAfterAnAttempt() == 0)
    #expect(rig.historyEntryCount == 1, "Home Assistant does not have it yet")
    try rig.acceptAll()
    #expect(rig.historyEntryCount == 0)
  }

  /// In the chunk that is under way, and in the one after it.
  @Test func historyThatIsOnItsWayFromMemoryIsKeptAsWell() throws {
    rig.disk.condition = .full
    rig.outage(level, 1...1200)
    try rig.endOutage()
    rig.wake()
    #expect(rig.underWay == .history)
    rig.disk.condition = .healthy
    #expect(rig.unkeptAfterAnAttempt() == 0)
    try rig.acceptAll()
    try rig.recover()
    #expect(Set(rig.chunks().flatMap(\.numbers)) == Set((1...1200).map(Double.init)))
    #expect(rig.historyEntryCount == 0)
  }

  @Test func whatIsMeantToBeInMemoryOnlyIsNotMissedOnTheDisk() throws {
    let rig = try DeliveryRig(history: .forTests(durability: .memory))
    let level = try rig.sensor("level", 0)
    rig.outage(level, 1...3)
    #expect(rig.unkeptAfterAnAttempt() == 0)
    #expect(!rig.hasWritten)
  }

  @Test func aNewRegistrationGetsTheHistoryOfTheOldOne() throws {
    rig.outage(level, 1...3)
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    rig.forgetWhatWasToldSoFar()
    rig.cycleDue()
    try rig.acceptAll()
    rig.wake()
    try rig.acceptAll()
    #expect(rig.chunks().flatMap(\.numbers) == [1, 2, 3])
  }
}
