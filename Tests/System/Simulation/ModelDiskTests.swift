import ModelDisk
import Testing

/// The disk is as unkind as disks may be, and no more.
@Suite struct ModelDiskTests {
  private static let name = "state/file"

  /// A disk with a file that is safe.
  private func disk(_ seed: UInt64) throws -> ModelDisk {
    let disk = ModelDisk(seed: seed)
    try disk.create(Self.name)
    try disk.append([UInt8](repeating: 1, count: 2000), to: Self.name)
    try disk.synchronize(Self.name)
    try disk.synchronizeDirectory("state")
    return disk
  }

  @Test func whatWasSynchronisedOutlivesThePower() throws {
    for seed in 0..<20 as Range<UInt64> {
      let disk = try disk(seed)
      disk.cutPower()
      #expect(try disk.read(Self.name) == [UInt8](repeating: 1, count: 2000))
    }
  }

  @Test func whatWasNotMayBeThereTornOrGone() throws {
    var lengths: Set<Int> = []
    for seed in 0..<40 as Range<UInt64> {
      let disk = try disk(seed)
      try disk.append([UInt8](repeating: 2, count: 2000), to: Self.name)
      try disk.append([UInt8](repeating: 3, count: 2000), to: Self.name)
      disk.cutPower()
      let left = try disk.read(Self.name)
      #expect(left.prefix(2000).allSatisfy { $0 == 1 })
      lengths.insert(left.count)
    }
    #expect(lengths == [2000, 4000, 6000])
  }

  @Test func aNewNameMayGoUntilItsDirectoryIsSynchronised() throws {
    var kept = 0
    for seed in 0..<40 as Range<UInt64> {
      let disk = try disk(seed)
      try disk.create("state/new")
      try disk.synchronize("state/new")
      disk.cutPower()
      kept += (try? disk.read("state/new")) == nil ? 0 : 1
    }
    #expect((1..<40).contains(kept))
  }

  @Test func aFullDiskTakesAPartAndSaysNo() throws {
    let disk = try disk(1)
    disk.condition = .full
    #expect(throws: ModelDisk.Failure.noSpace) {
      try disk.append([UInt8](repeating: 2, count: 1000), to: Self.name)
    }
    #expect((2000..<3000).contains(try disk.read(Self.name).count))
  }

  @Test func aBrokenDiskDoesNothing() throws {
    let disk = try disk(1)
    disk.condition = .broken
    #expect(throws: ModelDisk.Failure.brokenDown) { try disk.read(Self.name) }
    disk.condition = .readOnly
    #expect(try disk.read(Self.name).count == 2000)
    #expect(throws: ModelDisk.Failure.onlyForReading) { try disk.delete(Self.name) }
  }
}
