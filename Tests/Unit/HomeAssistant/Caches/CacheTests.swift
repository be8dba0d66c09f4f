import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// What a cache asks for, and what it makes of what comes.
@Suite struct CacheTests {
  private static let all = ["added", "swapped", "moved", "words"]

  @Test func nothingIsSentBeforeTheFirstObserver() {
    let (rig, cache) = CacheRig.withCache()
    #expect(cache.value == nil)
    rig.rig.reconnect()
    #expect(rig.sent.isEmpty)
  }

  @Test func itIsAskedForOnceHoweverManyObserve() {
    let (rig, cache) = CacheRig.withCache()
    let first = rig.observe(cache)
    let second = rig.observe(cache)
    #expect(rig.sent == Self.all)
    #expect(rig.told.isEmpty)
    let third = rig.observe(cache)
    #expect(rig.sent.isEmpty)
    first.cancel()
    second.cancel()
    third.cancel()
  }

  @Test func observersAreToldTheSameInTheOrderInWhichTheyBegan() {
    let (rig, cache) = CacheRig.withCache()
    var told: [String] = []
    let first = cache.observe { told.append("first \($0)") }
    let second = cache.observe { told.append("second \($0)") }
    rig.serve(["a"])
    #expect(told == ["first [a]", "second [a]"])
    #expect(cache.value == ["a"])
    first.cancel()
    second.cancel()
  }

  @Test func aLaterObserverIsToldTheValueAtOnceAndNothingIsSentForIt() {
    let (rig, cache) = CacheRig.withCache()
    let first = rig.observe(cache)
    rig.serve(["a"])
    _ = rig.sent
    let second = rig.observe(cache)
    #expect(rig.told == [["a"], ["a"]])
    #expect(rig.sent.isEmpty)
    first.cancel()
    second.cancel()
  }

  @Test func theFirstObserverConnectsAClientThatIsIdle() {
    let rig = CacheRig(isReady: false)
    let cache = rig.makeCache()
    let observation = rig.observe(cache)
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
    rig.driver.acceptConnection()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    #expect(rig.told == [["a"]])
    observation.cancel()
  }

  @Test func noChangeFallsBetweenTheAnswerAndTheSubscriptions() throws {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    let request = try #require(rig.driver.messageID(ofType: "words"))
    for type in ["added", "swapped", "moved"] as [Text] {
      #expect(try #require(rig.driver.messageID(ofType: type)) < request)
    }
    observation.cancel()
  }

  @Test func eventsChangeTheValueEachInItsWay() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    rig.serve(["a"])
    rig.tell("a", of: "added")
    rig.tell("b", of: "added")
    rig.tell([], of: "swapped")
    rig.tell(["c"], of: "swapped")
    rig.tell("d", of: "added")
    #expect(rig.told == [["a"], ["a", "b"], ["c"], ["c", "d"]])
    #expect(rig.sent == Self.all)
    observation.cancel()
  }

  @Test func anEventThatMakesItOutdatedHasItAskedForAgain() {
    let (rig, cache) = CacheRig.withCache()
    let observation = rig.observe(cache)
    rig.serve(["a"])
    rig.tell("whatever", of: "moved")
    #expect(rig.sent == Self.all + ["words"])
    #expect(cache.value == ["a"])
    observation.cancel()
  }

  @Test func aBurstOfSuchEventsIsOneMoreRequest() {
    let (rig, cache) = CacheRig.withCache()
    let observation = rig.observe(cache)
    let moved = rig.driver.messageID(ofType: "moved")
    rig.serve(["a"])
    _ = rig.sent
    for _ in 0..<5 { rig.driver.tell(nil, of: moved) }
    #expect(rig.driver.messageTypes == ["words"])
    rig.answer(["b"])
    #expect(rig.driver.messageTypes == ["words", "words"])
    rig.answer(["c"])
    #expect(rig.driver.messageTypes == ["words", "words"])
    #expect(rig.told == [["a"], ["b"], ["c"]])
    observation.cancel()
  }

  @Test func whereEventsComeInBurstsItWaitsForTheirEnd() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache(settlingTime: .milliseconds(500)))
    let moved = rig.driver.messageID(ofType: "moved")
    rig.serve(["a"])
    _ = rig.sent
    for _ in 0..<4 {
      rig.driver.tell(nil, of: moved)
      rig.driver.advance(by: .milliseconds(124))
    }
    #expect(rig.sent.isEmpty)
    rig.driver.advance(by: .milliseconds(4))
    #expect(rig.driver.messageTypes == ["words"])
    rig.answer(["b"])
    rig.driver.advance(by: .seconds(10))
    #expect(rig.driver.messageTypes == ["words"])
    observation.cancel()
  }

  @Test func eventsThatComeBeforeTheAnswerAreAppliedToIt() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    rig.confirm("added")
    rig.tell("b", of: "added")
    rig.tell("a", of: "added")
    #expect(rig.told.isEmpty)
    rig.answer(["a"])
    #expect(rig.told == [["a", "b"]])
    observation.cancel()
  }

  @Test func tooManyEventsBeforeTheAnswerHaveItAskedForAgain() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    for _ in 0..<CacheCore<[Text]>.waitingMax { rig.tell("b", of: "added") }
    rig.answer(["a"])
    #expect(rig.told == [["a", "b"]])
    #expect(rig.sent == Self.all)
    rig.rig.reconnect()
    for _ in 0...CacheCore<[Text]>.waitingMax { rig.tell("b", of: "added") }
    rig.answer(["a"])
    #expect(rig.sent == Self.all + ["words"])
    observation.cancel()
  }

  @Test func anEventThatDoesNotDecodeHasItAskedForAgain() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    rig.serve(["a"])
    rig.tell(["not": "a word"], of: "added")
    #expect(rig.sent == Self.all + ["words"])
    #expect(rig.told == [["a"]])
    observation.cancel()
  }

  @Test func anEventThatDoesNotDecodeBeforeTheAnswerHasItAskedForAgainAfterIt() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeCache())
    for _ in 0..<3 { rig.tell(["not": "a word"], of: "added") }
    #expect(rig.driver.messageTypes == Self.all)
    rig.answer(["a"])
    #expect(rig.sent == Self.all + ["words"])
    observation.cancel()
  }

  @Test func aChangeIsMadeInPlaceHoweverLargeTheValueIs() {
    let rig = CacheRig()
    var places: Set<UInt> = []
    let update = CacheUpdate<[Text]>(Subscribe<Text>("added")) { words, word in
      words[0] = word
      places.insert(unsafe words.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
      return .changed
    }
    let cache = Cache(
      rig.rig.client, populatedBy: CachePopulation(GetWords()), updatedBy: [update])
    let observation = cache.observe { _ in }
    rig.answer(["a", "b", "c"])
    for _ in 0..<9 { rig.tell("d", of: "added") }
    #expect(cache.value == ["d", "b", "c"])
    #expect(places.count == 1)
    observation.cancel()
  }

  @Test func theAnswerMayBuildOnTheValueBefore() {
    let rig = CacheRig()
    let cache = Cache(
      rig.rig.client,
      populatedBy: CachePopulation<[Text]>(GetWords()) { $1.map { $0 + ["more"] } ?? $0 },
      updatedBy: [CacheRig.moved])
    let observation = rig.observe(cache)
    rig.answer(["a"])
    rig.tell(nil, of: "moved")
    rig.answer(["b"])
    #expect(rig.told == [["a"], ["a", "more"]])
    observation.cancel()
  }

  @Test func aConstantIsToldAndNeverChanges() {
    let rig = CacheRig()
    let cache = Cache(constant: ["a"] as [Text])
    #expect(cache.value == ["a"])
    let first = rig.observe(cache)
    let second = cache.once { #expect($0 == ["a"]) }
    #expect(rig.told == [["a"]])
    #expect(cache.failure == nil)
    first.cancel()
    second.cancel()
  }
}

/// Caches that only listen.
@Suite struct CacheWithoutARequestTests {
  @Test func itIsWhatItsEventsSay() {
    let rig = CacheRig()
    let cache = rig.makeFollower()
    let observation = rig.observe(cache)
    #expect(rig.driver.messageTypes == ["added", "swapped", "moved"])
    rig.tell("nothing to add to", of: "added")
    #expect(cache.value == nil)
    rig.tell(["a"], of: "swapped")
    rig.tell("b", of: "added")
    #expect(rig.told == [["a"], ["a", "b"]])
    observation.cancel()
  }

  @Test func itMayHaveAValueToBeginWith() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeFollower(["a"]))
    rig.tell("b", of: "added")
    #expect(rig.told == [["a"], ["a", "b"]])
    observation.cancel()
  }

  @Test func itSubscribesOncePerConnectionAndKeepsItsValue() {
    let rig = CacheRig()
    let cache = rig.makeFollower()
    let observation = rig.observe(cache)
    rig.tell(["a"], of: "swapped")
    _ = rig.sent
    rig.rig.reconnect()
    #expect(rig.sent == ["added", "swapped", "moved"])
    #expect(cache.value == ["a"])
    observation.cancel()
  }

  @Test func whatMakesItOutdatedHasItSubscribeAgainAfterAWhile() {
    let rig = CacheRig()
    let observation = rig.observe(rig.makeFollower())
    let moved = rig.driver.messageID(ofType: "moved")
    for type in ["added", "swapped", "moved"] as [Text] { rig.confirm(type) }
    _ = rig.sent
    for _ in 0..<3 { rig.driver.tell(nil, of: moved) }
    #expect(rig.sent.isEmpty)
    rig.driver.advance(by: .seconds(5))
    #expect(rig.sent == ["added", "swapped", "moved"])
    observation.cancel()
  }
}
