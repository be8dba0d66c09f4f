import Bytes
import Testing

@testable import HomeAssistant

@Suite struct RegistrationRequestTests {
  static func request(
    deviceName: [UInt8] = [UInt8]("Boat"), push: PushRoutes = .none
  ) -> RegistrationRequest {
    RegistrationRequest(
      deviceID: [UInt8]("0badcafe"), deviceName: deviceName, manufacturer: [UInt8]("raspberrypi"),
      model: [UInt8]("Raspberry Pi Zero 2 W"), osName: [UInt8]("Linux"),
      osVersion: [UInt8]("6.12.20"), appVersion: [UInt8]("0.1"), push: push)
  }

  private func json(deviceName: [UInt8]) -> String {
    let request = Self.request(deviceName: deviceName)
    return written { request.write(into: &$0) }
  }

  /// Home Assistant answers 201 to a request without `os_version`, and never opens the webhook.
  @Test func everyKeyThatHomeAssistantNeedsIsThereFromTheStart() {
    #expect(
      json(deviceName: [UInt8]("Boat"))
        == #"{"device_id":"0badcafe","app_id":"homeward","app_name":"Homeward","#
        + #""app_version":"0.1","device_name":"Boat","manufacturer":"raspberrypi","#
        + #""model":"Raspberry Pi Zero 2 W","os_version":"6.12.20","os_name":"Linux","#
        + #""supports_encryption":true}"#)
  }

  @Test(arguments: [
    ([UInt8]("The \"Boat\""), #"The \"Boat\""#),
    ([UInt8]("C:\\"), #"C:\\"#),
    ([UInt8]("⛵️ Zeemeeuw"), "⛵️ Zeemeeuw"),
    ([UInt8]("a\nb\u{0}"), #"a\u000ab\u0000"#),
    ([0x42, 0xC3, 0x28, 0xFF], "B\u{FFFD}(\u{FFFD}"),
    ([0xF0, 0x9F, 0x9A], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ([], ""),
  ])
  func aNameThatAPersonTypedNeverBreaksTheMessage(name: [UInt8], written: String) {
    #expect(json(deviceName: name).contains(#","device_name":"\#(written)","manufacturer""#))
  }

  @Test func theRequestBeforeIsGone() {
    var buffer = buffer(of: "an older request")
    let request = Self.request()
    request.write(into: &buffer)
    #expect(text(of: buffer).hasPrefix(#"{"device_id""#))
  }
}

@Suite struct RegistrationAnswerTests {
  static let secret = String(repeating: "0123456789abcdef", count: 4)

  private func read(status: Int, _ body: String) -> RegistrationAnswer {
    RegistrationAnswer.read(AnswerHead(status: status), body: buffer(of: body))
  }

  /// The refusal of a server, in an answer that is one.
  private func refusal(_ answer: RegistrationAnswer) -> ServerRefusal? {
    if case .server(let refusal) = answer { refusal } else { nil }
  }

  private func isTokenRejected(_ answer: RegistrationAnswer) -> Bool {
    if case .tokenRejected = answer { true } else { false }
  }

  private func registered(_ body: String, status: Int = 201) -> Registration? {
    guard case .registered(let registration) = read(status: status, body) else { return nil }
    return registration
  }

  @Test(arguments: [
    #"{"cloudhook_url":null,"remote_ui_url":null,"secret":"SECRET","webhook_id":"0f33ab"}"#,
    #"{"webhook_id":"0f33ab","secret":"SECRET"}"#,
    " { \"webhook_id\" : \"0f33ab\" ,\n\"new\":{\"secret\":\"x\"},\"secret\" : \"SECRET\" }\n",
    // Members of a Home Assistant to come, one of them under a name that our own file has.
    #"{"version":2027.1,"checksum":1e99,"webhook_id":"0f33ab","secret":"SECRET"}"#,
  ])
  func aRegistrationIsTheWebhookAndItsKey(form: String) throws {
    let body = form.split(separator: "SECRET", omittingEmptySubsequences: false)
      .joined(separator: Self.secret)
    let registration = try #require(registered(body))
    #expect(written { $0.append(registration.path) } == "/api/webhook/0f33ab")
    #expect(written { registration.append(keyTo: &$0) } == Self.secret)
  }

  @Test(arguments: [
    #"{"secret":null,"webhook_id":"0f33ab"}"#, #"{"webhook_id":"0f33ab"}"#,
  ])
  func withoutASecretThereIsNoEncryption(body: String) {
    guard case .withoutEncryption = read(status: 201, body) else {
      Issue.record("\(body) was not seen to have no secret")
      return
    }
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "<html>Welcome to the hotel</html>", #"{"secret":"SECRET"}"#,
    #"{"secret":"SECRET","webhook_id":null}"#, #"{"secret":"SECRET","webhook_id":5}"#,
    #"{"secret":"SECRET","webhook_id":""}"#, #"{"secret":"SECRET","webhook_id":"../auth"}"#,
    #"{"secret":"SECRET","webhook_id":"a?b"}"#, #"{"secret":"SECRET","webhook_id":"a b"}"#,
    #"{"secret":"SECRET","webhook_id":"é"}"#,
    #"{"secret":"SECRET0","webhook_id":"0f"}"#, #"{"secret":"","webhook_id":"0f"}"#,
    #"{"secret":"zzSECRET","webhook_id":"0f"}"#, #"{"secret":"SECRET","webhook_id":"0f"}{}"#,
    #"{"secret":"SECRET","webhook_id":"0f""#,
  ])
  func whatIsNoRegistrationIsNotHomeAssistants(form: String) {
    let body = form.split(separator: "SECRET", omittingEmptySubsequences: false)
      .joined(separator: Self.secret)
    for status in [200, 201] {
      #expect(refusal(read(status: status, body)) == .notHomeAssistant(status: status))
    }
  }

  @Test func anAnswerCutAtAnyByteRegistersNothing() {
    let body = #"{"webhook_id":"0f33ab","secret":"\#(Self.secret)"}"#
    for cut in truncations(of: [UInt8](body.utf8)) {
      #expect(registered(String(decoding: cut, as: UTF8.self)) == nil)
    }
  }

  @Test func aWebhookIDTooLongForAURLIsRefused() {
    func body(_ count: Int) -> String {
      #"{"webhook_id":"\#(String(repeating: "a", count: count))","secret":"\#(Self.secret)"}"#
    }
    #expect(registered(body(Registration.webhookIDCountMax)) != nil)
    #expect(registered(body(Registration.webhookIDCountMax + 1)) == nil)
  }

  @Test func noStatusButSuccessRegistersAnything() {
    let body = #"{"webhook_id":"0f33ab","secret":"\#(Self.secret)"}"#
    for status in 0..<600 {
      #expect((registered(body, status: status) != nil) == [200, 201].contains(status))
    }
  }

  /// A proxy, or a hotel's page, has not looked at the token. Since 2026.4 Home Assistant refers to
  /// its login.
  @Test(arguments: [
    ("", "text/plain; charset=utf-8", "401: Unauthorized", true),
    (
      "Bearer resource_metadata=\"http://ha:8123/.well-known/x\"", "text/plain; charset=utf-8",
      "401: Unauthorized", true
    ),
    ("Basic realm=\"x\"", "text/html", "<html>401 Authorization Required</html>", false),
    ("", "text/html; charset=utf-8", "401: Unauthorized", false),
    ("Basic realm=\"x\"", "text/plain; charset=utf-8", "401: Unauthorized", false),
    ("", "text/plain; charset=utf-8", "401 Unauthorized", false),
    ("", "text/plain; charset=utf-8", "401; Unauthorized", false),
    ("", "application/json", #"{"status":"KO","message":"Authentication failed"}"#, false),
    ("", "text/plain", "", false), ("", "text/plain", "403: Forbidden", false),
  ])
  func onlyHomeAssistantsOwnWordsRejectAToken(
    challenge: String, type: String, body: String, isRejected: Bool
  ) {
    var head = AnswerHead(status: 401)
    head.setContentType([UInt8](type.utf8).span)
    if !challenge.isEmpty { head.setChallenge([UInt8](challenge.utf8).span) }
    let answer = RegistrationAnswer.read(head, body: buffer(of: body))
    #expect(isTokenRejected(answer) == isRejected)
    #expect(refusal(answer) == (isRejected ? nil : .forbidden(status: 401)))
  }

  @Test func theStatusSaysWhoIsAtFault() {
    #expect(isTokenRejected(read(status: 401, "401: Unauthorized")))
    let invalid = read(status: 400, #"{"message":"Invalid JSON."}"#)
    let isRequestRejected = if case .requestRejected = invalid { true } else { false }
    #expect(isRequestRejected)
    #expect(refusal(read(status: 403, "403: Forbidden")) == .banned)
    #expect(refusal(read(status: 400, "400: Bad Request")) == .untrustedProxy)
    #expect(refusal(read(status: 404, "404: Not Found")) == .notFound)
    #expect(refusal(read(status: 503, "")) == .unavailable(status: 503))
    #expect(refusal(read(status: 302, "")) == .notHomeAssistant(status: 302))
  }
}
