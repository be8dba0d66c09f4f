import Bytes
import ModelDisk
import Sensing
import Testing

@testable import Outbox

/// Files that the disk does not read, once or ever, or does not delete.
@Suite struct SpoolUnreadableTests {
  private static let segment = 4 << 10
  private static let numbers = Array(Int64(0)..<480)

  /// Some segments of which nothing was taken.
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

  /// A drive that will not read the file until a person has repaired it.
  @Test(arguments: Spool.Order.allCases)
  func aSegmentThatIsNeverReadKeepsNoOtherWaitingAndIsThereAtTheNextStart(order: Spool.Order) {
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

  /// The numbers of what is damaged are missing between two that are not.
  @Test(arguments: Spool.Order.allCases)
  func whatIsDamagedIsCountedOnceAndOnlyWhatWasNotDelivered(order: Spool.Order) {
    let rig = SpoolRig()
    rig.keep(0..<1000)
    for _ in 0..<100 { _ = rig.take() }
    rig.acknowledge()
    rig.keep(1000..<1500)
    let name = SegmentFile(first: 1).text
    let zeros = [UInt8](repeating: 0, count: 500)
    rig.disk.files[name]?.replaceSubrange(500..<1000, with: zeros)
    let harmless = rig.restarted(order: order)
    #expect(harmless.takeAll().count == 1400)
    #expect(harmless.losses.damagedByteCount > 0)
    #expect(harmless.losses.entryCount == 0)
    for place in [12_000, 20_000] {
      rig.disk.files[name]?.replaceSubrange(place..<place + 500, with: zeros)
    }
    let again = rig.restarted(order: order)
    let missing = 1400 - again.takeAll().count
    #expect(missing > 20)
    #expect(again.losses.entryCount == missing)
    again.spool.rewind()
    #expect(again.takeAll().count == 1400 - missing)
    #expect(again.losses.entryCount == missing)
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

  /// It is not known how long the file is; or what is in it, if the disk does not read it either.
  @Test(arguments: Spool.Order.allCases, [false, true])
  func aFileThatCannotBeLookedAtKeepsItsNumbersAndTheOthersAreTaken(
    order: Spool.Order, isRead: Bool
  ) {
    let disk = disk()
    for name in disk.files.keys {
      let rig = SpoolRig(disk.copy(), order: order, segment: Self.segment, opens: false)
      rig.spool = listed(rig.disk, unknown: name, order: order)
      rig.fault = { action in
        if case .read(let file, _, _) = action, file.text == name, !isRead { 5 } else { nil }
      }
      rig.settle()
      rig.keep([480])
      let taken = rig.takeAll()
      #expect(taken.last?.number == 480 || order == .newestFirst || !isRead)
      #expect(isRead ? taken.count == 481 : true, "\(name)")
      let rest = takeAll(of: rig)
      #expect(Set(taken.numbers + rest).isSuperset(of: [480]), "\(name)")
      rig.acknowledge()
      rig.keep([481])
      let well = self.rig(on: rig.disk, order: order)
      let left = well.takeAll()
      #expect(Set(taken.numbers + rest + left.numbers) == Set(0...481), "\(name)")
      let sequences = left.compactMap { $0.sequence }
      #expect(Set(sequences).count == sequences.count)
    }
  }

  /// A spool that was told of all the files, and of one of them not how long it is.
  private func listed(_ disk: ModelDisk, unknown: String, order: Spool.Order) -> Spool {
    let spool = Spool(
      device: .boat, order: order, segmentByteCount: Self.segment, seed: 1)
    #expect(spool.nextAction() == .list)
    for (name, bytes) in disk.files {
      let byteCount = name == unknown ? Spool.unknownByteCount : bytes.count
      let text = [UInt8](name.utf8)
      spool.fileFound(name: text.span, byteCount: byteCount)
    }
    spool.performed(now: Instant(nanoseconds: 0))
    return spool
  }

  // MARK: Files that cannot be deleted

  @Test(arguments: Spool.Order.allCases)
  func whatIsWrittenDoesNotWaitForAFileThatCannotBeDeleted(order: Spool.Order) {
    let rig = rig(on: disk(), order: order)
    let names = rig.disk.files.keys.sorted()
    rig.fault = { action in
      if case .delete(let file) = action, file.text == names[0] { 1 } else { nil }
    }
    #expect(rig.takeAll().count == 480)
    rig.acknowledge()
    #expect(rig.failure == DiskFailure(code: 1))
    rig.keep([480])
    #expect(rig.inMemory == 1)
    writeWhileTheDiskSaysNo(rig)
    #expect(rig.failure == nil)
    #expect(rig.deadline == nil)
    #expect(rig.disk.files.keys.contains(names[0]))
    #expect(!rig.disk.files.keys.contains(names[1]))
    #expect(rig.occupied == rig.disk.occupiedByteCount)
    let well = self.rig(on: rig.disk, order: order)
    #expect(!well.disk.files.keys.contains(names[0]))
    #expect(well.takeAll().count == 5)
  }

  /// One batch at each deadline, until the file is left alone.
  private func writeWhileTheDiskSaysNo(_ rig: SpoolRig) {
    for number in 481..<484 {
      rig.sleepUntilDeadline()
      #expect(rig.inMemory == 0)
      rig.keep([Int64(number)])
    }
    rig.sleepUntilDeadline()
    rig.keep([484])
    #expect(rig.inMemory == 0)
  }

  @Test func whatIsWrittenDoesNotWaitForALeftoverThatCannotBeDeleted() {
    let disk = disk()
    disk.files["0000000000000001.thinned"] = [UInt8](repeating: 0, count: 3000)
    let rig = SpoolRig(disk, segment: Self.segment, opens: false)
    rig.fault = { action in if case .delete = action { 5 } else { nil } }
    rig.settle()
    rig.keep([480])
    writeWhileTheDiskSaysNo(rig)
    #expect(rig.failure == nil)
    #expect(rig.occupied >= rig.disk.occupiedByteCount)
    #expect(!self.rig(on: disk, order: .oldestFirst).disk.files.keys.contains { $0.hasSuffix("d") })
  }

  /// The cap wants it gone. It is there, and it is delivered.
  @Test func whatCannotBeDroppedIsNotCountedAsDropped() {
    let rig = SpoolRig(cap: 48 << 10, segment: Self.segment)
    rig.fault = { action in
      if case .delete(SegmentFile(first: 1)) = action { 1 } else { nil }
    }
    for start in stride(from: Int64(0), to: 20_000, by: 50) {
      rig.keep(start..<start + 50)
      if rig.deadline != nil { rig.sleepUntilDeadline() }
    }
    #expect(rig.losses.dropped > 0)
    #expect(rig.inMemory == 0)
    #expect(rig.occupied <= 48 << 10)
    let taken = rig.takeAll().numbers
    #expect(taken.first ?? 50 < 50)
    #expect(taken.count + rig.losses.thinned + rig.losses.dropped == 20_000)
  }
}
