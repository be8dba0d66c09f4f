import Bytes
import Testing

@testable import Agent

@Suite struct TroublesTests {
  private let topic = Troubles.Topic(.outage)
  private let troubles = Told()
  private func at(_ hours: Int64) -> Instant { Instant(nanoseconds: hours * 3_600_000_000_000) }
  private func words(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  @Test func causesThatTakeTurnsAreToldOnceEach() {
    var told: [String] = []
    for round in 0..<1000 {
      let cause = ["refused", "timed out", "no name", "TLS"][round % 4]
      if troubles.began(topic, words(cause), now: at(Int64(round))) != nil { told.append(cause) }
    }
    #expect(told == ["refused", "timed out", "no name", "TLS"])
  }

  @Test func aCauseThatIsAnotherOneEachTimeIsToldSoOftenOnly() {
    let told = (0..<1000).count { round in
      troubles.began(topic, words("\(round)"), now: at(Int64(round))) != nil
    }
    #expect(told == Troubles.causesMax)
  }

  @Test func theEndIsToldAndTheNextTroubleAnew() {
    #expect(troubles.began(topic, words("refused"), now: at(0)) == 0)
    #expect(troubles.ended(topic))
    #expect(troubles.began(topic, words("refused"), now: at(0)) == 0)
  }

  /// Of a registration that could not be had an outage has no begin.
  @Test func anEndWithoutABeginIsTold() {
    #expect(troubles.ended(topic))
    _ = troubles.began(topic, words("refused"), now: at(0))
    #expect(troubles.ended(topic))
    #expect(troubles.ended(topic))
  }

  @Test func aLooseWireIsToldOnceAnHourWithHowOftenItWas() {
    func flap(_ hours: Int64) -> (begin: Int?, end: Bool) {
      (troubles.began(topic, words("loose"), now: at(hours)), troubles.ended(topic))
    }
    for _ in 0..<Troubles.burst { #expect(flap(0) == (0, true)) }
    for _ in 0..<5 { #expect(flap(0) == (nil, false)) }
    #expect(flap(1) == (5, true))
    #expect(flap(1) == (nil, false))
    // What was saved up is no more than at the start.
    for round in 0..<Troubles.burst { #expect(flap(100) == (round == 0 ? 1 : 0, true)) }
    #expect(flap(100) == (nil, false))
  }

  @Test func oneTopicDoesNotSpeakForAnother() {
    let other = Troubles.Topic(.source, InlineText("gpsd"))
    for _ in 0..<100 { _ = troubles.happened(topic, now: at(0)) }
    #expect(troubles.happened(other, now: at(0)) == 0)
    #expect(troubles.began(other, words("x"), now: at(0)) == 0)
  }

  /// Two causes of one trouble are one, and what has no end is none.
  @Test func whatLastsIsCountedUntilItEnds() {
    let other = Troubles.Topic(.source, InlineText("gpsd"))
    _ = troubles.happened(other, now: at(0))
    #expect(troubles.underWayCount == 0)
    _ = troubles.began(topic, words("x"), now: at(0))
    _ = troubles.began(topic, words("y"), now: at(0))
    _ = troubles.began(other, words("x"), now: at(0))
    #expect(troubles.underWayCount == 2)
    for _ in 0..<2 { _ = troubles.ended(topic) }
    #expect(troubles.underWayCount == 1)
    _ = troubles.ended(other)
    #expect(troubles.underWayCount == 0)
  }

  @Test func topicsThatDoNotFitAreTold() {
    for number in 0..<Troubles.topicsMax {
      let name = [UInt8]("n\(number)".utf8)
      _ = troubles.happened(Troubles.Topic(.source, InlineText(name.span)), now: at(0))
    }
    for _ in 0..<100 { #expect(troubles.began(topic, words("x"), now: at(0)) == 0) }
  }
}

/// The same by reference, for expectations.
private final class Told {
  private var troubles = Troubles()

  func began(_ topic: Troubles.Topic, _ cause: [UInt8], now: Instant) -> Int? {
    troubles.began(topic, cause, now: now)
  }
  func ended(_ topic: Troubles.Topic) -> Bool { troubles.ended(topic) }
  var underWayCount: Int { troubles.underWayCount }
  func happened(_ topic: Troubles.Topic, now: Instant) -> Int? {
    troubles.happened(topic, now: now)
  }
}
