import Bytes
import HomeAssistant
import Testing

@testable import Outbox

extension TokenSourceTests {
  // MARK: A server that does not prove who it is

  /// Each machine on the way can say over plain HTTP that a token is not valid.
  @Test mutating func overPlainHTTPARejectedCredentialIsShownAgainEverMoreRarely() {
    use(Self.longLived, isServerKnown: false)
    knowRejected()
    _ = webSocketWants()
    for wait in RejectedTokens.waits + [RejectedTokens.waits[3]] {
      let rejected = webSocketWants(refused: [3])
      #expect(rejected == [.keepRejection(Self.longLived.fingerprint), Self.refused])
      now = now + (wait - .nanoseconds(1))
      #expect(source.isRejected && !source.isRetryDue(now: now))
      let early = webSocketWants()
      #expect(early == [Self.refused])
      now = now + .nanoseconds(1)
      #expect(source.isRetryDue(now: now))
      let again = webSocketWants()
      #expect(again == [.webSocket(.token([3]))])
    }
  }

  @Test mutating func aCredentialThatIsAcceptedAfterAllIsRejectedNoMore() {
    use(Self.longLived, isServerKnown: false)
    knowRejected()
    _ = webSocketWants()
    _ = webSocketWants(refused: [3])
    now = now + RejectedTokens.waits[0]
    _ = webSocketWants()
    source.accepted()
    let accepted = done()
    #expect(accepted == [.forgetRejection(Self.longLived.fingerprint)])
    source.accepted()
    let again = done()
    #expect(again == [], "there is nothing to forget")
    _ = webSocketWants(refused: [3])
    now = now + RejectedTokens.waits[0]
    #expect(source.isRetryDue(now: now), "the next rejection is the first")
  }
}
