import Bytes
import ModelDisk
import Sensing
import Testing

@testable import Outbox

/// A spool that is still being looked at when the first cycle of the agent is proven.
@Suite struct HistoryOpeningTests {
  private final class Rig {
    let disk: ModelDisk
    var history: History
    let now = Instant(nanoseconds: 1)

    /// On what an earlier run left: 2000 readings in many segments.
    init() {
      let former = SpoolRig(segment: 4 << 10)
      for start in stride(from: Int64(0), to: 2000, by: 100) {
        former.keep(start..<start + 100)
      }
      disk = former.disk.copy()
      history = History(
        History.Device(id: [1], name: [1]),
        spool: Spool(device: .boat, sliceByteCount: 4096, seed: 1))
    }

    /// What the agent does of it in one wake-up.
    func wakeUp() throws {
      history.spool.deadlineReached(now: now)
      while let action = history.nextAction() {
        try disk.perform(action, for: history.spool)
        history.spool.performed(now: now)
      }
    }

    var isPaused: Bool { history.deadline.map { $0 <= now } ?? false }
    var isChunkDue: Bool { history.isChunkDue(now: now) }
    var entryCount: Int { history.entryCount }
    func prove() {
      history.spool.cycleBegan()
      history.proven(isIncomplete: false)
    }
  }

  @Test func whatIsLeftGoesAfterThatProofAndNotAfterTheNext() throws {
    let rig = Rig()
    try rig.wakeUp()
    #expect(rig.isPaused)
    #expect(rig.entryCount >= 1)
    rig.prove()
    var wakeUps = 0
    while !rig.isChunkDue, wakeUps < 200 {
      try rig.wakeUp()
      wakeUps += 1
    }
    #expect(rig.isChunkDue)
    #expect(wakeUps > 3)
    #expect(rig.entryCount == 2000)
  }

  /// Without a proof it waits, and the disk is left alone.
  @Test func whatIsLeftWaitsForAProof() throws {
    let rig = Rig()
    for _ in 0..<200 { try rig.wakeUp() }
    #expect(!rig.isPaused)
    #expect(!rig.isChunkDue)
    #expect(rig.entryCount == 2000)
  }
}
