import Bytes
import Sensing
import Testing

@Suite struct OutputLineTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  private func makeLine(safe: Level = .inactive, maxOn: Duration? = nil) -> OutputLine {
    var line = OutputLine(safe: safe, maxOn: maxOn)
    line.opened()
    return line
  }

  /// What is to be done now; nil where it is nothing, or more than one thing.
  private func action(_ line: inout OutputLine) -> Level? {
    let action = line.nextAction()
    return line.nextAction() == nil ? action : nil
  }

  @Test(arguments: [Level.inactive, .active])
  func aLineIsSafeUntilACommandComes(safe: Level) {
    var line = makeLine(safe: safe)
    #expect(line.wanted == safe)
    #expect(line.nextAction() == nil)
    #expect(line.deadline == nil)
  }

  @Test func aCommandBeforeThereIsALineDoesNothing() {
    var line = OutputLine(safe: .inactive, maxOn: nil)
    #expect(line.onRequested(now: at(0)) == false)
    #expect(line.offRequested() == false)
    line.deadlineReached(now: at(0))
    line.stopped()
    #expect(line.nextAction() == nil)
    #expect(line.wanted == nil)
    line.opened()
    #expect(line.wanted == .inactive)
  }

  @Test func withoutALongestTimeALineStaysOn() {
    var line = makeLine()
    #expect(line.onRequested(now: at(0)) == true)
    #expect(action(&line) == .active)
    #expect(line.deadline == nil)
    line.deadlineReached(now: at(1_000_000))
    #expect(line.wanted == .active)
    #expect(line.offRequested() == true)
    #expect(action(&line) == .inactive)
  }

  @Test func aLineGoesOffWhenItsLongestTimeIsOver() {
    var line = makeLine(maxOn: .seconds(600))
    #expect(line.onRequested(now: at(100)) == true)
    #expect(action(&line) == .active)
    #expect(line.deadline == at(700))
    line.deadlineReached(now: at(699))
    #expect(line.nextAction() == nil)
    #expect(line.wanted == .active)
    line.deadlineReached(now: at(700))
    #expect(action(&line) == .inactive)
    #expect(line.deadline == nil)
    line.deadlineReached(now: at(701))
    #expect(line.nextAction() == nil)
  }

  @Test func aSecondCommandCountsFromItsOwnTime() {
    var line = makeLine(maxOn: .seconds(600))
    _ = line.onRequested(now: at(0))
    _ = line.onRequested(now: at(500))
    #expect(line.deadline == at(1100))
  }

  @Test(arguments: [(nil, 5, 5), (600, 5, 5), (600, 3600, 600)] as [(Int64?, Int64, Int64)])
  func aPulseEndsAndIsNeverLongerThanTheLongestTime(maxOn: Int64?, pulse: Int64, until: Int64) {
    var line = makeLine(maxOn: maxOn.map { .seconds($0) })
    #expect(line.onRequested(for: .seconds(pulse), now: at(0)) == true)
    #expect(line.deadline == at(until))
    line.deadlineReached(now: at(until))
    #expect(line.wanted == .inactive)
  }

  @Test func switchedOffALineHasNoDeadline() {
    var line = makeLine(maxOn: .seconds(600))
    _ = line.onRequested(now: at(0))
    _ = line.offRequested()
    #expect(line.deadline == nil)
  }

  @Test(arguments: [Level.inactive, .active])
  func whenTheAgentEndsALineIsSafe(safe: Level) {
    var line = makeLine(safe: safe)
    _ = safe == .active ? line.offRequested() : line.onRequested(now: at(0))
    line.stopped()
    #expect(action(&line) == safe)
  }

  @Test func aLineThatWasLostIsSafeWhenItIsBack() {
    var line = makeLine(maxOn: .seconds(600))
    _ = line.onRequested(now: at(0))
    line.lost()
    #expect(line.nextAction() == nil)
    #expect(line.deadline == nil)
    line.opened()
    #expect(line.wanted == .inactive)
    #expect(line.deadline == nil)
    #expect(line.nextAction() == nil)
  }
}
