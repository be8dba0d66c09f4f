import Testing

@testable import PracticeHome

@Suite struct TokenTests {
  @Test func aCodeThatAnotherClientShowsStillCounts() {
    let guest = Guest()
    guest.begin()
    let code = guest.enter().json["result"]?.string ?? ""
    #expect(guest.redeem(code, as: "http://other.example/").status == 400)
    let reply = guest.redeem(code)
    #expect(reply.status == 200)
    #expect(reply.headers["Cache-Control"] == "no-store")
  }

  @Test func aCodeLastsTenMinutes() {
    let guest = Guest()
    guest.begin()
    let code = guest.enter().json["result"]?.string ?? ""
    guest.now = guest.now + .seconds(600)
    #expect(guest.redeem(code).status == 400)
  }

  @Test func anAccessTokenEndsAndTheRefreshTokenMakesANewOne() {
    let guest = Guest { $0.accessTokenLifetime = .seconds(60) }
    let tokens = guest.logIn()
    guest.now = guest.now + .seconds(60)
    #expect(!guest.opens(tokens.access))
    let reply = guest.refresh(tokens.refresh)
    #expect(reply.json.object?.keys == ["access_token", "token_type", "expires_in"])
    #expect(guest.opens(reply.json["access_token"]?.string ?? ""))
  }

  @Test func aRefreshTokenUnusedForNinetyDaysIsGone() {
    let guest = Guest()
    let tokens = guest.logIn()
    guest.now = guest.now + .seconds(89 * 86_400)
    #expect(guest.refresh(tokens.refresh).status == 200)
    guest.now = guest.now + .seconds(89 * 86_400)
    #expect(guest.refresh(tokens.refresh).status == 200, "using it keeps it")
    guest.now = guest.now + .seconds(90 * 86_400)
    #expect(guest.refresh(tokens.refresh).json == ["error": "invalid_grant"])
  }

  @Test func whatIsNotAFormRevokesNothing() {
    let guest = Guest()
    let tokens = guest.logIn()
    let form = Guest.form([("token", tokens.refresh)])
    #expect(guest.ask("POST", "/auth/revoke", form, type: "application/json").status == 200)
    #expect(guest.opens(tokens.access))
  }

  @Test func theSchemeIsCalledBearerWithOneSpace() {
    let guest = Guest()
    #expect(!guest.opens(" practice"))
    let reply = guest.home.answer(
      Request(
        method: "GET", path: "/api/config",
        headers: [(name: "Authorization", value: "bearer practice")]), now: guest.now)
    #expect(reply.status == 401)
  }
}

@Suite struct BanTests {
  @Test func noAddressIsBannedUnlessTheHouseholdSaysSo() {
    let guest = Guest()
    for _ in 0..<100 { _ = guest.refresh("nope") }
    #expect(guest.home.door.failureCount == 100)
    #expect(guest.begin().status == 200)
  }

  @Test func afterTheLastFailureEachAddressGets403() {
    let guest = Guest { $0.failuresUntilBan = 5 }
    guest.begin()
    #expect(!guest.opens("nope"))
    _ = guest.refresh("nope")
    guest.enter("wrong")
    guest.fill(["username": "practice"])
    #expect(guest.opens("practice"))
    _ = guest.redeem("nope")
    for path in ["/api/config", "/api/webhook/abc", "/auth/token", "/nowhere"] {
      let reply = guest.ask("POST", path, token: "practice")
      #expect(reply.status == 403)
      #expect(reply.text == "403: Forbidden")
    }
    #expect(guest.lastRefusal == .banned)
    guest.home.restart(now: guest.now)
    #expect(guest.begin().status == 403, "a restart does not pardon")
  }

  @Test func onlyACompletedLoginBeginsTheCountAnew() {
    let guest = Guest { $0.failuresUntilBan = 3 }
    let tokens = guest.logIn()
    _ = guest.refresh("nope")
    _ = guest.refresh("nope")
    #expect(guest.refresh(tokens.refresh).status == 200)
    #expect(guest.opens("practice"))
    #expect(guest.home.door.failureCount == 2)
    _ = guest.logIn()
    #expect(guest.home.door.failureCount == 0)
  }

  @Test func whatOnlyAStrangerToLoginsDoesWrongIsNotCounted() {
    let guest = Guest { $0.failuresUntilBan = 1 }
    _ = guest.ask("POST", "/api/webhook/abc", "{")
    _ = guest.ask("POST", "/auth/login_flow", "{")
    _ = guest.ask("GET", "/nowhere")
    guest.begin(["handler": ["nope", nil]])
    guest.begin(["x": 1])
    #expect(guest.begin().status == 200)
  }

  @Test func noLineOfTheJournalHoldsWhatOpensADoor() {
    let guest = Guest { $0.resident.password = "hush-hush" }
    guest.begin()
    guest.enter("hush-hash")
    let code = guest.enter("hush-hush").json["result"]?.string ?? "-"
    let tokens = guest.redeem(code).json
    _ = guest.redeem(code)
    _ = guest.refresh(tokens["refresh_token"]?.string ?? "")
    let lines = guest.home.journal.map { EventLine.entry($0).text }
    let texts = guest.home.journal.flatMap { PlainLine.entry($0) }
    #expect(lines.count == 5)
    for line in lines + texts {
      for secret in ["hush", code, tokens["refresh_token"]?.string ?? "-"] {
        #expect(!line.contains(secret))
      }
    }
  }
}
