import Testing

@testable import Sensing

@Suite struct ReadPaceTests {
  private var pace = ReadPace()
  private let slow = ReadPace.fastMax + .nanoseconds(1)

  /// Reads fast until the file is read in the loop. Returns how many reads that took.
  private mutating func fastReads() -> Int {
    var count = 0
    while pace.isBesideLoop, count < 5000 {
      pace.readEnded(after: ReadPace.fastMax)
      count += 1
    }
    return count
  }

  @Test mutating func aFileIsReadBesideTheLoopUntilItIsKnownToBeFast() {
    #expect(pace.isBesideLoop)
    #expect(fastReads() == 1)
    for _ in 0..<3 {
      pace.readEnded(after: .zero)
      #expect(!pace.isBesideLoop)
    }
  }

  @Test mutating func aSlowReadMovesTheFileOutOfTheLoop() {
    _ = fastReads()
    pace.readEnded(after: slow)
    #expect(pace.isBesideLoop)
  }

  @Test mutating func aFileThatIsSlowStaysOutUntilItWasFastSomeTimesInARow() {
    for _ in 0..<3 { pace.readEnded(after: slow) }
    for _ in 1..<ReadPace.fastReadsMin { pace.readEnded(after: .zero) }
    #expect(pace.isBesideLoop)
    pace.readEnded(after: slow)
    #expect(fastReads() == ReadPace.fastReadsMin)
  }

  /// A channel that is fast only behind another one would hold the loop up again and again.
  @Test mutating func aFileThatIsSlowInTheLoopHasToBeFastTwiceAsOftenNextTime() {
    _ = fastReads()
    var counts: [Int] = []
    for _ in 0..<9 {
      pace.readEnded(after: slow)
      counts.append(fastReads())
    }
    #expect(counts == [16, 32, 64, 128, 256, 512, 1024, 1024, 1024])
  }

  @Test mutating func aSlowReadBesideTheLoopAsksForNoMoreFastOnes() {
    for _ in 0..<20 { pace.readEnded(after: slow) }
    #expect(fastReads() == ReadPace.fastReadsMin)
  }

  @Test mutating func whatIsLookedForAgainIsNotKnown() {
    _ = fastReads()
    pace.fileLost()
    #expect(fastReads() == 1)
    pace.readEnded(after: slow)
    pace.fileLost()
    #expect(fastReads() == 16)
  }

  /// i2c-bcm2835 gives up after a second, and the mailbox of a Raspberry Pi after minutes (firmware
  /// issue 132).
  @Test func aFileThatHeldTheLoopUpForASecondStaysBesideItForLong() {
    var pace = ReadPace()
    pace.readEnded(after: .zero)
    pace.readEnded(after: ReadPace.deadMin)
    for _ in 1..<ReadPace.fastReadsMax { pace.readEnded(after: .zero) }
    #expect(pace.isBesideLoop)
    pace.readEnded(after: .zero)
    #expect(!pace.isBesideLoop)
  }
}
