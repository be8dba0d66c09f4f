import Bytes
import Sensing
import Testing

private func event(
  to level: Level, atMilliseconds time: UInt64, sequence: UInt32 = 1
) -> LineEvent {
  LineEvent(to: level, timestamp: time * 1_000_000, sequence: sequence)
}

@Suite struct LineEventTests {
  /// The kernel's clock of edges stands still while the board sleeps.
  @Test func anEdgeIsAsLateAsTheBoardSlept() {
    let event = LineEvent(
      to: .active, timestamp: 7_000_000, sequence: 1, asleep: .milliseconds(500))
    #expect(event.edge == Edge(to: .active, at: Instant(nanoseconds: 507_000_000)))
  }

  @Test func aTimestampBeyondTimeIsHeldAtItsEnd() {
    let event = LineEvent(to: .inactive, timestamp: .max, sequence: 1)
    #expect(event.edge == Edge(to: .inactive, at: Instant(nanoseconds: .max)))
  }
}

@Suite struct LineInputTests {
  /// Lets `input` read events and returns what settled, and whether it misses some.
  private func read(
    _ events: [LineEvent], into input: inout LineInput, now: Int64 = 1000
  ) -> (settled: [Edge], isIncomplete: Bool) {
    var settled: [Edge] = []
    for event in events {
      if let level = input.eventRead(event, now: at(now)) { settled.append(level) }
    }
    return (settled, input.readingEnded(now: at(now)))
  }
  private func makeInput() -> LineInput {
    var input = LineInput(debounce: .milliseconds(20))
    _ = input.levelRead(.inactive, now: at(0))
    return input
  }

  @Test func edgesInOrderMissNothing() {
    var input = makeInput()
    let events = [
      event(to: .active, atMilliseconds: 100, sequence: 1),
      event(to: .inactive, atMilliseconds: 200, sequence: 2),
    ]
    let result = read(events, into: &input)
    #expect(result.settled == [.init(to: .active, at: at(100))])
    #expect(!result.isIncomplete)
    #expect(input.deadline == at(220))
    let rest = read([event(to: .active, atMilliseconds: 225, sequence: 3)], into: &input)
    #expect(rest.settled == [.init(to: .inactive, at: at(200))])
    #expect(!rest.isIncomplete)
    #expect(input.deadlineReached(now: at(245)) == .init(to: .active, at: at(225)))
  }

  @Test func aGapInTheNumbersAsksForTheLevel() {
    var input = makeInput()
    let events = [
      event(to: .active, atMilliseconds: 100, sequence: 1),
      event(to: .inactive, atMilliseconds: 101, sequence: 4),
    ]
    #expect(read(events, into: &input).isIncomplete)
    // The edge back was dropped; the level that is read puts it right.
    #expect(input.levelRead(.active, now: at(110)) == nil)
    #expect(input.deadlineReached(now: at(130)) == .init(to: .active, at: at(110)))
  }

  /// A gap before the first event, a number after four billion edges, two rising edges in a row,
  /// and a gap that is reported once.
  @Test(
    arguments: [
      ([(.active, 3)], [true]), ([(.active, .max), (.inactive, 0)], [true, false]),
      ([(.active, 1), (.active, 2)], [false, true]),
      ([(.active, 3), (.inactive, 4)], [true, false]),
    ] as [([(Level, UInt32)], [Bool])])
  func aGapAsksForTheLevelOnce(events: [(Level, UInt32)], isIncomplete: [Bool]) {
    var input = makeInput()
    let found = events.enumerated().map { index, next in
      let time = 100 + UInt64(index)
      return read([event(to: next.0, atMilliseconds: time, sequence: next.1)], into: &input)
        .isIncomplete
    }
    #expect(found == isIncomplete)
  }

  @Test func aTimestampFromTheFutureIsNow() {
    var input = makeInput()
    let wallClock = event(to: .active, atMilliseconds: 1_700_000_000_000)
    _ = read([wallClock], into: &input, now: 1000)
    #expect(input.deadlineReached(now: at(1020)) == .init(to: .active, at: at(1000)))
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
