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

@Suite struct LineInputTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  /// Lets `input` read events and returns what settled, and whether it misses some.
  private func read(
    _ events: [[UInt8]], into input: inout LineInput, now: Int64 = 1000
  ) throws -> (settled: [Debouncer.Settled], isIncomplete: Bool) {
    for event in events { input.buffer.append(event) }
    var settled: [Debouncer.Settled] = []
    let isIncomplete = try input.eventsRead(now: at(now)) { settled.append($0) }
    return (settled, isIncomplete)
  }
  private func makeInput(_ format: LineEventFormat) -> LineInput {
    var input = LineInput(format: format, debounce: .milliseconds(20))
    _ = input.levelRead(.inactive, now: at(0))
    return input
  }

  @Test func theFirstLevelIsThereAtOnceAndTheSameOneNotAgain() {
    var input = LineInput(format: .version2, debounce: .milliseconds(20))
    #expect(input.levelRead(.active, now: at(5)) == .init(.active, since: at(5)))
    #expect(input.levelRead(.active, now: at(6)) == nil)
    #expect(input.deadline == nil)
  }

  @Test func edgesInOrderMissNothing() throws {
    var input = makeInput(.version2)
    let events = [
      event(.version2, id: 1, atMilliseconds: 100, sequence: 1),
      event(.version2, id: 2, atMilliseconds: 200, sequence: 2),
    ]
    let result = try read(events, into: &input)
    #expect(result.settled == [.init(.active, since: at(100))])
    #expect(!result.isIncomplete)
    #expect(input.deadline == at(220))
    let rest = try read([event(.version2, id: 1, atMilliseconds: 225, sequence: 3)], into: &input)
    #expect(rest.settled == [.init(.inactive, since: at(200))])
    #expect(!rest.isIncomplete)
    #expect(input.deadlineReached(now: at(245)) == .init(.active, since: at(225)))
  }

  @Test func aGapInTheNumbersAsksForTheLevel() throws {
    var input = makeInput(.version2)
    let events = [
      event(.version2, id: 1, atMilliseconds: 100, sequence: 1),
      event(.version2, id: 2, atMilliseconds: 101, sequence: 4),
    ]
    #expect(try read(events, into: &input).isIncomplete)
    // The edge back was dropped; the level that is read puts it right.
    #expect(input.levelRead(.active, now: at(110)) == nil)
    #expect(input.deadlineReached(now: at(130)) == .init(.active, since: at(110)))
  }

  @Test func aGapBeforeTheFirstEventIsNoticed() throws {
    var input = makeInput(.version2)
    let late = event(.version2, id: 1, atMilliseconds: 100, sequence: 3)
    #expect(try read([late], into: &input).isIncomplete)
  }

  @Test func numbersThatStartAnewAfterFourBillionEdgesAreNoGap() throws {
    var input = makeInput(.version2)
    _ = try read([event(.version2, id: 1, atMilliseconds: 1, sequence: .max)], into: &input)
    let next = event(.version2, id: 2, atMilliseconds: 2, sequence: 0)
    #expect(try !read([next], into: &input).isIncomplete)
  }

  @Test func twoRisingEdgesInARowAskForTheLevel() throws {
    var input = makeInput(.version1)
    let rising = event(.version1, id: 1, atMilliseconds: 100)
    #expect(try !read([rising], into: &input).isIncomplete)
    #expect(try read([rising], into: &input).isIncomplete)
  }

  @Test func aFullQueueOfTheFirstVersionAsksForTheLevel() throws {
    var input = makeInput(.version1)
    let events = (1...UInt64(LineInput.eventsPerReadMax)).map { number in
      event(.version1, id: number.isMultiple(of: 2) ? 2 : 1, atMilliseconds: 100 + number)
    }
    #expect(try read(events, into: &input).isIncomplete)
  }

  @Test(arguments: [1, 15, 17, 31])
  func halfAnEventIsAFault(byteCount: Int) throws {
    var input = makeInput(.version1)
    input.buffer.appendZeros(byteCount)
    #expect(throws: LineEventError.torn) { try read([], into: &input) }
    // What was torn is gone: the next whole event is read from its start.
    #expect(try !read([event(.version1, id: 1, atMilliseconds: 5)], into: &input).isIncomplete)
  }

  @Test func anEdgeOfAnUnknownKindIsAFaultAndWhatCameBeforeItCounts() throws {
    var input = makeInput(.version1)
    var settled: [Debouncer.Settled] = []
    input.buffer.append(event(.version1, id: 1, atMilliseconds: 100))
    input.buffer.append(event(.version1, id: 2, atMilliseconds: 200))
    input.buffer.append(event(.version1, id: 7, atMilliseconds: 300))
    do {
      _ = try input.eventsRead(now: at(400)) { settled.append($0) }
      Issue.record("7 is no edge")
    } catch {
      #expect(error == .unknownEdge(7))
    }
    #expect(settled == [.init(.active, since: at(100))])
  }

  @Test func aTimestampFromTheFutureIsNow() throws {
    var input = makeInput(.version1)
    let wallClock = event(.version1, id: 1, atMilliseconds: 1_700_000_000_000)
    _ = try read([wallClock], into: &input, now: 1000)
    #expect(input.deadlineReached(now: at(1020)) == .init(.active, since: at(1000)))
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
