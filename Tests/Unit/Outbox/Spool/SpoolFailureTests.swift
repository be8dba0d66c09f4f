import Bytes
import Sensing
import Testing

@testable import Outbox

/// A disk that is full, read-only or broken.
@Suite struct SpoolFailureTests {
  /// What the spool asks of a disk in the life below.
  enum Kind: CaseIterable {
    case list, read, create, append, synchronize, synchronizeDirectory, truncate, delete

    init?(_ action: Spool.Action) {
      switch action {
      case .list: self = .list
      case .read: self = .read
      case .create: self = .create
      case .append: self = .append
      case .synchronize: self = .synchronize
      case .synchronizeDirectory: self = .synchronizeDirectory
      case .truncate: self = .truncate
      case .delete: self = .delete
      case .setAside: return nil
      }
    }
  }

  @Test func aReadOnlyDiskDegradesToMemoryAndSaysSo() {
    let rig = SpoolRig()
    rig.keep([1])
    rig.fault = { action in if case .append = action { 30 } else { nil } }
    rig.keep([2, 3])
    #expect(rig.failure == DiskFailure(code: 30))
    #expect(rig.inMemory == 2)
    let taken = rig.takeAll()
    #expect(taken.numbers == [1, 2, 3])
    #expect(taken.map { $0.sequence } == [1, nil, nil])
    rig.acknowledge()
    #expect(rig.takeAll().isEmpty)
    #expect(rig.inMemory == 0)
  }

  @Test func theDiskIsTriedAgainLessAndLessOften() throws {
    let rig = SpoolRig()
    rig.fault = { _ in 5 }
    rig.keep([1])
    var waits: [Duration] = []
    for _ in 0..<12 {
      let deadline = try #require(rig.deadline)
      waits.append(deadline - rig.now)
      rig.sleepUntilDeadline()
    }
    #expect(waits[0] <= Spool.firstRetryDelay)
    #expect(waits[11] > Spool.longestRetryDelay / 2)
    #expect(waits.allSatisfy { $0 <= Spool.longestRetryDelay })
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    #expect(rig.failure == nil)
    #expect(rig.deadline == nil)
    #expect(rig.inMemory == 0)
    #expect(rig.restarted().takeAll().numbers == [1])
  }

  /// Whatever the disk refuses, at whatever time, nothing is lost and no number is given twice.
  @Test(arguments: Kind.allCases)
  func aStepThatFailsCostsNothing(kind: Kind) {
    for victim in 0..<40 {
      var seen = 0
      let rig = SpoolRig(cap: 64 << 10, segment: 4 << 10, opens: false)
      rig.fault = { action in
        guard Kind(action) == kind else { return nil }
        seen += 1
        return seen == victim + 1 ? 5 : nil
      }
      var given: [UInt64: Int64] = [:]
      var got: Set<Int64> = []
      func note(_ taken: [SpoolRig.Taken]) {
        for entry in taken {
          guard let number = entry.number else { continue }
          got.insert(number)
          guard let sequence = entry.sequence else { continue }
          #expect(given[sequence] ?? number == number, "\(victim)")
          given[sequence] = number
        }
      }
      rig.settle()
      for round in Int64(0)..<12 {
        rig.keep(round * 40..<round * 40 + 40)
        if rig.deadline != nil { rig.sleepUntilDeadline() }
        if round % 4 == 1 {
          note(rig.takeAll())
          rig.acknowledge()
        }
      }
      let last = rig.restarted()
      note(last.takeAll())
      let missing = Set(0..<480).subtracting(got)
      #expect(missing.isEmpty, "\(victim)")
      if seen <= victim { return }
    }
  }

  @Test func aDiskThatIsFullAfterAnyNumberOfBytesLosesNothing() {
    for room in stride(from: 0, to: 900, by: 7) {
      let rig = SpoolRig()
      rig.disk.freeByteCount = room
      for number in Int64(1)...12 { rig.keep([number]) }
      rig.sleepUntilDeadline()
      let before = rig.restarted().takeAll()
      rig.disk.freeByteCount = .max
      rig.sleepUntilDeadline()
      #expect(rig.failure == nil)
      let taken = rig.restarted().takeAll()
      #expect(taken.numbers == Array(1...12), "room for \(room)")
      for entry in before {
        #expect(taken.first { $0.sequence == entry.sequence }?.number == entry.number ?? -1)
      }
    }
  }

  @Test func filesThatCouldNeverBeWrittenToDoNotPileUp() {
    let rig = SpoolRig(cap: 48 << 10, segment: 4 << 10)
    rig.fault = { action in
      switch action {
      case .append, .truncate: 28
      default: nil
      }
    }
    rig.keep([1])
    for _ in 0..<40 { rig.sleepUntilDeadline() }
    #expect(rig.occupied <= 48 << 10)
    #expect(rig.disk.files.count <= 1)
    #expect(rig.losses.dropped == 0)
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    rig.keep([2])
    #expect(rig.restarted().takeAll().numbers == [1, 2])
  }

  @Test func aSegmentThatAPersonDeletedIsReplacedByANewOne() {
    let rig = SpoolRig()
    rig.keep([1])
    rig.disk.files = [:]
    rig.keep([2])
    for _ in 0..<2 { rig.sleepUntilDeadline() }
    #expect(rig.failure == nil)
    #expect(rig.restarted().takeAll().numbers == [2])
  }

  @Test func aDirectoryThatCannotBeListedIsListedLater() {
    let disk = SpoolRig()
    disk.keep([1])
    let rig = disk.restarted(opens: false)
    rig.fault = { action in action == .list ? 13 : nil }
    rig.settle()
    #expect(rig.failure == DiskFailure(code: 13))
    rig.keep([2])
    #expect(rig.takeAll().numbers == [2])
    rig.spool.rewind()
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    #expect(rig.failure == nil)
    #expect(rig.takeAll().numbers == [1, 2])
  }
}
