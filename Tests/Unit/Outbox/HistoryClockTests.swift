import Bytes
import Sensing
import Testing

@testable import Outbox

/// What becomes of the times of history where the clock was not right all the time. It begins as
/// one that was never set.
@Suite struct HistoryClockTests {
  private let rig: DeliveryRig
  private let level: SensorIndex

  init() throws {
    (rig, level) = try DeliveryRig.withLevel(isClockSynchronized: false)
  }

  @Test func entriesOfAnUnsureClockStandInAChunkOfTheirOwn() throws {
    rig.outage(level, 1...2)
    let again = try DeliveryRig(history: .forTests(kernelStart: 2), disk: rig.disk)
    again.clockIs(synchronized: true)
    let other = try again.sensor("level", 0)
    again.outage(other, 3...4)
    let chunks = try again.recoveredChunks()
    #expect(chunks.map(\.clock) == ["unset", "set"])
    #expect(chunks.map(\.numbers) == [[1, 2], [0, 3, 4]])
  }

  /// The kernel takes its word back after nine hours without the network.
  @Test func aClockThatTheNetworkHasSetStaysRightWithoutTheNetwork() throws {
    rig.clockIs(synchronized: true)
    rig.clockIs(synchronized: false)
    rig.outage(level, 1...2)
    #expect(try rig.recoveredChunks().map(\.clock) == ["set"])
  }

  @Test func aClockThatAPersonSetIsNotKnownToBeRight() throws {
    rig.clockIs(synchronized: true)
    rig.clockIs(synchronized: false, ahead: .seconds(100))
    rig.outage(level, 1...2)
    #expect(try rig.recoveredChunks().map(\.clock) == ["unset"])
  }

  @Test func whatWasReadBeforeTheClockWasSetIsPutRight() throws {
    rig.outage(level, 1...3)
    rig.record(level, 4)
    rig.clockIs(synchronized: true, ahead: .seconds(1_800_000_000))
    rig.record(level, 5)
    let chunks = try rig.recoveredChunks()
    #expect(chunks.allSatisfy { $0.clock == "set" })
    let readings = chunks.flatMap(\.readings)
    #expect(readings.map { $0[2] } == [1, 2, 3, 4, 5])
    let set = 1_800_000_000.0
    #expect(readings.map { $0[0] } == [set, set + 1, set + 2, set + 3, set + 3])
  }

  // MARK: What an earlier run kept

  /// A board without a clock begins with the time of its last shutdown, days old and plausible; the
  /// agent is restarted, and the network sets the clock later.
  @Test func whatAnEarlierRunOfThisStartOfTheKernelKeptIsPutRight() throws {
    let behind = Duration.seconds(-863_998)
    rig.clockIs(synchronized: false, ahead: behind)
    rig.outage(level, 1...3)
    let again = try DeliveryRig(disk: rig.disk, isClockSynchronized: false)
    again.now = rig.now
    again.clockIs(synchronized: false, ahead: behind)
    let other = try again.sensor("level", 0)
    again.outage(other, 4...5)
    again.clockIs(synchronized: true)
    let chunks = try again.recoveredChunks()
    #expect(chunks.allSatisfy { $0.clock == "set" })
    let readings = chunks.flatMap { $0.readings }
    let numbers: [Double] = [1, 2, 3, 4, 5]
    let times = numbers.map { (number: Double) -> Double in
      let reading = readings.first { reading in reading[2] == number }
      return reading?[0] ?? .infinity
    }
    let first = times[0]
    #expect(times.prefix(3) == [first, first + 1, first + 2])
    #expect(times.allSatisfy { $0 >= 0 && $0 < 60 }, "and not ten days ago: \(times)")
  }

  /// The clock of another start is not to be had any more.
  @Test func whatAnEarlierStartOfTheKernelKeptIsMarkedAsNotKnown() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-863_998))
    rig.outage(level, 1...3)
    let again = try DeliveryRig(history: .forTests(kernelStart: 2), disk: rig.disk)
    again.clockIs(synchronized: true)
    let chunks = try again.recoveredChunks().filter { $0.clock == "unset" }
    let times = chunks.flatMap { $0.readings }.map { reading -> Double in reading[0] ?? .infinity }
    #expect(times.count == 3)
    #expect(times.allSatisfy { $0 < -863_000 }, "\(times)")
  }

  /// There is no network, and no other program sets the clock.
  @Test func twoFixesWithTheSameTimeAreAClock() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.outage(level, 1...2)
    rig.record(.here(at: 2))
    rig.record(level, 3)
    rig.record(.here(at: 3))
    rig.record(level, 4)
    rig.cycleDue()
    let chunks = try rig.recoveredChunks().filter { !$0.readings.isEmpty }
    #expect(chunks.map(\.clock) == ["set"])
    #expect(chunks.flatMap(\.readings).map { $0[0] } == [0, 1, 2, 2])
  }

  /// A parked board keeps few of its fixes.
  @Test func fixesThatAreNotKeptAreAClockToo() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.outage(level, 1...2)
    for second in Int64(2)...3 {
      rig.delivery.history.fixLeftOut(.here(at: second))
      rig.record(level, second + 1)
    }
    rig.cycleDue()
    #expect(try rig.recoveredChunks().map(\.clock) == ["set"])
  }

  /// By which a power HAT wakes the board.
  @Test func theTimeOfTwoFixesIsTheBoards() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    let time = WallTime(nanoseconds: 5)
    var known: [(isTrusted: Bool, ahead: Duration)] = []
    for second in [Int64(2), 3] {
      rig.record(.here(at: second))
      let ahead = rig.delivery.history.corrected(time) - time
      known.append((rig.delivery.history.isClockTrusted, ahead))
    }
    #expect(known.map(\.isTrusted) == [false, true])
    #expect(known.map(\.ahead) == [.zero, .seconds(1000)])
  }

  @Test func twoFixesThatDisagreeAreNoClock() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.record(.here(at: 0))
    rig.record(.here(at: 0, saying: 500))
    rig.outage(level, 1...2)
    let chunks = try rig.recoveredChunks().filter { !$0.readings.isEmpty }
    #expect(chunks.map(\.clock) == ["unset"])
    #expect(chunks.flatMap(\.readings).map { $0[0] } == [-1000, -999])
  }

  /// Its error was that of another clock, of which nothing is left.
  @Test func aFixFromBeforeTheClockWasSetVouchesForNoOther() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.record(.here(at: 0))
    rig.clockIs(synchronized: false)
    rig.record(.here(at: 0, saying: 1000))
    rig.outage(level, 1...2)
    let chunks = try rig.recoveredChunks().filter { !$0.readings.isEmpty }
    #expect(chunks.map(\.clock) == ["unset"])
    #expect(chunks.flatMap(\.readings).map { $0[0] } == [0, 1])
  }

  @Test func whatWasReadFirstIsPutRightHoweverOftenTheClockIsSet() throws {
    rig.outage(level, 1...1)
    for step in 1...12 as ClosedRange<Int64> {
      rig.clockIs(synchronized: false, ahead: .seconds(100 * step))
    }
    rig.clockIs(synchronized: true, ahead: .seconds(2000))
    #expect(try rig.recoveredChunks().flatMap(\.readings).first?[0] == 2000)
  }

  @Test(arguments: [true, false])
  func whatTheReceiverToldIsNotPutRightASecondTimeByWhoSetsTheClock(isNetwork: Bool) throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.outage(level, 1...1)
    rig.record(.here(at: 1))
    rig.record(.here(at: 1))
    rig.outage(level, 2...2)
    rig.clockIs(synchronized: isNetwork)
    rig.outage(level, 3...3)
    let readings = try rig.recoveredChunks().flatMap(\.readings)
    #expect(readings.map { $0[0] } == [0, 1, 2])
  }

  /// The hours of the statistics end where the time jumps.
  @Test func thatTheReceiverToldTheTimeIsSeenWhenTheClocksAreRead() {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    rig.record(.here(at: 0))
    #expect(rig.readClocks() == false)
    rig.record(.here(at: 0))
    #expect(rig.readClocks() == true)
    #expect(rig.readClocks() == false)
    #expect(rig.correctedTime == WallTime(nanoseconds: rig.now.nanoseconds))
  }

  @Test func aClockThatWasRightAndDisagreesWithTheReceiverNowIsNot() throws {
    rig.clockIs(synchronized: true, ahead: .seconds(60))
    rig.clockIs(synchronized: false, ahead: .seconds(60))
    rig.record(.here(at: 0))
    rig.outage(level, 1...2)
    #expect(try rig.recoveredChunks().filter { !$0.readings.isEmpty }.map(\.clock) == ["unset"])
  }

  // MARK: The clock is set while history goes

  /// Three readings, of which the last goes with its cycle, and all are a chunk.
  private func chunkIsDue(_ numbers: ClosedRange<Int64> = 1...3) throws {
    for number in numbers { rig.record(level, number) }
    try rig.acceptedCycle()
  }

  @Test func aChunkThatWaitsIsPutRight() throws {
    try chunkIsDue()
    rig.clockIs(synchronized: true, ahead: .seconds(1000))
    try rig.acceptedCycle()
    try rig.recover()
    let chunks = rig.chunks()
    #expect(chunks.map(\.clock) == ["set"])
    #expect(chunks.flatMap(\.readings).map { $0[0] } == [1000, 1000, 1000])
  }

  @Test func aChunkThatIsUnderWayArrivesOnceAndAsItIs() throws {
    try chunkIsDue()
    rig.wake()
    rig.clockIs(synchronized: true, ahead: .seconds(1000))
    try rig.acceptAll()
    #expect(rig.events.contains(.historyProven(entries: 3)))
    #expect(rig.historyEntryCount == 0)
    try rig.recover()
    let chunks = rig.chunks()
    #expect(chunks.map(\.clock) == ["unset"])
    #expect(chunks.map(\.numbers) == [[1, 2, 3]])
  }

  /// It was taken out of memory for the chunk before, which had no room for it.
  @Test func theFirstEntryOfTheNextChunkIsPutRightToo() throws {
    try chunkIsDue(1...300)
    rig.wake()
    rig.clockIs(synchronized: true, ahead: .seconds(1000))
    try rig.acceptAll()
    try rig.recover()
    let later = rig.chunks().dropFirst().flatMap(\.readings)
    #expect(!later.isEmpty && later.allSatisfy { $0[0] == 1000 })
  }

  // MARK: Fixes whose time is not the receiver's

  @Test func aFixWithTheTimeOfItsArrivalIsNoClock() throws {
    rig.clockIs(synchronized: false, ahead: .seconds(-1000))
    for second in 2...3 { rig.record(.here(at: Int64(second), saying: 5000, by: .board)) }
    rig.outage(level, 1...1)
    #expect(try rig.recoveredChunks().map(\.clock).allSatisfy { $0 == "unset" })
  }

  @Test(arguments: [Int64.max / 1_000_000_000, Int64.min / 1_000_000_000, 1_000_000])
  func aReceiverThatContradictsTheNetworkByYearsIsNotBelieved(second: Int64) throws {
    rig.clockIs(synchronized: true)
    for _ in 0..<3 { rig.record(.here(at: 2, saying: second)) }
    rig.outage(level, 1...1)
    #expect(try rig.recoveredChunks().allSatisfy { $0.clock == "set" })
  }
}

/// What the clock makes of a receiver that says anything.
@Suite struct ClockMonitorTests {
  private var clock = ClockMonitor()

  init() { _ = clock.clockRead(Instant(nanoseconds: 0), WallTime(nanoseconds: 0)) }

  @Test(arguments: [true, false])
  mutating func aTimeThatTheBoardToldIsNoReceivers(isSynchronized: Bool) {
    clock.isSynchronized = isSynchronized
    let (board, receiver) = (clock.believes(.here(at: 0, by: .board)), clock.believes(.here(at: 0)))
    #expect(!board && receiver)
  }

  /// How long a report takes differs, and the clock is not moved by it.
  @Test mutating func aClockThatAgreesIsNotMoved() {
    let steps = [3, 3, 10, 10].map { clock.fixReported(.here(at: 0, saying: $0)) }
    #expect(steps == [nil, nil, nil, nil])
    #expect(clock.isTrusted && clock.ahead == .zero)
  }

  @Test(arguments: [(Int64(10), true), (11, false)])
  mutating func agreementIsTenSeconds(second: Int64, isTrusted: Bool) {
    _ = clock.fixReported(.here(at: 0, saying: second))
    #expect(clock.isTrusted == isTrusted)
  }

  @Test(arguments: [true, false], [Int64.min, .min + 1, -1, 0, .max])
  func noTimeOfAReceiverTraps(isSynchronized: Bool, first: Int64) {
    for second in [Int64.min, 0, .max] {
      for board in [Int64.min, 0, .max] {
        var clock = ClockMonitor()
        clock.isSynchronized = isSynchronized
        _ = clock.clockRead(Instant(nanoseconds: 0), WallTime(nanoseconds: board))
        for time in [first, second, second, first, first] {
          var fix = Fix.here(at: 0)
          fix.time = WallTime(nanoseconds: time)
          _ = clock.believes(fix)
          _ = clock.fixReported(fix)
          _ = clock.clockRead(Instant(nanoseconds: .max), WallTime(nanoseconds: time))
        }
      }
    }
  }
}
