import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// When what is not proven goes to the disk, and when another cycle follows.
@Suite struct OpenBatchTests {
  let rig: DeliveryRig
  let level: SensorIndex

  init() throws {
    (rig, level) = try DeliveryRig.withLevel()
  }

  /// The cycle goes on, and what it proves is not sent again.
  @Test func aCycleThatIsNotProvenInTimeIsOnTheDisk() throws {
    rig.record(level, 1)
    rig.cycleDue()
    #expect(rig.deadline == rig.now + Delivery.proofTimeout)
    rig.sleep(Delivery.proofTimeout - .milliseconds(1))
    rig.wake()
    #expect(!rig.hasWritten)
    rig.sleep(.milliseconds(1))
    rig.wake()
    #expect(rig.hasWritten)
    #expect(rig.historyEntryCount == 1)
    let appends = rig.diskActions.count { if case .append = $0 { true } else { false } }
    #expect(appends == 1)
    try rig.acceptAll()
    #expect(rig.historyEntryCount == 0)
    try rig.acceptedCycle()
    rig.wake()
    #expect(rig.isIdle && rig.chunks().isEmpty)
  }

  /// Of what was written, a proof shows what was recorded before its cycle.
  @Test func aProofReleasesNothingThatWasRecordedAndWrittenSince() throws {
    let other = try rig.sensor("other", 1)
    try rig.acceptedCycle()
    rig.record(level, 1)
    rig.cycleDue()
    rig.record(other, 2)
    rig.sleep(Delivery.proofTimeout)
    rig.wake()
    #expect(rig.hasWritten)
    try rig.acceptAll()
    #expect(rig.historyEntryCount == 1)
    let again = try DeliveryRig(disk: rig.disk.copy())
    #expect(again.historyEntryCount == 2, "what is released is written with the next batch")
    try rig.acceptedCycle()
    #expect(rig.historyEntryCount == 0)
    #expect(rig.chunks().isEmpty)
  }

  @Test func aCycleThatWasDueMeanwhileFollowsAtOnce() throws {
    rig.record(level, 1)
    rig.cycleDue()
    rig.record(level, 2)
    rig.sleep(.seconds(1))
    rig.cycleDue()
    try rig.accept()
    #expect(rig.underWay == .states)
    #expect(rig.sent.last?.contains(#""state":2"#) == true)
    // It was recorded before the cycle was due.
    rig.sleep(Delivery.proofTimeout)
    rig.wake()
    #expect(rig.hasWritten)
    try rig.acceptAll()
    #expect(rig.isIdle)
    #expect(rig.historyEntryCount == 0)
  }

  @Test func aCycleThatWasDueMeanwhileAndBringsNothingIsNotSent() throws {
    rig.record(level, 1)
    rig.urgentChange()
    rig.cycleDue()
    try rig.accept()
    #expect(rig.isIdle)
    #expect(rig.deadline == nil)
  }

  /// What was replaced before it was sent begins the cycle that follows, out of memory.
  @Test func aChunkThatIsReadyGoesWithTheCycleThatFollowsAndIsNotWritten() throws {
    rig.record(level, 1)
    rig.record(level, 2)
    rig.cycleDue()
    rig.record(level, 3)
    rig.cycleDue()
    try rig.accept()
    #expect(rig.underWay == .states)
    rig.record(level, 4)
    rig.cycleDue()
    try rig.accept()
    #expect(rig.underWay == .history)
    try rig.acceptAll()
    #expect(rig.chunks().flatMap(\.numbers).contains(1))
    #expect(!rig.hasWritten)
  }

  /// Where each cycle takes longer than its interval, another one always follows.
  @Test func historyIsNotHeldUpByCyclesThatFollowAtOnce() throws {
    rig.outage(level, 1...3)
    rig.forgetWhatWasToldSoFar()
    rig.record(level, 4)
    try rig.sleepUntilDeadline()
    for number in Int64(5)...9 {
      rig.record(level, number)
      rig.cycleDue()
      while rig.underWay != nil, rig.underWay != .states { try rig.accept() }
      try rig.accept()
    }
    #expect(rig.chunks().flatMap(\.numbers).contains(1))
  }

  @Test func aProofThatIsOnItsWayWhenACycleIsDueKeepsTheDiskFromBeingWrittenTo() throws {
    rig.record(level, 1)
    rig.urgentChange()
    rig.cycleDue()
    #expect(rig.deadline == rig.now + Delivery.proofTimeout)
    rig.sleep(.seconds(1))
    try rig.acceptAll()
    rig.sleep(Delivery.proofTimeout)
    rig.wake()
    #expect(rig.underWay == nil)
    #expect(!rig.hasWritten)
  }

  /// A chunk may take as long as the network lets it, and the power may go meanwhile.
  @Test func aChunkFromMemoryThatIsNotProvenInTimeIsWritten() throws {
    rig.record(level, 1)
    rig.record(level, 2)
    rig.cycleDue()
    try rig.acceptAll()
    rig.wake()
    #expect(rig.underWay == .history)
    #expect(!rig.hasWritten)
    rig.cycleDue()
    rig.sleep(Delivery.proofTimeout)
    rig.wake()
    #expect(rig.hasWritten)
    try rig.acceptAll()
    try rig.recover()
    #expect(rig.historyEntryCount == 0)
    #expect(rig.chunks().flatMap(\.numbers).contains(1))
  }

  /// The first cycle of a fresh board is due while it registers.
  @Test func aRegistrationThatComesAtOnceCostsNoWrite() throws {
    rig.record(level, 1)
    rig.delivery.cyclePostponed(now: rig.now)
    rig.settle()
    rig.sleep(.seconds(1))
    rig.delivery.registrationReplaced(.sealed, now: rig.now)
    rig.cycleDue()
    try rig.acceptAll()
    #expect(!rig.hasWritten)
    #expect(rig.historyEntryCount == 0)
    #expect(rig.chunks().isEmpty)
  }

  @Test func aRegistrationThatTakesLongerIsNotWaitedFor() throws {
    rig.record(level, 1)
    rig.delivery.cyclePostponed(now: rig.now)
    #expect(rig.delivery.diskDeadline == rig.now + Delivery.proofTimeout)
    rig.sleep(Delivery.proofTimeout)
    rig.delivery.diskDeadlineReached(now: rig.now)
    rig.settle()
    #expect(rig.hasWritten)
  }

  @Test func aRegistrationThatFailsIsNotWaitedFor() throws {
    rig.record(level, 1)
    rig.delivery.cyclePostponed(now: rig.now)
    rig.delivery.registrationFailed(now: rig.now)
    rig.settle()
    #expect(rig.hasWritten)
  }

  /// Every wake-up asked whether there is an urgent change, and there always was.
  @Test func withoutARegistrationAnUrgentChangeCostsNoWriteAtEachWakeUp() throws {
    let bilge = try #require(rig.delivery.batch.declare(.plain("bilge", isUrgent: true)))
    rig.delivery.registrationFailed(now: rig.now)
    rig.record(bilge, 1)
    #expect(rig.delivery.batch.hasUrgentChange)
    rig.delivery.batch.urgentChangePostponed()
    for second in 1...10 {
      rig.sleep(.seconds(1))
      rig.record(.here(at: Int64(second)))
      #expect(!rig.delivery.batch.hasUrgentChange)
      rig.delivery.diskDeadlineReached(now: rig.now)
      rig.settle()
    }
    #expect(!rig.hasWritten)
    rig.delivery.cyclePostponed(now: rig.now)
    rig.settle()
    #expect(rig.diskActions.filter { if case .append = $0 { true } else { false } }.count == 1)
  }
}
