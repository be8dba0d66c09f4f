import Bytes
import Testing

@testable import Outbox

/// What one write asks of the disk, and what becomes of its numbers.
@Suite struct SpoolWriterTests {
  /// The parts that a writer works on.
  private final class Parts {
    let directory = SegmentDirectory(of: .boat, byteCountCap: 1 << 20, segmentByteCount: 64 << 10)
    let ledger: SpoolLedger
    let memory = SpoolMemory(.reading)
    var writer: SpoolWriter
    var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)

    init() {
      ledger = SpoolLedger(.oldestFirst, directory)
      writer = SpoolWriter(directory, ledger, memory)
    }

    func record() {
      memory.name(0, [1])
      _ = memory.append(
        SpoolEntry(
          sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
          content: .reading(sensor: 0, .unknown)))
    }

    func next() -> Spool.Action {
      writer.nextAction(into: &outgoing)
    }

    func performed() -> Bool {
      writer.performed(&outgoing)
    }

    func failed() { writer.failed(outgoing) }

    var outgoingByteCount: Int { outgoing.count }
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
    #expect(parts.ledger.nextSequence == 2)
    #expect(parts.directory.newest.byteCount == parts.outgoingByteCount)
    parts.record()
    let second = parts.write()
    #expect(second == [.append(file), .synchronize(file)])
    #expect(parts.ledger.nextSequence == 3)
  }

  @Test func numbersThatMayBeOnTheDiskAreNotGivenAgain() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.record()
    parts.record()
    let byteCount = parts.directory.newest.byteCount
    #expect(parts.next() == .append(file))
    _ = parts.performed()
    #expect(parts.next() == .synchronize(file))
    parts.failed()
    #expect(parts.memory.count == 2)
    #expect(parts.ledger.nextSequence == 4)
    #expect(parts.ledger.entryCount == 1)
    // The segment is cut to what is certain before it takes more.
    #expect(parts.next() == .truncate(file, byteCount: byteCount))
    #expect(!parts.performed())
    let again = parts.write()
    #expect(again == [.append(file), .synchronize(file)])
    #expect(parts.ledger.nextSequence == 6)
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
    #expect(parts.directory.count == 0)
    #expect(parts.directory.nextLeftover == file)
    #expect(parts.next() == .create(SegmentFile(first: 2)))
  }

  @Test func aSegmentThatIsClosedTakesNoMore() {
    let parts = Parts()
    parts.record()
    _ = parts.write()
    parts.writer.close()
    parts.record()
    let actions = parts.write()
    #expect(actions.first == .create(SegmentFile(first: 2)))
    #expect(parts.directory.count == 2)
  }
}
