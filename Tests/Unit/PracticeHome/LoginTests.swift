import Testing

@testable import PracticeHome

@Suite struct LoginTests {
  @Test func theNameIsTakenLooselyAndThePasswordExactly() {
    let guest = Guest()
    guest.begin()
    for password in ["practice ", "PRACTICE"] {
      #expect(guest.enter(password).json["errors"] == ["base": "invalid_auth"])
    }
    let reply = guest.fill(["username": " PRACTICE ", "password": "practice"])
    #expect(reply.json["type"] == "create_entry")
  }

  @Test(
    arguments: [
      (["handler": ["nope", nil]], 500, nil),
      (["client_id": "foo"], 400, "Invalid client id"),
      (["client_id": "http://8.8.8.8/"], 400, "Invalid client id"),
      (["client_id": "http://a/b/../c"], 400, "Invalid client id"),
      (["client_id": 5], 400, "Message format incorrect: client_id: expected str (got 5)"),
      (["x": 1], 400, "Message format incorrect: extra key \"x\""),
    ] as [(JSONObject, Int, String?)])
  func aLoginThatBeginsWrongIsToldSo(change: JSONObject, status: Int, message: String?) {
    let guest = Guest()
    let reply = guest.begin(change)
    #expect(reply.status == status)
    #expect(reply.json["message"]?.string == message)
  }

  @Test func aClientMayLiveAtAnyNameOrPrivateAddress() {
    for address in [
      "http://homeassistant.local:8123/", "https://example.org", "http://192.168.1.5:80/x",
      "http://10.0.0.1", "http://[::1]:8123/", "http://172.31.0.1/",
    ] {
      #expect(Address(address)?.isClientID == true, "\(address)")
    }
    for address in [
      "http://172.32.0.1/", "http://u@a/", "http://a/#b", "ftp://a/", "http:///", "http://a:x/",
    ] {
      #expect(Address(address)?.isClientID != true, "\(address)")
    }
  }

  @Test func anAnswerGoesNowhereButToTheClient() {
    let guest = Guest()
    guest.begin(["redirect_uri": "http://127.0.0.1:8125/"])
    let reply = guest.enter()
    #expect(reply.status == 403)
    #expect(reply.json == ["message": "Invalid redirect URI"])
  }

  @Test func aSecondFactorIsAskedForOnlyAfterThePassword() {
    let guest = Guest { $0.resident.code = "123456" }
    guest.begin()
    #expect(guest.enter("wrong").json["step_id"] == "init")
    let second = guest.enter()
    #expect(second.json["step_id"] == "mfa")
    #expect(
      second.json["description_placeholders"]
        == ["mfa_module_name": "Authenticator app", "mfa_module_id": "totp"])
    #expect(guest.enter().status == 400, "the password is not asked for any more")
    #expect(guest.fill(["code": "000000"]).json["errors"] == ["base": "invalid_code"])
    #expect(guest.lastRefusal == .wrongCode)
    #expect(guest.fill(["code": "123456"]).json["type"] == "create_entry")
  }

  @Test func theFifthWrongCodeEndsTheLogin() {
    let guest = Guest { $0.resident.code = "123456" }
    guest.begin()
    guest.enter()
    for _ in 1...4 { #expect(guest.fill(["code": "0"]).json["type"] == "form") }
    let last = guest.fill(["code": "0"])
    #expect(last.json["type"] == "abort")
    #expect(last.json["reason"] == "too_many_retry")
    #expect(guest.fill(["code": "123456"]).status == 404)
  }

  @Test func aCodeAfterFiveMinutesIsTooLate() {
    let guest = Guest { $0.resident.code = "123456" }
    guest.begin()
    guest.enter()
    guest.now = guest.now + .seconds(301)
    #expect(guest.fill(["code": "123456"]).json["reason"] == "login_expired")
  }

  @Test func otherMethodsAndPathsAreRefused() {
    let guest = Guest()
    guest.begin()
    #expect(guest.ask("PUT", "/auth/login_flow").text == "405: Method Not Allowed")
    #expect(guest.ask("PUT", "/auth/login_flow/\(guest.flow)").status == 405)
    #expect(guest.ask("GET", "/auth/token").status == 405)
    #expect(guest.ask("GET", "/auth/nowhere").status == 404)
  }
}
