import Bytes
import Testing

@testable import HomeAssistant

@Suite struct RegistrationRequestTests {
  private func request(deviceName: [UInt8] = [UInt8]("Boat")) -> RegistrationRequest {
    RegistrationRequest(
      deviceID: [UInt8]("0badcafe"), deviceName: deviceName, manufacturer: [UInt8]("raspberrypi"),
      model: [UInt8]("Raspberry Pi Zero 2 W"), osName: [UInt8]("Linux"),
      osVersion: [UInt8]("6.12.20"), appVersion: [UInt8]("0.1"))
  }

  private func json(deviceName: [UInt8]) -> String {
    let request = request(deviceName: deviceName)
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
    let request = request()
    request.write(into: &buffer)
    #expect(text(of: buffer).hasPrefix(#"{"device_id""#))
  }
}

@Suite struct RegistrationAnswerTests {
  static let secret = String(repeating: "0123456789abcdef", count: 4)

  private func read(status: Int, _ body: String) -> RegistrationAnswer {
    RegistrationAnswer.read(AnswerHead(status: status), body: buffer(of: body))
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
      guard case .server(.notHomeAssistant(status)) = read(status: status, body) else {
        Issue.record("\(body) was taken for Home Assistant's")
        continue
      }
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

  /// A proxy, or a hotel's page, has not looked at the token.
  @Test(arguments: [
    ("Basic realm=\"x\"", "text/html", "<html>401 Authorization Required</html>"),
    ("", "text/html; charset=utf-8", "401: Unauthorized"),
    ("Basic realm=\"x\"", "text/plain; charset=utf-8", "401: Unauthorized"),
    ("", "text/plain; charset=utf-8", "401 Unauthorized"),
    ("", "text/plain; charset=utf-8", "401; Unauthorized"),
    ("", "application/json", #"{"status":"KO","message":"Authentication failed"}"#),
    ("", "text/plain", ""), ("", "text/plain", "403: Forbidden"),
  ])
  func onlyHomeAssistantsOwnWordsRejectAToken(challenge: String, type: String, body: String) {
    var head = AnswerHead(status: 401)
    head.setContentType([UInt8](type.utf8).span)
    if !challenge.isEmpty { head.setChallenge([UInt8](challenge.utf8).span) }
    guard
      case .server(.forbidden(401)) = RegistrationAnswer.read(head, body: buffer(of: body))
    else {
      Issue.record("\(body) was taken for Home Assistant's")
      return
    }
  }

  /// With the second it refers to its login since 2026.4.
  @Test(arguments: [nil, "Bearer resource_metadata=\"http://ha:8123/.well-known/x\""])
  func homeAssistantsOwnWordsDo(challenge: String?) {
    var head = AnswerHead(status: 401)
    head.setContentType([UInt8]("text/plain; charset=utf-8".utf8).span)
    if let challenge { head.setChallenge([UInt8](challenge.utf8).span) }
    guard
      case .tokenRejected = RegistrationAnswer.read(head, body: buffer(of: "401: Unauthorized"))
    else {
      Issue.record("it was taken for a proxy's")
      return
    }
  }

  @Test func theStatusSaysWhoIsAtFault() {
    if case .tokenRejected = read(status: 401, "401: Unauthorized") {} else { Issue.record("401") }
    if case .requestRejected = read(status: 400, #"{"message":"Invalid JSON."}"#) {
    } else {
      Issue.record("400")
    }
    if case .server(.banned) = read(status: 403, "403: Forbidden") {} else { Issue.record("403") }
    if case .server(.untrustedProxy) = read(status: 400, "400: Bad Request") {
    } else {
      Issue.record("400 of the web server")
    }
    if case .server(.notFound) = read(status: 404, "404: Not Found") {} else { Issue.record("404") }
    if case .server(.unavailable(503)) = read(status: 503, "") {} else { Issue.record("503") }
    if case .server(.notHomeAssistant(302)) = read(status: 302, "") {} else { Issue.record("302") }
  }
}
