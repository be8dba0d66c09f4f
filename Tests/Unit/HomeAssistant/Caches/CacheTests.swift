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
    let (rig, cache) = CacheRig.observing()
    rig.keepObserving(cache)
    #expect(rig.sent == Self.all, "no change falls between the answer and the subscriptions")
    #expect(rig.told.isEmpty)
    rig.keepObserving(cache)
    #expect(rig.sent.isEmpty)
  }

  @Test func observersAreToldTheSameInTheOrderInWhichTheyBegan() {
    let (rig, cache) = CacheRig.withCache()
    var told: [String] = []
    rig.keep(cache.observe { told.append("first \($0)") })
    rig.keep(cache.observe { told.append("second \($0)") })
    rig.serve(["a"])
    #expect(told == ["first [a]", "second [a]"])
    #expect(cache.value == ["a"])
  }

  @Test func aLaterObserverIsToldTheValueAtOnceAndNothingIsSentForIt() {
    let (rig, cache) = CacheRig.observing()
    rig.serve(["a"])
    _ = rig.sent
    rig.keepObserving(cache)
    #expect(rig.told == [["a"], ["a"]])
    #expect(rig.sent.isEmpty)
  }

  @Test func theFirstObserverConnectsAClientThatIsIdle() {
    let rig = CacheRig(isReady: false)
    let cache = rig.makeCache()
    rig.keepObserving(cache)
    #expect(rig.driver.deeds == [.fetchedToken(.connect), .openedSocket])
    rig.driver.acceptConnection()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    #expect(rig.told == [["a"]])
  }

  @Test func eventsChangeTheValueEachInItsWay() {
    let (rig, _) = CacheRig.observing()
    rig.serve(["a"])
    rig.tell("a", of: "added")
    rig.tell("b", of: "added")
    rig.tell([], of: "swapped")
    rig.tell(["c"], of: "swapped")
    rig.tell("d", of: "added")
    #expect(rig.told == [["a"], ["a", "b"], ["c"], ["c", "d"]])
    #expect(rig.sent == Self.all)
  }

  @Test func anEventThatMakesItOutdatedHasItAskedForAgain() {
    let (rig, cache) = CacheRig.observing()
    rig.serve(["a"])
    rig.tell("whatever", of: "moved")
    #expect(rig.sent == Self.all + ["words"])
    #expect(cache.value == ["a"])
  }

  @Test func aBurstOfSuchEventsIsOneMoreRequest() {
    let (rig, _) = CacheRig.observing()
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
  }

  @Test func whereEventsComeInBurstsItWaitsForTheirEnd() {
    let rig = CacheRig()
    rig.keepObserving(rig.makeCache(settlingTime: .milliseconds(500)))
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
  }

  @Test func eventsThatComeBeforeTheAnswerAreAppliedToIt() {
    let (rig, _) = CacheRig.observing()
    rig.confirm("added")
    rig.tell("b", of: "added")
    rig.tell("a", of: "added")
    #expect(rig.told.isEmpty)
    rig.answer(["a"])
    #expect(rig.told == [["a", "b"]])
  }

  @Test func tooManyEventsBeforeTheAnswerHaveItAskedForAgain() {
    let (rig, _) = CacheRig.observing()
    for _ in 0..<CacheCore<[Text]>.waitingMax { rig.tell("b", of: "added") }
    rig.answer(["a"])
    #expect(rig.told == [["a", "b"]])
    #expect(rig.sent == Self.all)
    rig.rig.reconnect()
    for _ in 0...CacheCore<[Text]>.waitingMax { rig.tell("b", of: "added") }
    rig.answer(["a"])
    #expect(rig.sent == Self.all + ["words"])
  }

  @Test func anEventThatDoesNotDecodeHasItAskedForAgain() {
    let (rig, _) = CacheRig.observing()
    rig.serve(["a"])
    rig.tell(["not": "a word"], of: "added")
    #expect(rig.sent == Self.all + ["words"])
    #expect(rig.told == [["a"]])
  }

  @Test func anEventThatDoesNotDecodeBeforeTheAnswerHasItAskedForAgainAfterIt() {
    let (rig, _) = CacheRig.observing()
    for _ in 0..<3 { rig.tell(["not": "a word"], of: "added") }
    #expect(rig.driver.messageTypes == Self.all)
    rig.answer(["a"])
    #expect(rig.sent == Self.all + ["words"])
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
    rig.keep(cache.observe { _ in })
    rig.answer(["a", "b", "c"])
    for _ in 0..<9 { rig.tell("d", of: "added") }
    #expect(cache.value == ["d", "b", "c"])
    #expect(places.count == 1)
  }

  @Test func theAnswerMayBuildOnTheValueBefore() {
    let rig = CacheRig()
    let cache = Cache(
      rig.rig.client,
      populatedBy: CachePopulation<[Text]>(GetWords()) { $1.map { $0 + ["more"] } ?? $0 },
      updatedBy: [CacheRig.moved])
    rig.keepObserving(cache)
    rig.answer(["a"])
    rig.tell(nil, of: "moved")
    rig.answer(["b"])
    #expect(rig.told == [["a"], ["a", "more"]])
  }

  @Test func aConstantIsToldAndNeverChanges() {
    let rig = CacheRig()
    let cache = Cache(constant: ["a"] as [Text])
    #expect(cache.value == ["a"])
    rig.keepObserving(cache)
    rig.keep(cache.once { #expect($0 == ["a"]) })
    #expect(rig.told == [["a"]])
    #expect(cache.failure == nil)
  }
}

/// Caches that only listen.
@Suite struct CacheWithoutARequestTests {
  @Test func itIsWhatItsEventsSay() {
    let rig = CacheRig()
    let cache = rig.makeFollower()
    rig.keepObserving(cache)
    #expect(rig.driver.messageTypes == ["added", "swapped", "moved"])
    rig.tell("nothing to add to", of: "added")
    #expect(cache.value == nil)
    rig.tell(["a"], of: "swapped")
    rig.tell("b", of: "added")
    #expect(rig.told == [["a"], ["a", "b"]])
  }

  @Test func itMayHaveAValueToBeginWith() {
    let rig = CacheRig()
    rig.keepObserving(rig.makeFollower(["a"]))
    rig.tell("b", of: "added")
    #expect(rig.told == [["a"], ["a", "b"]])
  }

  @Test func itSubscribesOncePerConnectionAndKeepsItsValue() {
    let rig = CacheRig()
    let cache = rig.makeFollower()
    rig.keepObserving(cache)
    rig.tell(["a"], of: "swapped")
    _ = rig.sent
    rig.rig.reconnect()
    #expect(rig.sent == ["added", "swapped", "moved"])
    #expect(cache.value == ["a"])
  }

  @Test func whatMakesItOutdatedHasItSubscribeAgainAfterAWhile() {
    let rig = CacheRig()
    rig.keepObserving(rig.makeFollower())
    let moved = rig.driver.messageID(ofType: "moved")
    for type in ["added", "swapped", "moved"] as [Text] { rig.confirm(type) }
    _ = rig.sent
    for _ in 0..<3 { rig.driver.tell(nil, of: moved) }
    #expect(rig.sent.isEmpty)
    rig.driver.advance(by: .seconds(5))
    #expect(rig.sent == ["added", "swapped", "moved"])
  }
}
