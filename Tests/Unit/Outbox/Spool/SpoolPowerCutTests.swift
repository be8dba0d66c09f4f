import ModelDisk
import Bytes
import Sensing
import Testing

@testable import Outbox

/// The power goes, again and again, at any moment.
@Suite struct SpoolPowerCutTests {
  @Test func noNumberIsGivenTwiceAndNothingThatWasKeptIsLost() throws {
    for seed in UInt64(0)..<180 {
      var life = Life(seed: seed, cap: 1 << 20)
      for _ in 0..<12 { life.untilThePowerGoes() }
      life.inTheEnd()
      if life.losses > 0 { life.break("something was dropped below the cap") }
      try #require(life.broken == nil, "seed \(seed)")
    }
  }

  @Test func noNumberIsGivenTwiceWhileTheOldestIsDropped() throws {
    var losses = 0
    for seed in UInt64(0)..<180 {
      var life = Life(seed: seed, cap: 24 << 10)
      for _ in 0..<12 { life.untilThePowerGoes() }
      life.takeTheRest()
      losses += life.losses
      try #require(life.broken == nil, "seed \(seed)")
    }
    #expect(losses > 400)
  }

  /// The power goes at any moment while a file that is never read is set aside.
  @Test func whatIsSetAsideIsThereAfterAPowerCutAndItsNumbersAreNotGivenAgain() {
    for seed in UInt64(0)..<32 {
      let disk = ModelDisk(seed: seed)
      SpoolRig(disk, segment: 4 << 10).keep(0..<400)
      let rig = SpoolRig(disk, segment: 4 << 10)
      rig.fault = { action in
        if case .read(SegmentFile(first: 1), _, _) = action { 5 } else { nil }
      }
      rig.actionsLeft = 5 + Int(seed)
      _ = rig.takeAll()
      while !rig.isOff, rig.deadline != nil {
        rig.sleepUntilDeadline()
        _ = rig.takeAll()
      }
      if !rig.isOff, seed % 2 == 0 { rig.acknowledge() }
      disk.cutPower()
      let again = SpoolRig(disk, segment: 4 << 10)
      let names = Set(disk.files.keys)
      #expect(names.contains("0000000000000001.spool") || names.contains("0000000000000001.aside"))
      again.keep([400])
      let taken = again.takeAll()
      #expect((taken.last?.sequence ?? 0) > 400, "seed \(seed)")
      #expect(Set(taken.compactMap(\.sequence)).count == taken.count, "seed \(seed)")
    }
  }

  /// The process is killed at any moment of its first batch; the next one keeps another batch in
  /// the same segment, and then the power goes.
  @Test(arguments: 1...4)
  func whatIsKeptInASegmentOfAKilledProcessOutlivesAPowerCut(actionCount: Int) {
    for seed in UInt64(0)..<16 {
      let disk = ModelDisk(seed: seed)
      let killed = SpoolRig(disk)
      killed.actionsLeft = actionCount
      killed.keep(1...3)
      let rig = SpoolRig(disk)
      rig.keep(4...6)
      #expect(rig.inMemory == 0)
      disk.cutPower()
      #expect(SpoolRig(disk).takeAll().numbers.suffix(3) == [4, 5, 6], "seed \(seed)")
    }
  }

  /// The process is killed between the write and the `fsync` of a batch. The next one delivers it,
  /// as it stands in the kernel's memory, and then the power goes.
  @Test func theNumbersOfWhatAKilledProcessWroteAreNotGivenAgainAfterAPowerCut() {
    for seed in UInt64(0)..<16 {
      let disk = ModelDisk(seed: seed)
      let first = SpoolRig(disk)
      first.keep(1...3)
      let killed = SpoolRig(disk)
      killed.actionsLeft = 1
      killed.keep(4...6)
      let delivering = SpoolRig(disk)
      let delivered = delivering.takeAll().compactMap(\.sequence)
      disk.cutPower()
      let rig = SpoolRig(disk)
      _ = rig.takeAll()
      rig.keep(7...9)
      let given = rig.takeAll().compactMap(\.sequence)
      #expect(given.count == 3 && delivered.allSatisfy { $0 < given[0] }, "seed \(seed)")
    }
  }
}

/// A random life of a spool, with a note of what it promised.
private struct Life {
  private var random: SplitMix64
  private let disk: ModelDisk
  private var nextNumber: Int64 = 1
  /// What stood in a batch that was written.
  private var kept: Set<Int64> = []
  /// What was taken and acknowledged.
  private var acknowledged: Set<Int64> = []
  private var given: [UInt64: Int64] = [:]
  private(set) var broken: String?

  private let cap: Int
  /// Entries that were dropped, as far as they were counted before the power went.
  private(set) var losses = 0

  init(seed: UInt64, cap: Int) {
    random = SplitMix64(seed: seed)
    // The smaller a sector is, the more of them a power cut can tear apart.
    disk = ModelDisk(seed: seed, sectorByteCount: 64)
    self.cap = cap
  }

  mutating func `break`(_ reason: String) { broken = reason }

  private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  mutating func untilThePowerGoes() {
    let rig = SpoolRig(disk, cap: cap, segment: 4 << 10, opens: false)
    rig.actionsLeft = 1 + below(60)
    if below(2) == 0 { breakTheDisk(of: rig) }
    rig.settle()
    while !rig.isOff { step(rig) }
    losses += rig.losses.dropped
    if disk.files.values.reduce(0, { $0 + $1.count }) > cap { broken = "over the cap" }
    disk.cutPower()
  }

  /// Some of what is written fails, half of it after it was done.
  private mutating func breakTheDisk(of rig: SpoolRig) {
    var dice = SplitMix64(seed: random.next())
    rig.failsLate = below(2) == 0
    rig.fault = { action in
      switch action {
      case .append, .synchronize, .synchronizeDirectory, .truncate, .create:
        dice.next() % 6 == 0 ? 5 : nil
      default: nil
      }
    }
  }

  private mutating func step(_ rig: SpoolRig) {
    if rig.deadline != nil { rig.sleepUntilDeadline() }
    switch below(5) {
    case 0...2:
      let numbers = nextNumber..<nextNumber + Int64(1 + below(80))
      nextNumber = numbers.upperBound
      rig.keep(numbers)
      if !rig.isOff, rig.inMemory == 0 { kept.formUnion(numbers) }
      // Even where nothing has to be done, the battery ends.
      if !rig.isOff { rig.actionsLeft -= 1 }
    default: take(rig)
    }
  }

  private mutating func take(_ rig: SpoolRig) {
    var taken: [Int64] = []
    var last: UInt64 = 0
    var seen: Set<UInt64> = []
    for _ in 0..<1 + below(200) {
      guard let entry = rig.take(), let number = entry.number else { break }
      taken.append(number)
      guard let sequence = entry.sequence else { continue }
      if sequence <= last { broken = "out of order" }
      if !seen.insert(sequence).inserted { broken = "\(sequence) was taken twice" }
      last = sequence
      if given[sequence] ?? number != number { broken = "\(sequence) was given twice" }
      given[sequence] = number
    }
    if !rig.isOff, below(3) > 0 {
      // It has them, whether or not the spool gets to note it.
      acknowledged.formUnion(taken)
      rig.acknowledge()
    } else {
      rig.spool.rewind()
    }
    if !rig.isOff { rig.actionsLeft -= 1 }
  }

  mutating func inTheEnd() {
    let missing = kept.subtracting(acknowledged).subtracting(takeTheRest())
    if !missing.isEmpty { broken = "\(missing.count) of \(kept.count) are missing" }
  }

  @discardableResult
  mutating func takeTheRest() -> [Int64] {
    let rig = SpoolRig(disk)
    let rest = rig.takeAll()
    for entry in rest {
      guard let sequence = entry.sequence, let number = entry.number else { continue }
      if given[sequence] ?? number != number { broken = "\(sequence) was given twice" }
    }
    return rest.numbers
  }
}
