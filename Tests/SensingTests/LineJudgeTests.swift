import Bytes
import Sensing
import Testing

/// The bytes of one event as the kernel of a little-endian machine writes them.
private func event(
  _ format: LineEventFormat, id: UInt32, atMilliseconds time: UInt64, sequence: UInt32 = 0
) -> [UInt8] {
  func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
  let head = bytes(time * 1_000_000) + bytes(id)
  switch format {
  case .version1: return head + [0xAA, 0xAA, 0xAA, 0xAA]
  case .version2:
    let numbers = [17, 1000 &+ sequence, sequence].flatMap { bytes($0 as UInt32) }
    return head + numbers + [UInt8](repeating: 0xAA, count: 24)
  }
}

@Suite struct LineEventTests {
  @Test(arguments: [LineEventFormat.version1, .version2])
  func risingAndFallingAreTheOnlyEdges(format: LineEventFormat) throws {
    func parse(_ id: UInt32) throws -> Edge {
      try LineEvent(parsing: event(format, id: id, atMilliseconds: 7).span, format: format).edge
    }
    let instant = Instant(nanoseconds: 7_000_000)
    #expect(try parse(1) == Edge(to: .active, at: instant))
    #expect(try parse(2) == Edge(to: .inactive, at: instant))
    for id: UInt32 in [0, 3, 256, .max] {
      #expect(throws: LineEventError.unknownEdge(id)) { try parse(id) }
    }
  }

  @Test func theSecondVersionCountsTheEventsOfTheLine() throws {
    let bytes = event(.version2, id: 1, atMilliseconds: 1, sequence: 0x0102_0304)
    #expect(try LineEvent(parsing: bytes.span, format: .version2).sequence == 0x0102_0304)
    let old = event(.version1, id: 1, atMilliseconds: 1)
    #expect(try LineEvent(parsing: old.span, format: .version1).sequence == nil)
  }

  @Test func aTimestampBeyondTimeIsHeldAtItsEnd() throws {
    var bytes = event(.version1, id: 1, atMilliseconds: 0)
    for index in 0..<8 { bytes[index] = 0xFF }
    let parsed = try LineEvent(parsing: bytes.span, format: .version1)
    #expect(parsed.edge.instant == Instant(nanoseconds: .max))
  }
}

@Suite struct LineJudgeTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  /// Lets `judge` read events and returns what settled, and whether it misses some.
  private func read(
    _ events: [[UInt8]], into judge: inout LineJudge, now: Int64 = 1000
  ) throws -> (settled: [Debouncer.Settled], isIncomplete: Bool) {
    for event in events { judge.input.append(event) }
    var settled: [Debouncer.Settled] = []
    let isIncomplete = try judge.eventsRead(now: at(now)) { settled.append($0) }
    return (settled, isIncomplete)
  }
  private func makeJudge(_ format: LineEventFormat) -> LineJudge {
    var judge = LineJudge(format: format, debounce: .milliseconds(20))
    _ = judge.levelRead(.inactive, now: at(0))
    return judge
  }

  @Test func edgesInOrderMissNothing() throws {
    var judge = makeJudge(.version2)
    let events = [
      event(.version2, id: 1, atMilliseconds: 100, sequence: 1),
      event(.version2, id: 2, atMilliseconds: 200, sequence: 2),
    ]
    let result = try read(events, into: &judge)
    #expect(result.settled == [.init(.active, since: at(100))])
    #expect(!result.isIncomplete)
    #expect(judge.deadline == at(220))
    let rest = try read([event(.version2, id: 1, atMilliseconds: 225, sequence: 3)], into: &judge)
    #expect(rest.settled == [.init(.inactive, since: at(200))])
    #expect(!rest.isIncomplete)
    #expect(judge.deadlineReached(now: at(245)) == .init(.active, since: at(225)))
  }

  @Test func aGapInTheNumbersAsksForTheLevel() throws {
    var judge = makeJudge(.version2)
    let events = [
      event(.version2, id: 1, atMilliseconds: 100, sequence: 1),
      event(.version2, id: 2, atMilliseconds: 101, sequence: 4),
    ]
    #expect(try read(events, into: &judge).isIncomplete)
    // The edge back was dropped; the level that is read puts it right.
    #expect(judge.levelRead(.active, now: at(110)) == nil)
    #expect(judge.deadlineReached(now: at(130)) == .init(.active, since: at(110)))
  }

  @Test func aGapBeforeTheFirstEventIsNoticed() throws {
    var judge = makeJudge(.version2)
    let late = event(.version2, id: 1, atMilliseconds: 100, sequence: 3)
    #expect(try read([late], into: &judge).isIncomplete)
  }

  @Test func numbersThatStartAnewAfterFourBillionEdgesAreNoGap() throws {
    var judge = makeJudge(.version2)
    _ = try read([event(.version2, id: 1, atMilliseconds: 1, sequence: .max)], into: &judge)
    let next = event(.version2, id: 2, atMilliseconds: 2, sequence: 0)
    #expect(try !read([next], into: &judge).isIncomplete)
  }

  @Test func twoRisingEdgesInARowAskForTheLevel() throws {
    var judge = makeJudge(.version1)
    let rising = event(.version1, id: 1, atMilliseconds: 100)
    #expect(try !read([rising], into: &judge).isIncomplete)
    #expect(try read([rising], into: &judge).isIncomplete)
  }

  @Test func aFullQueueOfTheFirstVersionAsksForTheLevel() throws {
    var judge = makeJudge(.version1)
    let events = (1...UInt64(LineJudge.eventsPerReadMax)).map { number in
      event(.version1, id: number.isMultiple(of: 2) ? 2 : 1, atMilliseconds: 100 + number)
    }
    #expect(try read(events, into: &judge).isIncomplete)
  }

  @Test(arguments: [1, 15, 17, 31])
  func halfAnEventIsAFault(byteCount: Int) throws {
    var judge = makeJudge(.version1)
    judge.input.appendZeros(byteCount)
    #expect(throws: LineEventError.torn) { try read([], into: &judge) }
    // What was torn is gone: the next whole event is read from its start.
    #expect(try !read([event(.version1, id: 1, atMilliseconds: 5)], into: &judge).isIncomplete)
  }

  @Test func anEdgeNobodyKnowsIsAFaultAndWhatCameBeforeItCounts() throws {
    var judge = makeJudge(.version1)
    var settled: [Debouncer.Settled] = []
    judge.input.append(event(.version1, id: 1, atMilliseconds: 100))
    judge.input.append(event(.version1, id: 2, atMilliseconds: 200))
    judge.input.append(event(.version1, id: 7, atMilliseconds: 300))
    do {
      _ = try judge.eventsRead(now: at(400)) { settled.append($0) }
      Issue.record("7 is no edge")
    } catch {
      #expect(error == .unknownEdge(7))
    }
    #expect(settled == [.init(.active, since: at(100))])
  }

  @Test func aTimestampFromTheFutureIsNow() throws {
    var judge = makeJudge(.version1)
    let wallClock = event(.version1, id: 1, atMilliseconds: 1_700_000_000_000)
    _ = try read([wallClock], into: &judge, now: 1000)
    #expect(judge.deadlineReached(now: at(1020)) == .init(.active, since: at(1000)))
  }

  @Test func anAddressIsSaidAsItIsWritten() {
    let name = GPIOLineAddress.name([UInt8]("GPIO17"))
    #expect(name.text == [UInt8]("GPIO17"))
    #expect(name.uniqueID == [UInt8]("gpio_gpio17"))
    let chip = GPIOLineAddress.chip(label: [UInt8]("pinctrl-bcm2711"), offset: 4_294_967_295)
    #expect(chip.text == [UInt8]("pinctrl-bcm2711/4294967295"))
    #expect(chip.uniqueID == [UInt8]("gpio_pinctrl_bcm2711_4294967295"))
  }
}
