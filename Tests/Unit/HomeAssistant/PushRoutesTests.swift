import Bytes
import Testing

@testable import HomeAssistant

@Suite struct PushRoutesTests {
  private func request(push: PushRoutes = .none) -> RegistrationRequest {
    RegistrationRequestTests.request(push: push)
  }

  private func target() throws -> PushTarget {
    try #require(PushTarget(url: "http://192.168.1.9:8080/push?a=1", token: "tok123"))
  }

  private func registering(_ push: PushRoutes) -> String {
    let request = request(push: push)
    return written { request.write(into: &$0) }
  }

  /// Any value of the key, even false, gives the device a notify service.
  @Test func withoutAWishForPushNothingIsSaidOfIt() {
    let request = registering(.none)
    #expect(!request.contains("app_data"))
    #expect(!request.contains("push"))
  }

  @Test func theRoutesAreToldAtRegistration() throws {
    let channel = registering(PushRoutes(isWebSocketWanted: true))
    #expect(
      channel.hasSuffix(
        #""supports_encryption":true,"app_data":{"push_websocket_channel":true}}"#))
    let both = registering(PushRoutes(isWebSocketWanted: true, target: try target()))
    #expect(
      both.hasSuffix(
        #","app_data":{"push_websocket_channel":true,"#
          + #""push_url":"http://192.168.1.9:8080/push?a=1","push_token":"tok123"}}"#))
    let server = registering(PushRoutes(isWebSocketWanted: false, target: try target()))
    #expect(!server.contains("push_websocket_channel"))
  }

  @Test(arguments: [
    "", "push", "ftp://a/b", "http://", "https:///path", "http://a b", "http://a\n", "HTTP://a",
    "http://é", "http://a\"", "http://a\\b", " http://a",
  ])
  func aTargetThatHomeAssistantRefusesIsNone(url: String) {
    #expect(PushTarget(url: Text(url), token: "t") == nil)
  }

  // MARK: update_registration

  private func updating(_ push: PushRoutes) -> String {
    let update = request(push: push)
    return written { update.writeUpdate(into: &$0) }
  }

  /// Home Assistant drops the message over any other key, and over one that it misses.
  @Test func anUpdateHasExactlyTheKeysThatHomeAssistantTakes() throws {
    let start =
      #"{"app_version":"0.1","device_name":"Boat","manufacturer":"raspberrypi","#
      + #""model":"Raspberry Pi Zero 2 W","os_version":"6.12.20","app_data":"#
    // An empty one removes what was there.
    #expect(updating(.none) == start + "{}}")
    #expect(
      updating(PushRoutes(isWebSocketWanted: true)) == start
        + #"{"push_websocket_channel":true}}"#)
    #expect(
      updating(PushRoutes(isWebSocketWanted: false, target: try target())) == start
        + #"{"push_url":"http://192.168.1.9:8080/push?a=1","push_token":"tok123"}}"#)
  }

  @Test func onlyWhatChangedIsToldAgain() throws {
    let update = request()
    #expect(update.fingerprint == request().fingerprint)
    #expect(update.fingerprint.bytes.count == 32)
    var others = [update, update, update, update, update, update, update]
    others[0].appVersion = [UInt8]("0.2")
    others[1].deviceName = [UInt8]("Boot")
    others[2].manufacturer = [UInt8]("RP")
    others[3].model = [UInt8]("Zero 2")
    others[4].osVersion = [UInt8]("6.13")
    others[5].push.isWebSocketWanted = true
    others[6].push.target = try target()
    let fingerprints = others.map { $0.fingerprint } + [update.fingerprint]
    #expect(Set(fingerprints).count == others.count + 1)
  }

  @Test func whatHomeAssistantHasOnRecordIsCompared() {
    var update = request()
    func answer() -> [UInt8] {
      let device: JSON = [
        "app_data": ["push_token": "tok"], "app_id": "homeward",
        "app_version": .text(Text(update.appVersion)),
        "device_name": .text(Text(update.deviceName)),
        "manufacturer": .text(Text(update.manufacturer)), "model": .text(Text(update.model)),
        "os_version": .text(Text(update.osVersion)),
      ]
      return device.serialized()
    }
    func isKnown(_ update: RegistrationRequest, by answer: [UInt8]) -> Bool {
      update.isKnown(by: answer.span)
    }
    let known = answer()
    #expect(isKnown(update, by: known))
    for change in [\.appVersion, \.deviceName, \.manufacturer, \.model, \.osVersion]
      as [WritableKeyPath<RegistrationRequest, [UInt8]>]
    {
      var other = update
      other[keyPath: change] = [UInt8]("x")
      #expect(!isKnown(other, by: known))
    }
    update.osVersion = [UInt8]("6.13")
    #expect(isKnown(update, by: answer()))
    for cut in truncations(of: known) { #expect(!isKnown(update, by: cut)) }
  }
}

@Suite struct RegistrationAddressesTests {
  private func registration() throws -> Registration {
    try #require(Registration(webhookID: [UInt8]("0f"), protection: .plain))
  }

  @Test func onlyANewAddressIsWorthKeeping() throws {
    var registration = try registration()
    let none = registration.setAddresses(cloudhook: nil, remoteUI: nil)
    #expect(!none)
    let first = registration.setAddresses(cloudhook: "https://hooks.nabu.casa/a", remoteUI: nil)
    #expect(first)
    let same = registration.setAddresses(cloudhook: "https://hooks.nabu.casa/a", remoteUI: nil)
    #expect(!same)
    let ended = registration.setAddresses(cloudhook: nil, remoteUI: nil)
    #expect(ended)
    #expect(registration.cloudhookURL == nil)
  }

  @Test func whatIsNoURLIsNotSentTo() throws {
    var registration = try registration()
    let long = Text("https://h/" + String(repeating: "a", count: Registration.urlByteCountMax))
    for url in ["", "hooks.nabu.casa/a", "file:///etc/passwd", "https://a b", long] as [Text] {
      let isNew = registration.setAddresses(cloudhook: url, remoteUI: url)
      #expect(!isNew)
    }
  }

  @Test func theAddressesComeWithTheRegistration() throws {
    let body =
      #"{"cloudhook_url":"https://hooks.nabu.casa/a","remote_ui_url":"https://x.ui.nabu.casa","#
      + #""secret":"\#(RegistrationAnswerTests.secret)","webhook_id":"0f"}"#
    guard
      case .registered(let registration) = RegistrationAnswer.read(
        AnswerHead(status: 201), body: buffer(of: body))
    else {
      Issue.record("not registered")
      return
    }
    #expect(registration.cloudhookURL == "https://hooks.nabu.casa/a")
    #expect(registration.remoteUIURL == "https://x.ui.nabu.casa")
    #expect(registration.toldFingerprint == nil)
  }
}
