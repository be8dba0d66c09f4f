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

  private func rig(on disk: ModelDisk) -> SpoolRig {
    SpoolRig(disk.copy(), segment: Self.segment)
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

  /// The numbers that stand in a file.
  private func numbers(in bytes: [UInt8]?, _ name: String) -> [Int64] {
    let disk = ModelDisk()
    disk.files[name.replacing(".aside", with: ".spool")] = bytes
    return SpoolRig(disk).takeAll().numbers
  }

  /// A file that only a repair of the card makes readable.
  @Test func aSegmentThatIsNeverReadIsSetAsideCountedAndKeepsNoOtherWaiting() {
    let disk = disk()
    let names = disk.files.keys.sorted()
    #expect(names.count > 2)
    for name in names {
      let rig = rig(on: disk)
      rig.fault = { action in
        if case .read(let file, _, _) = action, file.text == name { 5 } else { nil }
      }
      rig.keep(480..<500)
      let taken = takeAll(of: rig)
      rig.acknowledge()
      let missing = Set(0..<500).subtracting(taken)
      #expect((1..<200).contains(missing.count), "\(name)")
      #expect(taken == taken.sorted())
      #expect(rig.losses.unreadable >= missing.count, "\(name)")
      #expect(rig.losses.entryCount == rig.losses.unreadable)
      #expect(rig.losses.setAside == 1)
      #expect(rig.isEmpty, "\(name)")
      // All of it is there for a person.
      let aside = name.replacing("spool", with: "aside")
      let bytes = rig.disk.files[aside]
      #expect(bytes?.starts(with: disk.files[name] ?? [0]) == true, "\(name)")
      #expect(rig.disk.files[name] == nil, "\(name)")
      #expect(missing.isSubset(of: numbers(in: bytes, aside)))
      // The next start goes on behind it.
      rig.keep([500])
      let well = self.rig(on: rig.disk)
      #expect(well.takeAll().numbers == [500], "\(name)")
      #expect(well.disk.files[aside] == bytes)
    }
  }

  /// It is unplugged, or mounted read-only, for hours.
  @Test func aDiskThatDoesNothingForAWhileLosesNothing() {
    let rig = rig(on: disk())
    rig.fault = { _ in 5 }
    for _ in 0..<30 {
      #expect(rig.takeAll().isEmpty)
      #expect(rig.failure == DiskFailure(code: 5))
      rig.sleepUntilDeadline()
    }
    #expect(rig.losses == Spool.Losses())
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    #expect(rig.takeAll().numbers == Self.numbers)
    #expect(rig.failure == nil)
    rig.acknowledge()
    #expect(rig.isEmpty)
  }

  /// It has the numbers of the entries to itself, also where it was the only one.
  @Test func noNumberOfASegmentThatWasSetAsideIsGivenAgain() {
    let rig = SpoolRig()
    rig.keep(0..<10)
    rig.fault = { action in if case .read = action { 5 } else { nil } }
    #expect(takeAll(of: rig).isEmpty)
    rig.fault = { _ in nil }
    let again = rig.restarted()
    again.keep([10])
    #expect((again.takeAll().first?.sequence ?? 0) > 10)
    rig.keep([10])
    #expect(rig.takeAll().map(\.sequence) == [11])
    #expect(rig.disk.files.keys.sorted() == ["0000000000000001.aside", "000000000000000b.spool"])
  }

  /// A disk that reads nothing: what is set aside takes its room of the cap, and not all of it.
  @Test func whatIsSetAsideTakesNoMoreThanAQuarterOfTheCap() {
    let cap = 64 << 10
    let rig = SpoolRig(cap: cap, segment: Self.segment)
    rig.fault = { action in if case .read = action { 5 } else { nil } }
    for start in stride(from: Int64(0), to: 4000, by: 20) {
      rig.keep(start..<start + 20)
      #expect(rig.takeAll().isEmpty)
      rig.sleepUntilDeadline()
    }
    let aside = rig.disk.files.filter { $0.key.hasSuffix(".aside") }
    let byteCount = aside.values.reduce(0) { $0 + Spool.occupiedByteCount(of: $1.count) }
    #expect((1...cap / 4).contains(byteCount), "\(byteCount)")
    #expect(rig.peakByteCount <= cap)
    // Nothing is missing that was not counted.
    rig.fault = { _ in nil }
    let left = takeAll(of: rig)
    #expect(left == left.sorted())
    #expect(left.count + rig.losses.unreadable + rig.losses.dropped >= 4000)
  }

  /// The header is read at the start, and the segment later.
  @Test func aHeaderThatIsNotReadCostsNothing() {
    let disk = disk()
    for name in disk.files.keys {
      let rig = SpoolRig(disk.copy(), segment: Self.segment, opens: false)
      rig.fault = { action in
        if case .read(let file, 0, _) = action, file.text == name { 5 } else { nil }
      }
      rig.settle()
      rig.keep([480])
      #expect(takeAll(of: rig) == Array(0...480), "\(name)")
      rig.acknowledge()
      #expect(rig.isEmpty)
    }
  }

  /// It is not known how long the file is; or what is in it, if the disk does not read it either.
  @Test(arguments: [false, true])
  func aFileThatCannotBeLookedAtKeepsItsNumbersAndTheOthersAreTaken(isRead: Bool) {
    let disk = disk()
    for name in disk.files.keys {
      let rig = SpoolRig(disk.copy(), segment: Self.segment, opens: false)
      rig.spool = listed(rig.disk, unknown: name)
      rig.fault = { action in
        if case .read(let file, _, _) = action, file.text == name, !isRead { 5 } else { nil }
      }
      rig.settle()
      rig.keep([480])
      let taken = takeAll(of: rig)
      let aside = name.replacing("spool", with: "aside")
      let rest = numbers(in: rig.disk.files[aside], aside)
      #expect(Set(taken + rest) == Set(0...480), "\(name)")
      #expect(taken.last == 480)
      #expect(rest.isEmpty == isRead, "\(name)")
      #expect(rig.losses.unreadable >= rest.count)
      rig.acknowledge()
      rig.keep([481])
      let left = self.rig(on: rig.disk).takeAll()
      #expect(left.numbers == [481], "\(name)")
    }
  }

  /// A spool that was told of all the files, and of one of them not how long it is.
  private func listed(_ disk: ModelDisk, unknown: String) -> Spool {
    let spool = Spool(device: .boat, segmentByteCount: Self.segment, seed: 1)
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

  @Test func whatIsWrittenDoesNotWaitForAFileThatCannotBeDeleted() {
    let rig = rig(on: disk())
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
    let well = self.rig(on: rig.disk)
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
    #expect(!self.rig(on: disk).disk.files.keys.contains { $0.hasSuffix("d") })
  }

  /// The cap wants it gone. It stays, takes its room, and the next one has to go.
  @Test func whatTheCapDropsAndTheDiskDoesNotDeleteIsCounted() {
    let cap = 48 << 10
    let rig = SpoolRig(cap: cap, segment: Self.segment)
    rig.fault = { action in
      if case .delete(SegmentFile(first: 1)) = action { 1 } else { nil }
    }
    for start in stride(from: Int64(0), to: 20_000, by: 50) {
      rig.keep(start..<start + 50)
      if rig.deadline != nil { rig.sleepUntilDeadline() }
    }
    #expect(rig.losses.dropped > 0)
    #expect(rig.inMemory == 0)
    #expect(rig.occupied <= cap && rig.peakByteCount <= cap)
    #expect(rig.disk.files.keys.contains(SegmentFile(first: 1).text))
    #expect(rig.takeAll().count + rig.losses.dropped == 20_000)
  }
}
