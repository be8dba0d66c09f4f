import Bytes
import Sensing
import Testing

/// The bytes of one event as the kernel of a little-endian machine writes them.
func lineEvent(id: UInt32, atNanoseconds time: UInt64, sequence: UInt32) -> [UInt8] {
  func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
  let numbers = [id, 17, 1000 &+ sequence, sequence].flatMap { bytes($0 as UInt32) }
  return bytes(time) + numbers + [UInt8](repeating: 0xAA, count: 24)
}

private func event(id: UInt32, atMilliseconds time: UInt64, sequence: UInt32 = 1) -> [UInt8] {
  lineEvent(id: id, atNanoseconds: time * 1_000_000, sequence: sequence)
}

@Suite struct LineEventTests {
  @Test func risingAndFallingAreTheOnlyEdges() throws {
    func parse(_ id: UInt32) throws -> Edge {
      try LineEvent(parsing: event(id: id, atMilliseconds: 7).span).edge
    }
    let instant = Instant(nanoseconds: 7_000_000)
    #expect(try parse(1) == Edge(to: .active, at: instant))
    #expect(try parse(2) == Edge(to: .inactive, at: instant))
    for id: UInt32 in [0, 3, 256, .max] {
      #expect(throws: LineEventError.unknownEdge(id)) { try parse(id) }
    }
  }

  @Test func theEventsOfALineAreCounted() throws {
    let bytes = event(id: 1, atMilliseconds: 1, sequence: 0x0102_0304)
    #expect(try LineEvent(parsing: bytes.span).sequence == 0x0102_0304)
  }

  /// The kernel's clock of edges stands still while the board sleeps.
  @Test func anEdgeIsAsLateAsTheBoardSlept() throws {
    let bytes = event(id: 1, atMilliseconds: 7)
    let edge = try LineEvent(parsing: bytes.span, asleep: .milliseconds(500)).edge
    #expect(edge.instant == Instant(nanoseconds: 507_000_000))
  }

  @Test func aTimestampBeyondTimeIsHeldAtItsEnd() throws {
    var bytes = event(id: 1, atMilliseconds: 0)
    for index in 0..<8 { bytes[index] = 0xFF }
    #expect(try LineEvent(parsing: bytes.span).edge.instant == Instant(nanoseconds: .max))
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
  private func makeInput() -> LineInput {
    var input = LineInput(debounce: .milliseconds(20))
    _ = input.levelRead(.inactive, now: at(0))
    return input
  }

  @Test func theFirstLevelIsThereAtOnceAndTheSameOneNotAgain() {
    var input = LineInput(debounce: .milliseconds(20))
    #expect(input.levelRead(.active, now: at(5)) == .init(.active, since: at(5)))
    #expect(input.levelRead(.active, now: at(6)) == nil)
    #expect(input.deadline == nil)
  }

  @Test func edgesInOrderMissNothing() throws {
    var input = makeInput()
    let events = [
      event(id: 1, atMilliseconds: 100, sequence: 1),
      event(id: 2, atMilliseconds: 200, sequence: 2),
    ]
    let result = try read(events, into: &input)
    #expect(result.settled == [.init(.active, since: at(100))])
    #expect(!result.isIncomplete)
    #expect(input.deadline == at(220))
    let rest = try read([event(id: 1, atMilliseconds: 225, sequence: 3)], into: &input)
    #expect(rest.settled == [.init(.inactive, since: at(200))])
    #expect(!rest.isIncomplete)
    #expect(input.deadlineReached(now: at(245)) == .init(.active, since: at(225)))
  }

  @Test func aGapInTheNumbersAsksForTheLevel() throws {
    var input = makeInput()
    let events = [
      event(id: 1, atMilliseconds: 100, sequence: 1),
      event(id: 2, atMilliseconds: 101, sequence: 4),
    ]
    #expect(try read(events, into: &input).isIncomplete)
    // The edge back was dropped; the level that is read puts it right.
    #expect(input.levelRead(.active, now: at(110)) == nil)
    #expect(input.deadlineReached(now: at(130)) == .init(.active, since: at(110)))
  }

  @Test func aGapBeforeTheFirstEventIsNoticed() throws {
    var input = makeInput()
    let late = event(id: 1, atMilliseconds: 100, sequence: 3)
    #expect(try read([late], into: &input).isIncomplete)
  }

  @Test func numbersThatStartAnewAfterFourBillionEdgesAreNoGap() throws {
    var input = makeInput()
    _ = try read([event(id: 1, atMilliseconds: 1, sequence: .max)], into: &input)
    let next = event(id: 2, atMilliseconds: 2, sequence: 0)
    #expect(try !read([next], into: &input).isIncomplete)
  }

  @Test func twoRisingEdgesInARowAskForTheLevel() throws {
    var input = makeInput()
    #expect(try !read([event(id: 1, atMilliseconds: 100, sequence: 1)], into: &input).isIncomplete)
    #expect(try read([event(id: 1, atMilliseconds: 101, sequence: 2)], into: &input).isIncomplete)
  }

  @Test(arguments: [1, 47, 49, 95])
  func halfAnEventIsAFault(byteCount: Int) throws {
    var input = makeInput()
    input.buffer.appendZeros(byteCount)
    #expect(throws: LineEventError.torn) { try read([], into: &input) }
    // What was torn is gone: the next whole event is read from its start.
    #expect(try !read([event(id: 1, atMilliseconds: 5)], into: &input).isIncomplete)
  }

  @Test func anEdgeOfAnUnknownKindIsAFaultAndWhatCameBeforeItCounts() throws {
    var input = makeInput()
    var settled: [Debouncer.Settled] = []
    input.buffer.append(event(id: 1, atMilliseconds: 100, sequence: 1))
    input.buffer.append(event(id: 2, atMilliseconds: 200, sequence: 2))
    input.buffer.append(event(id: 7, atMilliseconds: 300, sequence: 3))
    do {
      _ = try input.eventsRead(now: at(400)) { settled.append($0) }
      Issue.record("7 is no edge")
    } catch {
      #expect(error == .unknownEdge(7))
    }
    #expect(settled == [.init(.active, since: at(100))])
  }

  @Test func aTimestampFromTheFutureIsNow() throws {
    var input = makeInput()
    let wallClock = event(id: 1, atMilliseconds: 1_700_000_000_000)
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
