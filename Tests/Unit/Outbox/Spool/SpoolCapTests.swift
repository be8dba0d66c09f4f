import ModelDisk
import Bytes
import Sensing
import Testing

@testable import Outbox

/// What goes when there is too much, and what is counted of it.
@Suite struct SpoolCapTests {
  private static let segment = 8 << 10
  private static let cap = 96 << 10

  private func rig(_ disk: ModelDisk = ModelDisk()) -> SpoolRig {
    SpoolRig(disk, cap: Self.cap, segment: Self.segment)
  }

  private func fill(_ rig: SpoolRig, with numbers: Range<Int64>) {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
      rig.keep(start..<min(start + 50, numbers.upperBound))
    }
  }

  @Test func allFilesTogetherNeverTakeMoreThanTheCapAndUseIt() {
    let rig = rig()
    for start in stride(from: Int64(0), to: 30_000, by: 50) {
      rig.keep(start..<start + 50)
      #expect(rig.occupied <= Self.cap)
    }
    #expect(rig.peakByteCount <= Self.cap)
    #expect(rig.losses.dropped > 0)
    #expect(rig.occupied > Self.cap / 2, "no more is dropped than the next segment needs")
  }

  /// What was to be written may stand there all the same, and what was to be deleted as well.
  @Test(arguments: 0..<16)
  func onADiskThatFailsNowAndThenTheyTakeNoMoreThanTheCapEither(seed: UInt64) {
    let cap = 5 * 4096
    let rig = SpoolRig(ModelDisk(), cap: cap, segment: 4096)
    var random = SplitMix64(seed: seed)
    rig.fault = { [unowned rig] action in
      rig.failsLate = if case .append = action { random.next() % 2 == 0 } else { false }
      return random.next() % 4 == 0 ? 5 : nil
    }
    for start in stride(from: Int64(0), to: 3000, by: 10) {
      rig.keep(start..<start + 10)
      if start % 30 == 0 { rig.sleepUntilDeadline() }
    }
    #expect(rig.peakByteCount <= cap)
    #expect(rig.losses.dropped > 0)
  }

  /// Nothing of it is read for that.
  @Test func everyEntryIsThereOrCounted() {
    for count in [Int64(2000), 5000, 20_000] {
      let rig = rig()
      fill(rig, with: 0..<count)
      #expect(rig.losses.dropped > 0 || count == 2000)
      #expect(rig.bytesRead == 0)
      let taken = rig.restarted().takeAll().numbers
      #expect(taken == Array(Int64(rig.losses.dropped)..<count))
    }
  }

  @Test func whatIsAcknowledgedIsNotCountedAsLost() {
    let rig = rig()
    fill(rig, with: 0..<1500)
    _ = rig.takeAll()
    rig.acknowledge()
    fill(rig, with: 1500..<3000)
    #expect(rig.losses.dropped == 0)
    #expect(rig.takeAll().numbers == Array(1500..<3000))
  }

  @Test func takingGoesOnWhileTheOldestIsDropped() {
    let rig = rig()
    fill(rig, with: 0..<1500)
    var taken: [Int64] = []
    for start in stride(from: Int64(1500), to: 9000, by: 100) {
      for _ in 0..<30 {
        guard let number = rig.take()?.number else { continue }
        taken.append(number)
      }
      rig.acknowledge()
      fill(rig, with: start..<start + 100)
    }
    taken += rig.takeAll().numbers
    #expect(rig.losses.dropped > 0)
    #expect(taken == taken.sorted())
    #expect(Set(taken).count == taken.count)
    #expect(taken.count + rig.losses.dropped == 9000)
  }

  /// What was taken and not proven when its segment went is lost: it cannot be taken again.
  @Test func whatWasTakenAndIsDroppedBeforeItsProofIsCounted() {
    let rig = rig()
    fill(rig, with: 0..<100)
    #expect(rig.takeAll().count == 100)
    fill(rig, with: 100..<20_000)
    rig.spool.rewind()
    let rest = rig.takeAll().numbers
    #expect(rest.first == Int64(rig.losses.dropped))
    #expect(rest.count + rig.losses.dropped == 20_000)
  }

  /// A write that failed gave them away.
  @Test func numbersThatNoEntryHasAreNoLossWhenTheirSegmentGoes() {
    let rig = rig()
    rig.keep(0..<50)
    rig.fault = { action in if case .append = action { 5 } else { nil } }
    rig.keep(50..<100)
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    fill(rig, with: 100..<20_000)
    #expect(rig.losses.dropped > 100)
    #expect(rig.takeAll().count + rig.losses.dropped == 20_000)
  }

  @Test func aSegmentThatCannotBeReadIsDroppedLikeAnyOther() {
    let rig = rig()
    fill(rig, with: 0..<20_000)
    let dropped = rig.losses.dropped
    rig.fault = { action in if case .read = action { 5 } else { nil } }
    fill(rig, with: 20_000..<24_000)
    #expect(rig.losses.dropped > dropped)
    #expect(rig.losses.unreadable == 0)
    #expect(rig.occupied <= Self.cap)
  }

  /// A smaller cap than before.
  @Test func aSpoolThatIsTooLargeAtTheStartLosesItsOldest() {
    let rig = rig()
    fill(rig, with: 0..<2000)
    let smaller = SpoolRig(rig.disk.copy(), cap: 56 << 10, segment: Self.segment)
    #expect(smaller.occupied <= 56 << 10)
    let taken = smaller.takeAll().numbers
    #expect(taken.count > 300)
    #expect(taken == Array(Int64(rig.losses.dropped + smaller.losses.dropped)..<2000))
  }
}
