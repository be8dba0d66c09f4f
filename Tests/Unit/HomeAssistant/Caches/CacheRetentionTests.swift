import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// What becomes of a cache without observers, and of one that is gone.
@Suite struct CacheRetentionTests {
  private static let ends = ["unsubscribe_events", "unsubscribe_events", "unsubscribe_events"]

  private func abandoned(_ retention: CacheRetention) -> (CacheRig, Cache<[Text]>) {
    let rig = CacheRig()
    let cache = rig.makeCache(retention: retention)
    let observation = rig.observe(cache)
    rig.serve(["a"])
    rig.driver.removeDeeds()
    observation.cancel()
    return (rig, cache)
  }

  @Test func itIsKeptUpToDateForTheNextObserver() {
    let (rig, cache) = CacheRig.withCache()
    rig.observe(cache).cancel()
    rig.serve(["a"])
    rig.tell("b", of: "added")
    _ = rig.sent
    rig.driver.advance(by: .seconds(30))
    #expect(cache.value == ["a", "b"])
    rig.keepObserving(cache)
    #expect(rig.told == [["a", "b"]])
    #expect(rig.sent.isEmpty)
  }

  @Test func itIsForgottenAtOnceWhereThatIsWanted() {
    let (rig, cache) = abandoned(.forgotten(after: .zero))
    #expect(rig.sent == Self.ends)
    #expect(cache.value == nil)
    rig.rig.reconnect()
    #expect(rig.sent.isEmpty)
    rig.keepObserving(cache)
    rig.serve(["b"])
    #expect(rig.told == [["a"], ["b"]])
  }

  @Test func itIsForgottenAfterAWhileWhereThatIsWanted() {
    let (rig, cache) = abandoned(.forgotten(after: .seconds(5)))
    rig.driver.advance(by: .seconds(5) - .nanoseconds(1))
    #expect(rig.sent.isEmpty)
    #expect(cache.value == ["a"])
    rig.driver.advance(by: .nanoseconds(1))
    #expect(rig.sent == Self.ends)
    #expect(cache.value == nil)
  }

  @Test func anObserverThatComesBackInTimeFindsItAsItWas() {
    let (rig, cache) = abandoned(.forgotten(after: .seconds(5)))
    rig.driver.advance(by: .seconds(4))
    let observation = rig.observe(cache)
    rig.driver.advance(by: .seconds(30))
    #expect(rig.sent.isEmpty)
    #expect(rig.told == [["a"], ["a"]])
    observation.cancel()
    rig.driver.advance(by: .seconds(4))
    #expect(rig.sent.isEmpty)
    rig.driver.advance(by: .seconds(1))
    #expect(rig.sent == Self.ends)
  }

  @Test func itMayBeDecidedLater() {
    let (rig, cache) = abandoned(.kept)
    #expect(rig.sent.isEmpty)
    cache.retention = .forgotten(after: .zero)
    #expect(rig.sent == Self.ends)
    #expect(cache.value == nil)
  }

  @Test func aRequestThatIsNotAnsweredYetIsForgottenToo() {
    let rig = CacheRig()
    let cache = rig.makeCache(retention: .forgotten(after: .zero))
    rig.observe(cache).cancel()
    rig.answer(["a"])
    #expect(cache.value == nil)
    rig.driver.removeDeeds()
    rig.rig.reconnect()
    #expect(rig.sent.isEmpty)
  }

  @Test func whatWasToldOnceIsForgottenLikeTheRest() {
    let rig = CacheRig()
    let cache = rig.makeCache(retention: .forgotten(after: .zero))
    rig.keep(cache.once { _ in })
    rig.serve(["a"])
    #expect(rig.sent.suffix(3) == Self.ends[...])
  }

  @Test func aLookMeanwhileDoesNotKeepItForEver() {
    let (rig, cache) = abandoned(.forgotten(after: .seconds(5)))
    rig.driver.advance(by: .seconds(4))
    cache.once { #expect($0 == ["a"]) }.cancel()
    rig.driver.advance(by: .seconds(4))
    #expect(cache.value == ["a"])
    rig.driver.advance(by: .seconds(1))
    #expect(cache.value == nil)
    #expect(rig.sent == Self.ends)
  }

  @Test func aFollowerBeginsAgainWithWhatItHadAtFirst() {
    let rig = CacheRig()
    let cache = rig.makeFollower(["a"])
    cache.retention = .forgotten(after: .zero)
    let observation = rig.observe(cache)
    rig.tell("b", of: "added")
    observation.cancel()
    #expect(cache.value == ["a"])
  }

  @Test func aRequestThatIsNotAnsweredYetEndsWithTheCache() {
    let rig = CacheRig()
    var cache: Cache<[Text]>? = rig.makeCache()
    cache.map { rig.observe($0).cancel() }
    cache = nil
    rig.driver.removeDeeds()
    rig.rig.reconnect()
    #expect(rig.sent.isEmpty)
    #expect(rig.rig.client.deadline != nil)
  }

  @Test func nothingKeepsAClientWithoutAHolderAlive() {
    weak var client: Client?
    do {
      let driver = ScriptedDriver()
      let strong = driver.makeClient()
      client = strong
      let caches = Caches(strong)
      let first = caches.areas.map { $0.count }.observe { _ in }
      let second = caches.states().entity("sun.sun").observe { _ in }
      strong.connect()
      driver.acceptConnection()
      caches.areas.retention = .forgotten(after: .seconds(5))
      first.cancel()
      second.detach()
    }
    #expect(client == nil)
  }
}
