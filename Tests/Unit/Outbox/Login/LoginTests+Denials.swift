import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What is done with a login that Home Assistant knows, and denies from this place.
extension LoginTests {
  private mutating func deny() -> [Done] {
    answer(
      403, #"{"error":"access_denied","error_description":"User cannot authenticate remotely"}"#)
  }

  private static let denial = AccessTokens.Problem.denied(
    InlineText("User cannot authenticate remotely"))

  /// Also for a board that starts for each cycle, and over TLS.
  @Test mutating func aDenialIsKeptOnceAndIsNotForGood() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = begin()
    let unavailable = Done.webSocket(.unavailable(Self.denial.words))
    #expect(
      deny() == [
        .keep(Self.refresh.fingerprint, isForGood: false), unavailable,
        .failed(.noToken(.notRenewed(Self.denial))),
      ])
    #expect(!login.isCredentialRejected)
    #expect(webSocketWants() == [unavailable], "it is kept already")
    now = now + RejectedTokens.waits[0]
    #expect(webSocketWants() == [.renew(ifWritable: false)])
    #expect(deny() == [.keep(Self.refresh.fingerprint, isForGood: false), unavailable])
  }

  @Test mutating func inAnotherNetworkADeniedLoginIsTriedAndWhatIsKeptOfItForgotten() {
    use(Self.refresh)
    _ = webSocketWants()
    _ = deny()
    login.networkChanged(isOther: false, now: now)
    #expect(done() == [], "the link is back in the same network")
    login.networkChanged(isOther: true, now: now)
    #expect(done() == [.forget(Self.refresh.fingerprint)])
    #expect(webSocketWants() == [.renew(ifWritable: false)])
    #expect(renewed() == [.webSocket(.token(Self.access))])
    login.networkChanged(isOther: true, now: now)
    #expect(done() == [], "nothing is denied")
  }

  @Test mutating func aLongLivedTokenThatIsDeniedIsKeptInMindAndGivenAgainInAnotherNetwork() {
    use(Self.longLived, readsFile: true)
    _ = webSocketWants()
    let words = InlineText("User is local only")
    let unavailable = Done.webSocket(.unavailable(AccessTokens.Problem.denied(words).words))
    #expect(
      webSocketWants(refused: [3], .denied(words)) == [
        .keep(Self.longLived.fingerprint, isForGood: false), unavailable,
      ])
    #expect(webSocketWants() == [unavailable])
    _ = begin()
    login.tokenFileRead(.success([3]))
    #expect(done() == [.failed(.noToken(.notRenewed(.denied(words))))])
    login.networkChanged(isOther: true, now: now)
    #expect(done() == [.forget(Self.longLived.fingerprint)])
    #expect(webSocketWants() == [.webSocket(.token([3]))])
  }
}
