import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// Caches whose connection ends, and whose requests fail.
@Suite struct CacheConnectionTests {
  private static let all = ["added", "swapped", "moved", "words"]

  /// Observed, with a value, and nothing noted but that.
  private func kept() -> (CacheRig, Cache<[Text]>) {
    let (rig, cache) = CacheRig.observing()
    rig.serve(["a"])
    _ = rig.sent
    return (rig, cache)
  }

  @Test func eachConnectionHasItSubscribeAndAskOnce() {
    let (rig, cache) = kept()
    for _ in 0..<3 {
      rig.driver.endConnection()
      rig.rig.client.networkChanged()
      #expect(rig.sent.isEmpty)
      rig.driver.acceptConnection()
      rig.serve(["b"])
      #expect(rig.sent == Self.all)
    }
    #expect(rig.told == [["a"], ["b"], ["b"], ["b"]])
    #expect(cache.value == ["b"])
  }

  @Test func theValueStaysWithoutAConnection() {
    let (rig, cache) = kept()
    rig.rig.client.disconnect()
    #expect(cache.value == ["a"])
    rig.keepObserving(cache)
    #expect(rig.told == [["a"], ["a"]])
    #expect(rig.rig.client.state == .down(.idle))
  }

  @Test func itOutlivesConnectionsHoweverOldItIs() {
    let (rig, _) = kept()
    for _ in 0..<200 {
      rig.driver.advance(by: .seconds(60))
      rig.driver.pong()
    }
    _ = rig.sent
    rig.rig.reconnect()
    #expect(rig.sent == Self.all)
  }

  @Test func aRequestWithoutAnAnswerIsNotAskedTwiceOnTheNextConnection() {
    let (rig, _) = CacheRig.observing()
    rig.driver.advance(by: .seconds(30))
    _ = rig.sent
    rig.rig.reconnect()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    #expect(rig.told == [["a"]])
  }

  @Test func aRequestThatWaitsLongForAConnectionIsAskedAllTheSame() {
    let rig = CacheRig(isReady: false)
    rig.rig.client.connect()
    rig.driver.endConnection(.unreachable("no route"))
    rig.keepObserving(rig.makeCache())
    for _ in 0..<20 {
      rig.driver.advanceToDeadline()
      rig.driver.endConnection(.unreachable("no route"))
    }
    #expect(rig.driver.now > Instant(nanoseconds: 0) + .seconds(120))
    rig.driver.advanceToDeadline()
    rig.driver.acceptConnection()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    #expect(rig.told == [["a"]])
  }

  @Test func whatEventsSaidOnAnEarlierConnectionIsNotAppliedToTheAnswerOfThis() {
    let (rig, _) = CacheRig.observing()
    rig.tell("gone", of: "added")
    rig.rig.reconnect()
    rig.serve(["a"])
    #expect(rig.told == [["a"]])
  }

  @Test func aRefusedRequestIsAskedAgainWithGrowingWaits() {
    let (rig, cache) = CacheRig.observing()
    for type in ["added", "swapped", "moved"] as [Text] { rig.confirm(type) }
    rig.driver.refuse(rig.driver.messageID(ofType: "words"), code: "unknown_error")
    #expect(cache.failure == .server(code: "unknown_error", message: ""))
    rig.tell("b", of: "added")
    #expect(cache.failure != nil, "an event is no answer")
    for longest in [5, 10, 20] {
      _ = rig.sent
      rig.driver.advance(by: .seconds(longest) * 3 / 4 - .nanoseconds(1))
      #expect(!rig.sent.contains("words"))
      rig.driver.advance(by: .seconds(longest) / 4)
      #expect(rig.driver.messageTypes.contains("words"))
      rig.driver.refuse(rig.driver.messageID(ofType: "words"), code: "unknown_error")
    }
    rig.driver.advance(by: .seconds(40))
    rig.answer(["a"])
    #expect(rig.told == [["a"]])
    #expect(cache.failure == nil)
  }

  @Test func aRequestThatIsNotAnsweredInTimeIsAskedAgain() {
    let (rig, cache) = CacheRig.observing()
    rig.driver.removeDeeds()
    rig.driver.advance(by: .seconds(60))
    #expect(cache.failure == .expired)
    rig.driver.pong(rig.driver.messageID(ofType: "ping"))
    rig.driver.advance(by: .seconds(5))
    rig.answer(["a"])
    #expect(rig.told == [["a"]])
  }

  @Test func anAnswerThatDoesNotDecodeIsAskedForAgainAndTheValueStays() {
    let (rig, cache) = kept()
    rig.rig.reconnect()
    rig.driver.answer(rig.driver.messageID(ofType: "words"), with: "no words")
    #expect(
      cache.failure
        == .decoding(.wrongKind(key: "root", expected: .array, found: .string)))
    #expect(cache.value == ["a"])
    rig.driver.removeDeeds()
    rig.driver.advance(by: .seconds(5))
    rig.answer(["b"])
    #expect(rig.told == [["a"], ["b"]])
  }

  @Test func aConnectionDoesNotWaitForTheRepetition() {
    let (rig, _) = CacheRig.observing()
    rig.driver.refuse(code: "unknown_error")
    _ = rig.sent
    rig.rig.reconnect()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    rig.driver.advance(by: .seconds(30))
    #expect(!rig.sent.contains("words"))
  }

  @Test func theRepetitionDoesNotConnectAClientThatDisconnected() {
    let (rig, _) = CacheRig.observing()
    rig.driver.refuse(code: "unknown_error")
    rig.rig.client.disconnect()
    rig.driver.advance(by: .seconds(3600))
    #expect(rig.rig.client.state == .down(.idle))
  }

  @Test func anObserverMayDisconnectForGood() {
    let rig = CacheRig()
    let client = rig.rig.client
    let cache = rig.makeCache()
    rig.keep(cache.observe { _ in client.disconnect() })
    rig.tell(nil, of: "moved")
    rig.serve(["a"])
    #expect(client.state == .down(.idle))
    #expect(rig.driver.socket == .closed)
  }

  @Test func aClientThatEndsTheConnectionAtOnceIsNotConnectedAgainByTheCache() {
    let rig = CacheRig(isReady: false)
    let client = rig.rig.client
    client.connect()
    rig.keep(client.observe { if case .ready = $0 { client.disconnect() } })
    rig.keepObserving(rig.makeCache())
    rig.driver.acceptConnection()
    #expect(client.state == .down(.idle))
    #expect(rig.driver.socket == .closed)
  }

  @Test func aSubscriptionThatIsAcceptedLateHasItAskedAgain() {
    let (rig, cache) = CacheRig.observing()
    rig.driver.refuse(rig.driver.messageID(ofType: "added"), code: "unknown_command")
    rig.answer(["a"])
    #expect(cache.failure == .server(code: "unknown_command", message: ""))
    #expect(cache.value == ["a"])
    _ = rig.sent
    rig.driver.advance(by: .seconds(5))
    #expect(rig.driver.messageTypes == ["added"])
    rig.confirm("added")
    rig.answer(["a", "b"])
    #expect(rig.sent == ["added", "words"])
    #expect(rig.told == [["a"], ["a", "b"]])
    #expect(cache.failure == nil)
  }

  @Test func anEventThatSaysAllIsEnoughWhereTheRequestFails() {
    let (rig, _) = CacheRig.observing()
    rig.driver.refuse(code: "unknown_error")
    rig.tell("b", of: "added")
    rig.tell(["a"], of: "swapped")
    #expect(rig.told == [["a"]])
  }

  @Test func anEventIsNotAppliedToAValueThatIsTooOldForIt() {
    let (rig, cache) = kept()
    rig.rig.reconnect()
    rig.driver.refuse(code: "unknown_error")
    rig.tell("b", of: "added")
    #expect(cache.value == ["a"])
  }

  @Test func anotherTokenIsWaitedFor() {
    let rig = CacheRig(isReady: false)
    rig.keepObserving(rig.makeCache())
    rig.driver.openConnection()
    rig.driver.giveToken()
    rig.driver.say(["type": "auth_invalid", "message": "no"])
    rig.driver.advance(by: .seconds(600))
    rig.rig.client.connect()
    rig.driver.acceptConnection()
    rig.serve(["a"])
    #expect(rig.sent == Self.all)
    #expect(rig.told == [["a"]])
  }
}
