import Bytes
import ModelDisk
import Sensing
import Testing

@testable import Outbox

/// Files that the disk does not read, once or ever, or does not delete.
@Suite struct SpoolUnreadableTests {
  private static let segment = 4 << 10
  private static let numbers = Array(Int64(0)..<480)

  /// Some segments that nobody took anything of.
  private func disk() -> ModelDisk {
    let rig = SpoolRig(segment: Self.segment)
    for start in stride(from: Int64(0), to: 480, by: 40) { rig.keep(start..<start + 40) }
    return rig.disk
  }

  private func rig(on disk: ModelDisk, order: Spool.Order) -> SpoolRig {
    SpoolRig(disk.copy(), order: order, segment: Self.segment)
  }

  /// Takes all that there is, however often the disk has to be tried for it.
  private func takeAll(of rig: SpoolRig) -> [Int64] {
    var numbers = rig.takeAll().numbers
    while rig.deadline != nil {
      rig.sleepUntilDeadline()
      numbers += rig.takeAll().numbers
    }
    return numbers
  }

  @Test(arguments: Spool.Order.allCases)
  func oneReadThatFailsCostsNothing(order: Spool.Order) {
    let disk = disk()
    for victim in 0..<20 {
      var seen = 0
      let rig = SpoolRig(disk.copy(), order: order, segment: Self.segment, opens: false)
      rig.fault = { action in
        guard case .read = action else { return nil }
        seen += 1
        return seen == victim + 1 ? 5 : nil
      }
      rig.settle()
      rig.spool.rewind()
      let taken = takeAll(of: rig)
      #expect(taken.count == 480, "\(victim)")
      #expect(order == .newestFirst || taken == Self.numbers, "\(victim)")
      #expect(Set(taken) == Set(Self.numbers), "\(victim)")
      #expect(rig.losses == Spool.Losses(), "\(victim)")
      rig.acknowledge()
      #expect(rig.isEmpty, "\(victim)")
      if seen <= victim { return }
    }
    Issue.record("there are more reads than the test knows of")
  }

  /// A drive that will not read the file until somebody has seen to it.
  @Test(arguments: Spool.Order.allCases)
  func aSegmentThatIsNeverReadKeepsNobodyWaitingAndIsThereAtTheNextStart(order: Spool.Order) {
    let disk = disk()
    let names = disk.files.keys.sorted()
    #expect(names.count > 2)
    for name in names {
      let rig = rig(on: disk, order: order)
      rig.fault = { action in
        if case .read(let file, _, _) = action, file.text == name { 5 } else { nil }
      }
      var taken = takeAll(of: rig)
      rig.acknowledge()
      rig.keep(480..<500)
      // All of it was sent live as well, and proven.
      let mark = rig.spool.readable(upTo: rig.spool.end)
      taken += takeAll(of: rig)
      rig.spool.acknowledged(upTo: mark)
      rig.settle()
      rig.keep(500..<501)
      #expect(Set(taken).count == taken.count)
      #expect(Set(taken).isSuperset(of: 480..<500), "\(name)")
      #expect(rig.losses.unreadableSegments == 1, "\(name)")
      #expect(rig.losses.entryCount == 0)
      #expect(rig.disk.files[name] == disk.files[name], "\(name)")
      let missing = Set(Self.numbers).subtracting(taken)
      #expect((1..<200).contains(missing.count), "\(name)")
      // Again without it, then with a disk that is well.
      let worse = self.rig(on: rig.disk, order: order)
      worse.fault = rig.fault
      #expect(takeAll(of: worse) == [500], "\(name)")
      worse.acknowledge()
      // What is acknowledged is written with the next batch.
      worse.keep([501])
      let well = self.rig(on: worse.disk, order: order)
      #expect(Set(well.takeAll().numbers) == missing.union([501]), "\(name)")
      well.acknowledge()
      #expect(well.isEmpty)
      #expect(!well.disk.files.keys.contains(name))
    }
  }

  /// The header is read at the start, and the segment later.
  @Test(arguments: Spool.Order.allCases)
  func aHeaderThatIsNotReadCostsNothing(order: Spool.Order) {
    let disk = disk()
    for name in disk.files.keys {
      let rig = SpoolRig(disk.copy(), order: order, segment: Self.segment, opens: false)
      rig.fault = { action in
        if case .read(let file, 0, _) = action, file.text == name { 5 } else { nil }
      }
      rig.settle()
      rig.keep([480])
      #expect(Set(takeAll(of: rig)) == Set(0...480), "\(name)")
      rig.acknowledge()
      #expect(rig.isEmpty)
    }
  }

  @Test func moreSegmentsThanCanBeRememberedAreTriedForEver() {
    let rig = rig(on: disk(), order: .oldestFirst)
    rig.fault = { action in if case .read = action { 5 } else { nil } }
    for round in Int64(0)..<200 {
      #expect(rig.takeAll().isEmpty)
      rig.keep(480 + round * 20..<500 + round * 20)
      rig.sleepUntilDeadline()
      rig.acknowledge()
    }
    #expect(rig.losses.entryCount == 0)
    #expect((2...Spool.gapCountMax).contains(rig.losses.unreadableSegments))
    rig.fault = { _ in nil }
    let left = takeAll(of: rig)
    #expect(left.count > 2000)
    #expect(left == left.sorted())
    #expect(rig.restarted().takeAll().numbers == Array(0..<4480))
  }
}
