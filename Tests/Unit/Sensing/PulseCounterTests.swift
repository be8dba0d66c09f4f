import Bytes
import Sensing
import Testing

/// A line with a counter, whose edges are numbered as the kernel does.
private struct CountedLine: ~Copyable {
  var counter: PulseCounter
  private var sequence: UInt32 = 0

  init(minWidth: Duration = .zero, count: Int64 = 0) {
    counter = PulseCounter(minWidth: minWidth, count: count, now: at(0))
    counter.levelRead(.inactive, now: at(0))
  }

  mutating func lose(_ edges: UInt32) { sequence &+= edges }

  /// The kernel has these edges; rising ones are positive.
  mutating func read(_ edges: [Int64], now: Int64? = nil) {
    let now = at(now ?? Int64(edges.last?.magnitude ?? 0))
    for edge in edges {
      sequence &+= 1
      counter.eventRead(
        LineEvent(
          to: edge >= 0 ? .active : .inactive, timestamp: UInt64(edge.magnitude) * 1_000_000,
          sequence: sequence),
        now: now)
    }
    counter.readingEnded(now: now)
  }
}

@Suite struct PulseCounterTests {
  @Test func withoutAMinimumWidthEachRisingEdgeIsAPulse() {
    var line = CountedLine(count: 40)
    #expect(line.counter.needsBothEdges == false)
    line.read([100, 101, 900])
    #expect(line.counter.count == 43)
    #expect(line.counter.firstPulse == at(100))
    #expect(line.counter.lastPulse == at(900))
    line.counter.cycleEnded()
    #expect(line.counter.firstPulse == nil)
    #expect(line.counter.lastPulse == at(900))
  }

  /// The kernel numbers the edges that it drops, too; a number that goes back is no gap, and a full
  /// total stays so.
  @Test(
    arguments: [
      ([100], 5000, [1000], 0, 5002), ([], 2, [100], 0, 3), ([1, 2, 3], .max - 2, [4], 0, 4),
      ([1, 2], 0, [3], .max - 1, .max),
    ] as [([Int64], UInt32, [Int64], Int64, Int64)])
  func edgesThatTheKernelDroppedAreCountedByTheirNumber(
    before: [Int64], lost: UInt32, after: [Int64], start: Int64, count: Int64
  ) {
    var line = CountedLine(count: start)
    line.read(before)
    line.lose(lost)
    line.read(after)
    #expect(line.counter.count == count)
  }

  @Test func numbersThatStartAnewAfterFourBillionEdgesAreNoPulses() {
    var line = CountedLine()
    line.lose(.max / 2 - 1)
    line.read([1])
    line.lose(.max / 2 - 1)
    line.read([2])
    let before = line.counter.count
    #expect(before == Int64(UInt32.max) - 1)
    line.read([3, 4, 5])
    #expect(line.counter.count == before + 3)
  }

  /// Too short a pulse, too short a pause, and the reed of a rain gauge, which bounces when it
  /// closes and when it opens.
  @Test(
    arguments: [
      ([100, -104, 200, -205], 200), ([100, -120, 123, -140], 100),
      ([100, -101, 102, -103, 104, -204, 205, -206, 207, -208], 104),
    ] as [([Int64], Int64)])
  func aContactThatBouncesCountsOnce(edges: [Int64], last: Int64) {
    var line = CountedLine(minWidth: .milliseconds(5))
    #expect(line.counter.needsBothEdges == true)
    line.read(edges, now: 300)
    #expect(line.counter.count == 1)
    #expect(line.counter.lastPulse == at(last))
  }

  @Test func aPulseUnderWayCountsOnceItHasLasted() {
    var line = CountedLine(minWidth: .milliseconds(5))
    line.read([100], now: 104)
    #expect(line.counter.count == 0)
    line.read([], now: 105)
    #expect(line.counter.count == 1)
    line.read([-200], now: 300)
    #expect(line.counter.count == 1)
  }

  @Test func aLineThatIsActiveWhenItIsOpenedHasNoPulseYet() {
    var line = CountedLine(minWidth: .milliseconds(5))
    line.counter.levelRead(.active, now: at(0))
    line.read([-100, 200, -300], now: 400)
    #expect(line.counter.count == 1)
  }

  @Test(arguments: [
    // Two pulses, between them some that the kernel had no room for, each 10 ms long.
    (lost: 98, from: -110, to: 1100, minWidth: 5, count: 51),
    // The same edges are too close together for their width.
    (98, -110, 1100, 11, 2),
    // A rising edge is known, so that a falling one is the first that is lost.
    (97, 100, 1100, 5, 50),
    (97, 100, 1100, 11, 1),
    (1, 100, 1100, 5, 2),
  ])
  func edgesThatAreLostCountAsFarApartAsTheyWere(
    lost: Int, from: Int64, to: Int64, minWidth: Int, count: Int64
  ) {
    var line = CountedLine(minWidth: .milliseconds(minWidth))
    line.read(from < 0 ? [80, from] : [from])
    line.lose(UInt32(lost))
    line.read([to], now: 2000)
    #expect(line.counter.count == count)
  }

  @Test func aPulseAfterAGapIsOneWhateverWasLost() {
    for lost: UInt32 in [1, 2, 3, 1000] {
      var line = CountedLine(minWidth: .milliseconds(20))
      line.read([100, -150])
      line.lose(lost)
      // The edges of the gap are closer together than a pulse is long.
      line.read([151, -200], now: 300)
      #expect(line.counter.count == 2, "\(lost)")
    }
  }

  @Test func anEdgeFromTheFutureIsNow() {
    var line = CountedLine()
    line.read([5000], now: 1000)
    #expect(line.counter.lastPulse == at(1000))
  }

  @Test func aLineThatIsOpenedAnewKeepsItsTotalAndNumbersFromOne() {
    var line = CountedLine()
    line.read([100, 200, 300])
    line.counter.levelRead(.inactive, now: at(400))
    #expect(line.counter.lastPulse == nil)
    let next = LineEvent(to: .active, timestamp: 500_000_000, sequence: 1)
    line.counter.eventRead(next, now: at(600))
    #expect(line.counter.count == 4)
  }

  // MARK: How often a line is read

  @Test func aLineThatRestsIsReadInTheCyclesOnly() {
    var line = CountedLine()
    #expect(line.counter.deadline == nil)
    line.read([], now: 60_000)
    #expect(line.counter.deadline == nil)
  }

  /// At 4 edges a second a quarter of what the kernel keeps comes in 64 s.
  @Test func aLineIsReadBeforeTheKernelHasToDropEdges() {
    var line = CountedLine()
    line.read((1...240).map { Int64($0) * 250 }, now: 60_000)
    #expect(line.counter.deadline == at(60_000 + 64_000))
    line.read([], now: 124_000)
    #expect(line.counter.deadline == nil)
  }

  @Test func aLineIsNeverReadMoreOftenThanTenTimesASecond() {
    var line = CountedLine()
    line.lose(1_000_000)
    line.read([1000])
    #expect(line.counter.deadline == at(1000) + PulseCounter.readInterval)
    #expect(line.counter.excessEdgesPerSecond == 1_000_001)
  }

  @Test func aCycleRightBehindADeadlineMakesNoRateOfItsOwn() {
    var line = CountedLine()
    line.read((1...240).map { Int64($0) * 250 }, now: 60_000)
    let deadline = line.counter.deadline
    line.read([60_010], now: 60_010)
    #expect(line.counter.deadline == deadline)
  }

  @Test(arguments: [(2000, nil), (2001, 2001)] as [(Int, Int?)])
  func moreEdgesThanAMeterHasAreTold(count: Int, told: Int?) {
    var line = CountedLine()
    line.lose(UInt32(count - 1))
    line.read([1000])
    #expect(line.counter.excessEdgesPerSecond == told)
    #expect(line.counter.count == count)
  }

  /// 10,000 edges a second for ten minutes.
  @Test func aStormIsCountedToTheLastEdge() {
    var line = CountedLine()
    var now: Int64 = 0
    for _ in 0..<6000 {
      now += 100
      line.lose(1000 - 64)
      line.read((1...64).map { now - 64 + $0 }, now: now)
      #expect(line.counter.deadline == at(now + 100))
    }
    #expect(line.counter.count == 6_000_000)
    #expect(line.counter.excessEdgesPerSecond == 10_000)
  }
}
