import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// Observers that come and go, at whatever moment.
@Suite struct CacheObservationTests {
  @Test func anObservationThatEndedIsToldNothing() {
    let (rig, cache) = CacheRig.withCache()
    let first = rig.observe(cache)
    rig.keep(cache.observe { _ in })
    first.cancel()
    rig.serve(["a"])
    #expect(rig.told.isEmpty)
  }

  @Test func anObservationEndsWithItsValue() {
    let (rig, cache) = CacheRig.withCache()
    rig.keep(cache.observe { _ in })
    do { _ = rig.observe(cache) }
    rig.serve(["a"])
    #expect(rig.told.isEmpty)
  }

  @Test func aDetachedObservationLivesAsLongAsTheCache() {
    let rig = CacheRig()
    var cache: Cache<[Text]>? = rig.makeCache()
    cache.map { rig.observe($0).detach() }
    rig.serve(["a"])
    #expect(rig.told == [["a"]])
    cache = nil
    #expect(rig.driver.messageTypes.suffix(3) == Array(repeating: "unsubscribe_events", count: 3))
  }

  @Test func anObserverMayEndAnotherAndItself() {
    let (rig, cache) = CacheRig.withCache()
    let box = Box()
    box.first = cache.observe { _ in
      box.told += 1
      box.first = nil
      box.second = nil
    }
    box.second = cache.observe { _ in box.told += 10 }
    rig.serve(["a"])
    rig.tell("b", of: "added")
    #expect(box.told == 1)
    #expect(cache.value == ["a", "b"])
  }

  @Test func anObserverMayObserve() {
    let (rig, cache) = CacheRig.withCache()
    let box = Box()
    let observation = cache.observe { [unowned cache] _ in
      if box.told == 0 { box.second = cache.observe { _ in box.told += 10 } }
      box.told += 1
    }
    rig.serve(["a"])
    #expect(box.told == 11)
    rig.tell("b", of: "added")
    #expect(box.told == 22)
    observation.cancel()
    box.second = nil
  }

  @Test func anObserverMayLetGoOfTheCache() {
    let rig = CacheRig()
    let box = Box()
    var cache: Cache<[Text]>? = rig.makeCache(retention: .forgotten(after: .zero))
    box.first = cache?.observe { _ in
      cache = nil
      box.first = nil
    }
    rig.serve(["a"])
    #expect(rig.sent.suffix(3) == Array(repeating: "unsubscribe_events", count: 3)[...])
  }

  @Test func anObserverMayLookAtTheValueWhileItChanges() {
    let (rig, cache) = CacheRig.withCache()
    var seen: [[Text]?] = []
    rig.keep(cache.observe { [unowned cache] _ in seen.append(cache.value) })
    rig.serve(["a"])
    rig.tell("b", of: "added")
    #expect(seen == [["a"], ["a", "b"]])
  }

  @Test func onceIsToldTheFirstValueAndNoOther() {
    let (rig, cache) = CacheRig.withCache()
    var told: [[Text]] = []
    rig.keep(cache.once { told.append($0) })
    rig.serve(["a"])
    rig.tell("b", of: "added")
    #expect(told == [["a"]])
    rig.keep(cache.once { told.append($0) })
    rig.tell("c", of: "added")
    #expect(told == [["a"], ["a", "b"]])
  }

  @Test func onceThatEndsBeforeIsToldNothing() {
    let (rig, cache) = CacheRig.withCache()
    cache.once { _ in Issue.record("it has ended") }.cancel()
    rig.serve(["a"])
  }

  @Test func onceKeepsTheCacheAliveMeanwhile() {
    let rig = CacheRig()
    var told: [[Text]] = []
    rig.keep(rig.makeCache().once { told.append($0) })
    rig.serve(["a"])
    #expect(told == [["a"]])
  }

  @Test func whatIsDerivedIsMadeOnceForEachChangeAndOnlyForObservers() {
    let (rig, cache) = CacheRig.withCache()
    var count = 0
    let counts = cache.map { words in
      count += 1
      return words.count
    }
    #expect(counts.value == nil)
    #expect(rig.sent.isEmpty)
    var told: [Int] = []
    let first = counts.observe { told.append($0) }
    let second = counts.observe { told.append($0) }
    rig.serve(["a"])
    #expect(told == [1, 1])
    rig.tell("b", of: "added")
    #expect(told == [1, 1, 2, 2])
    #expect(count == 2)
    first.cancel()
    second.cancel()
    rig.tell("c", of: "added")
    #expect(count == 2)
    #expect(counts.value == 3)
  }

  @Test func whatIsDerivedHasTheValueThatIsThere() {
    let (rig, cache) = CacheRig.withCache()
    rig.keep(cache.observe { _ in })
    rig.serve(["a"])
    let counts = cache.map { $0.count }
    #expect(counts.value == 1)
    var told: [Int] = []
    rig.keep(counts.observe { told.append($0) })
    #expect(told == [1])
    rig.keep(counts.map { -$0 }.once { told.append($0) })
    #expect(told == [1, -1])
  }

  @Test func whatIsDerivedKeepsItsSourceAlive() {
    let rig = CacheRig()
    let counts = rig.makeCache().map { $0.count }
    var told: [Int] = []
    rig.keep(counts.observe { told.append($0) })
    rig.serve(["a"])
    #expect(told == [1])
  }

  @Test func equalValuesAreToldUnlessTheyAreNotWanted() {
    let (rig, cache) = CacheRig.withCache()
    var distinct: [[Text]] = []
    rig.keepObserving(cache)
    rig.keep(cache.withoutRepeats().observe { distinct.append($0) })
    rig.serve(["a"])
    for words in [["a"], ["b"], ["b"], ["a"]] as [[Text]] {
      rig.tell(.array(words.map { .text($0) }), of: "swapped")
    }
    #expect(rig.told == [["a"], ["a"], ["b"], ["b"], ["a"]])
    #expect(distinct == [["a"], ["b"], ["a"]])
  }

  private final class Box {
    var first: Observation?
    var second: Observation?
    var told = 0
  }
}
