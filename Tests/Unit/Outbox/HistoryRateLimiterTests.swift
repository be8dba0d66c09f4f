import Bytes
import Sensing
import Testing

@testable import Outbox

/// How large the next event may be, and when it may go.
@Suite struct HistoryRateLimiterTests {
  private typealias Limiter = HistoryRateLimiter

  private var limiter = HistoryRateLimiter(bytesPerMinute: nil)
  private var now = Instant(nanoseconds: 0)

  private mutating func proven(after transfer: Duration) -> Int {
    limiter.sent(byteCount: 1000, now: now)
    limiter.answered(now: now + transfer)
    limiter.proven()
    return limiter.byteCount
  }

  private mutating func failed() -> Int {
    limiter.sent(byteCount: 1000, now: now)
    limiter.failed()
    return limiter.byteCount
  }

  @Test(arguments: [
    (Duration.seconds(2), 2 * Limiter.firstByteCount),
    (.seconds(2) + .nanoseconds(1), Limiter.firstByteCount), (.seconds(5), Limiter.firstByteCount),
    (.seconds(5) + .nanoseconds(1), Limiter.firstByteCount / 2),
  ])
  mutating func eventsGrowOrShrinkByHowLongOneTakes(transfer: Duration, byteCount: Int) {
    #expect(proven(after: transfer) == byteCount)
  }

  @Test mutating func theyGrowToWhatARecorderTakesAndShrinkToWhatIsWorthAMessage() {
    var next = 0
    for _ in 0..<10 { next = proven(after: .zero) }
    #expect(next == HistoryChunk.byteCountMax)
    for _ in 0..<10 { next = proven(after: .seconds(60)) }
    #expect(next == Limiter.smallestByteCount)
  }

  /// An answer says nothing of the event: a proxy may have given it.
  @Test mutating func onlyWhatIsProvenChangesTheSize() {
    limiter.sent(byteCount: 1000, now: now)
    limiter.answered(now: now)
    #expect(limiter.byteCount == Limiter.firstByteCount)
    limiter.failed()
    #expect(limiter.byteCount == Limiter.firstByteCount)
  }

  /// It may have arrived, and Home Assistant's users know it again.
  @Test mutating func anEventIsSentAgainAsItWasBeforeItIsCut() {
    let sizes = [failed(), failed(), failed()]
    let first = Limiter.firstByteCount
    #expect(sizes == [first, first / 2, first / 4])
    for _ in 0..<10 { _ = failed() }
    #expect(limiter.byteCount == Limiter.smallestByteCount)
  }

  @Test mutating func aProofBeginsTheCountOfFailuresAnew() {
    _ = failed()
    _ = proven(after: .seconds(3))
    #expect(failed() == Limiter.firstByteCount)
  }

  /// What came after its answer failed is another message.
  @Test mutating func onlyAnEventThatHasNoAnswerFails() {
    for _ in 0..<3 {
      limiter.sent(byteCount: 1000, now: now)
      limiter.answered(now: now + .seconds(3))
      limiter.failed()
    }
    limiter.failed()
    #expect(limiter.byteCount == Limiter.firstByteCount)
  }

  @Test mutating func theNextOneWaitsUntilTheLastIsWithinItsShareOfTheLink() {
    #expect(limiter.nextAt <= now)
    limiter.sent(byteCount: 1000, now: now)
    #expect(limiter.nextAt <= now, "history may take all of it")
    limiter = HistoryRateLimiter(bytesPerMinute: 2000)
    #expect(limiter.nextAt <= now)
    now = now + .seconds(7)
    limiter.sent(byteCount: 1000, now: now)
    #expect(limiter.nextAt == now + .seconds(30))
  }
}

@Suite struct HistoryChunkTests {
  @Test(arguments: [0x01, 0x22, 0x41, 0x80] as [UInt8])
  func whateverSensorsAreCalledAChunkFitsIntoItsEvent(byte: UInt8) {
    var chunk = HistoryChunk()
    var count = 0
    while true {
      let slot = UInt8(truncatingIfNeeded: count)
      let name = [slot] + [UInt8](repeating: byte, count: 199)
      let entry = SpoolEntry(
        sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
        content: .reading(sensor: slot, .boolean(true)))
      guard chunk.append(entry, of: HistorySensor(uniqueID: name, name: name)) else { break }
      count += 1
    }
    var data = ByteBuffer(capacity: SensorTable.dataByteCountMax)
    chunk.write(into: &data, of: History.Device(id: [1], name: [2]))
    let (byteCount, isOverflowed) = (data.count, data.isOverflowed)
    #expect(!isOverflowed)
    #expect(byteCount <= HistoryChunk.byteCountMax)
    #expect(count > 5)
  }

  /// A consumer drops what it has by the first and the last number of an event: what has no number
  /// stands in an event of its own.
  @Test(
    arguments: [
      ([1, 2, 5], 3), ([nil, nil], 2), ([4, nil], 1), ([nil, 4], 1), ([4, 4], 1), ([4, 3], 1),
    ] as [([UInt64?], Int)])
  func oneEventHoldsNumbersThatRiseOrNone(numbers: [UInt64?], taken: Int) {
    var chunk = HistoryChunk()
    let sensor = HistorySensor(uniqueID: [UInt8]("a".utf8), name: [UInt8]("A".utf8))
    var count = 0
    for number in numbers {
      let entry = SpoolEntry(
        sequence: number, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
        content: .reading(sensor: 0, .boolean(true)))
      if chunk.append(entry, of: sensor) { count += 1 }
    }
    #expect(count == taken)
  }
}
