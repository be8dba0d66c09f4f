import Bytes
import Testing

@testable import Outbox

/// What one write asks of the disk, and what becomes of its numbers.
@Suite struct SpoolWriterTests {
  /// The parts that a writer works on.
  private final class Parts {
    let log = SpoolLog(of: .boat, byteCountCap: 1 << 20, segmentByteCount: 64 << 10)
    let memory = SpoolMemory(.reading)
    let writer: SpoolWriter

    init() { writer = SpoolWriter(log, memory) }

    func record() {
      memory.name(0, [1])
      _ = memory.append(
        .reading(sensor: 0, .unknown), at: WallTime(nanoseconds: 0), isTimeTrusted: true)
    }

    func next() -> Spool.Action { writer.nextAction() }
    func performed() -> Bool { writer.performed() }
    func failed() { writer.failed() }

    var outgoingByteCount: Int { writer.outgoing.count }
    var isWanted: Bool { writer.isWanted }

    /// One write that succeeds.
    func write() -> [Spool.Action] {
      var actions: [Spool.Action] = []
      repeat { actions.append(next()) } while !performed()
      return actions
    }
  }

  private let file = SegmentFile(first: 1)

  @Test func theFirstBatchMakesTheFileAndTheNextOnlyAddsToIt() {
    let parts = Parts()
    #expect(!parts.isWanted)
    parts.record()
    #expect(parts.isWanted)
    let first = parts.write()
    #expect(
      first == [.create(file), .synchronizeDirectory, .append(file), .synchronize(file)])
    #expect(!parts.isWanted)
    #expect(parts.log.next == 2)
    #expect(parts.log.newest.byteCount == parts.outgoingByteCount)
    parts.record()
    let second = parts.write()
    #expect(second == [.append(file), .synchronize(file)])
    #expect(parts.log.next == 3)
  }

  @Test func numbersThatMayBeOnTheDiskAreNotGivenAgain() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.record()
    parts.record()
    let byteCount = parts.log.newest.byteCount
    #expect(parts.next() == .append(file))
    _ = parts.performed()
    #expect(parts.next() == .synchronize(file))
    parts.failed()
    #expect(parts.memory.count == 2)
    #expect(parts.log.next == 4)
    #expect(parts.log.waitingCount == 1)
    // The segment is cut to what is certain before it takes more.
    #expect(parts.next() == .truncate(file, byteCount: byteCount))
    #expect(!parts.performed())
    let again = parts.write()
    #expect(again == [.append(file), .synchronize(file)])
    #expect(parts.log.next == 6)
    #expect(parts.memory.count == 0)
  }

  @Test func aFileOfNothingIsLeftToBeDeletedAndItsNameIsNotUsedAgain() {
    let parts = Parts()
    parts.record()
    #expect(parts.next() == .create(file))
    _ = parts.performed()
    #expect(parts.next() == .synchronizeDirectory)
    _ = parts.performed()
    #expect(parts.next() == .append(file))
    parts.failed()
    #expect(parts.log.count == 0)
    #expect(parts.log.nextRemoval == .delete(file))
    #expect(parts.next() == .create(SegmentFile(first: 2)))
  }

  @Test func aSegmentThatWasSetAsideTakesNoMore() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.log.wasSetAside(0)
    parts.record()
    let actions = parts.write()
    #expect(actions.first == .create(SegmentFile(first: 2)))
    #expect(parts.log.segments.map(\.first) == [2])
  }

  /// It went between the write that failed and the next one: nothing is cut.
  @Test func aSegmentThatWasSetAsideIsNotCut() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.record()
    _ = parts.next()
    parts.failed()
    parts.log.wasSetAside(0)
    #expect(parts.next() == .create(SegmentFile(first: 3)))
  }

  /// Nothing but its header stands in it, and its number was not given.
  @Test func twoFilesNeverHaveOneName() {
    let parts = Parts()
    parts.log.created()
    parts.log.written(SegmentHeader.byteCount, entryCount: 0, acknowledged: 0)
    parts.record()
    #expect(parts.next() == .create(SegmentFile(first: 2)))
    #expect(parts.log.waitingCount == 0)
  }

  @Test func whereTheNewestCannotBeCutAnotherIsMade() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.record()
    _ = parts.next()
    parts.failed()
    let byteCount = parts.log.newest.byteCount
    #expect(parts.next() == .truncate(file, byteCount: byteCount))
    parts.failed()
    #expect(parts.next() == .create(SegmentFile(first: 3)))
  }
}
