import Bytes
import Outbox
import Testing

@Suite struct AfterUploadTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  private func actions(of machine: inout AfterUpload) -> [AfterUpload.Action] {
    var actions: [AfterUpload.Action] = []
    while let action = machine.nextAction() { actions.append(action) }
    return actions
  }

  private func running(since now: Int64 = 0) -> AfterUpload {
    var machine = AfterUpload(timeout: .seconds(30))
    machine.uploadProven()
    #expect(actions(of: &machine) == [.start])
    machine.started(now: at(now))
    return machine
  }

  @Test func anUploadStartsIt() {
    var machine = running()
    #expect(machine.isRunning)
    machine.ended(.exited(status: 3))
    #expect(actions(of: &machine) == [.tell(.exited(status: 3))])
    #expect(!machine.isRunning)
    #expect(machine.deadline == nil)
  }

  @Test func thereAreNeverTwo() {
    var machine = running()
    for _ in 0..<3 { machine.uploadProven() }
    #expect(actions(of: &machine) == [])
    machine.ended(.exited(status: 0))
    #expect(actions(of: &machine) == [.tell(.exited(status: 0)), .start])
    machine.started(now: at(10))
    machine.ended(.exited(status: 0))
    #expect(actions(of: &machine) == [.tell(.exited(status: 0))])
  }

  @Test func anUploadBetweenTheOrderAndTheStartStartsNoOther() {
    var machine = AfterUpload(timeout: .seconds(30))
    machine.uploadProven()
    machine.uploadProven()
    #expect(actions(of: &machine) == [.start])
  }

  @Test func oneThatDoesNotEndIsAskedToAndThenKilled() {
    var machine = running(since: 100)
    #expect(machine.deadline == at(130))
    machine.deadlineReached(now: at(129))
    #expect(actions(of: &machine) == [])
    machine.deadlineReached(now: at(130))
    #expect(actions(of: &machine) == [.terminate])
    #expect(machine.deadline == at(135))
    machine.deadlineReached(now: at(135))
    #expect(actions(of: &machine) == [.kill])
    #expect(machine.isAwaited)
    machine.ended(.signaled(9))
    #expect(actions(of: &machine) == [.tell(.timedOut)])
    #expect(!machine.isAwaited)
  }

  /// One that waits in the kernel for a device that is gone is not even ended by SIGKILL. Else a
  /// board that waits for it would stay on for ever.
  private func unkillable() -> AfterUpload {
    var machine = running()
    for second in [30, 35, 39] { machine.deadlineReached(now: at(Int64(second))) }
    #expect(actions(of: &machine) == [.terminate, .kill])
    #expect(machine.isAwaited)
    #expect(machine.deadline == at(40))
    machine.deadlineReached(now: at(40))
    return machine
  }

  @Test func oneThatNothingEndsIsWaitedForNoLongerAndTold() {
    var machine = unkillable()
    #expect(actions(of: &machine) == [.tell(.stuck)])
    #expect(!machine.isAwaited)
    #expect(machine.deadline == nil)
    machine.deadlineReached(now: at(500))
    #expect(actions(of: &machine) == [])
  }

  /// All that it may take is what a moment to wake at has to leave it.
  @Test func noProgramIsWaitedForLongerThanTheLongest() {
    let longest = AfterUpload.longest(withTimeout: .seconds(30))
    #expect(at(0) + longest == at(40))
    #expect(!unkillable().isAwaited)
  }

  @Test func besideOneThatNothingEndsNoOtherIsStarted() {
    var machine = unkillable()
    machine.uploadProven()
    #expect(actions(of: &machine) == [.tell(.stuck)])
    machine.ended(.signaled(9))
    // That it did not end was told; that it did so late is no news.
    #expect(actions(of: &machine) == [.start])
  }

  @Test func oneThatNothingEndsDoesNotHoldUpTheEndOfTheAgent() {
    var machine = unkillable()
    machine.stopping(now: at(50))
    #expect(actions(of: &machine) == [.tell(.stuck)])
    #expect(!machine.isAwaited)
  }

  /// A program that tidies up and ends well was too slow all the same.
  @Test func oneThatEndsWhenItIsAskedToHasTimedOut() {
    var machine = running()
    machine.deadlineReached(now: at(30))
    machine.ended(.exited(status: 0))
    #expect(actions(of: &machine) == [.terminate, .tell(.timedOut)])
  }

  @Test func oneThatCannotBeStartedIsTriedAfterTheNextUpload() {
    var machine = AfterUpload(timeout: .seconds(30))
    machine.uploadProven()
    machine.uploadProven()
    #expect(actions(of: &machine) == [.start])
    machine.startFailed()
    #expect(actions(of: &machine) == [])
    #expect(!machine.isRunning)
    machine.uploadProven()
    #expect(actions(of: &machine) == [.start])
  }

  @Test func withTheAgentItEndsAndIsNotStartedAgain() {
    var machine = running()
    machine.uploadProven()
    machine.stopping(now: at(1))
    #expect(actions(of: &machine) == [.terminate])
    machine.ended(.signaled(15))
    #expect(actions(of: &machine) == [.tell(.abandoned)])
    machine.uploadProven()
    #expect(actions(of: &machine) == [])
  }
}
