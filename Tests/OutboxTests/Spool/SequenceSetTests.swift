import Bytes
import Testing

@testable import Outbox

/// Against a set that forgets nothing.
@Suite struct SequenceSetTests {
  @Test(arguments: [SequenceSet.End.lowest, .highest])
  func itHoldsWhatWasPutIn(end: SequenceSet.End) {
    var random = SplitMix64(seed: 7)
    for _ in 0..<300 {
      var set = SequenceSet(upTo: 3)
      var model = Set<UInt64>(0...3)
      // So few that there are never too many ranges.
      for _ in 0..<SequenceSet.rangeCountMax {
        let lower = random.next() % 120
        let range = lower...lower + random.next() % 12
        set.insert(range, forgetting: end)
        model.formUnion(range)
        expect(set, isLike: model)
      }
    }
  }

  private func expect(_ set: SequenceSet, isLike model: Set<UInt64>) {
    for number in UInt64(0)...140 { #expect(set.contains(number) == model.contains(number)) }
    #expect(set.count == UInt64(model.count) - 1)
    #expect(set.highest == model.max())
    for end in UInt64(1)...140 {
      #expect(set.highestMissing(below: end) == (0..<end).last { !model.contains($0) } ?? 0)
    }
    for lower in stride(from: UInt64(0), to: 130, by: 7) {
      let range = lower...lower + 9
      #expect(set.contains(range) == range.allSatisfy { model.contains($0) })
    }
  }

  @Test func oneTooManyIsForgottenAtTheEndThatIsSaid() {
    var full = SequenceSet(upTo: 5)
    for index in 1...UInt64(SequenceSet.rangeCountMax) {
      full.insert(index * 10...index * 10 + 3, forgetting: .lowest)
    }
    #expect(full.rangeCount == SequenceSet.rangeCountMax)
    var low = full
    low.insert(55...56, forgetting: .lowest)
    #expect(low.rangeCount == SequenceSet.rangeCountMax)
    #expect(low.contains(55...56) && !low.contains(10) && low.contains(150) && low.contains(20))
    var high = full
    high.insert(55...56, forgetting: .highest)
    #expect(high.rangeCount == SequenceSet.rangeCountMax)
    #expect(high.contains(55...56) && high.contains(10) && !high.contains(150))
    for index in 2...UInt64(SequenceSet.rangeCountMax) - 1 {
      let kept = index * 10...index * 10 + 3
      #expect(low.contains(kept) && high.contains(kept), "\(kept) is at neither end")
    }
    // Where it is the new one that is at the end, it is that one.
    var same = full
    same.insert(8...8, forgetting: .lowest)
    same.insert(900...901, forgetting: .highest)
    #expect(same == full)
    // What touches one that is there needs no room.
    full.insert(154...160, forgetting: .highest)
    #expect(full.contains(150...160))
    #expect(full.contains(0...5))
  }

  @Test func setsAreJoined() {
    var one = SequenceSet(upTo: 4)
    one.insert(10...12, forgetting: .lowest)
    var other = SequenceSet(upTo: 7)
    other.insert(8...9, forgetting: .lowest)
    other.insert(20...22, forgetting: .lowest)
    one.formUnion(other, forgetting: .lowest)
    #expect(one.prefix == 12)
    #expect(one.rangeCount == 1 && one.range(0) == 20...22)
    #expect(one != other)
  }
}
