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
      (["client_id": 5], 400, "Message format incorrect: client_id: expected str (got 5)"),
      (["x": 1], 400, "Message format incorrect: extra key \"x\""),
    ] as [(JSONObject, Int, String?)])
  func aLoginThatBeginsWrongIsToldSo(change: JSONObject, status: Int, message: String?) {
    let guest = Guest()
    let reply = guest.begin(change)
    #expect(reply.status == status)
    #expect(reply.json["message"]?.string == message)
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

  @Test func otherMethodsAndPathsAreRefused() {
    let guest = Guest()
    guest.begin()
    #expect(guest.ask("PUT", "/auth/login_flow").text == "405: Method Not Allowed")
    #expect(guest.ask("PUT", "/auth/login_flow/\(guest.flow)").status == 405)
    #expect(guest.ask("GET", "/auth/token").status == 405)
    #expect(guest.ask("GET", "/auth/nowhere").status == 404)
  }
}
