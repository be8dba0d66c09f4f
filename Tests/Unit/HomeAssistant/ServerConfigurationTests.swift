import Bytes
import Testing

@testable import HomeAssistant

@Suite struct ServerConfigurationTests {
  private static let answer =
    #"{"latitude":52.0,"longitude":4.5,"elevation":1,"hass_device_id":"5fa3","#
    + #""unit_system":{"length":"km","temperature":"°C"},"#
    + #""location_name":"Test \u2693","time_zone":"Europe/Amsterdam","#
    + #""components":["zone","sensor.mobile_app","mobile_app"],"version":"2025.4.4","#
    + ##""theme_color":"#03A9F4","entities":{"bilge":{"disabled":true},"cpu":{"disabled":false},"##
    + #""0badcafe":{"new":[1],"disabled":true},"odd":{}}}"#

  private func read(_ answer: String) throws(JSONDecodingError) -> Webhook.ServerConfiguration {
    try Webhook.ServerConfiguration([UInt8](answer.utf8).span)
  }

  @Test func aHomeSaysWhatItIs() throws {
    let configuration = try read(Self.answer)
    #expect(configuration.version == ServerVersion("2025.4.4"))
    #expect(configuration.deviceID == "5fa3")
    #expect(configuration.cloudhookURL == nil)
    #expect(configuration.remoteUIURL == nil)
  }

  @Test func theAddressesInTheCloudAreThereWithASubscription() throws {
    let configuration = try read(
      #"{"cloudhook_url":"https://hooks.nabu.casa/g","remote_ui_url":"https://x.ui.nabu.casa","#
        + #""instance_id":"ab12","# + Self.answer.dropFirst())
    #expect(configuration.cloudhookURL == "https://hooks.nabu.casa/g")
    #expect(configuration.remoteUIURL == "https://x.ui.nabu.casa")
    #expect(
      try read(#"{"cloudhook_url":null,"# + Self.answer.dropFirst()).cloudhookURL == nil)
  }

  /// It is sent back in a message, which has a limit.
  @Test func anIDOfTheDeviceThatFitsIntoNoMessageIsRefused() {
    let long = Self.answer.replacing("5fa3", with: String(repeating: "a", count: 70_000))
    #expect(throws: JSONDecodingError.invalidValue(key: "hass_device_id")) { try read(long) }
  }

  /// As after a restart, when they come from the file of the registration.
  @Test(arguments: [
    "file:///etc/shadow", "gopher://192.168.1.1", "http://", "https://a b", "",
    "https://h/" + String(repeating: "x", count: 600),
  ])
  func anAddressInTheCloudThatIsNoURLIsNone(address: String) throws {
    let configuration = try read(
      #"{"cloudhook_url":"\#(address)","remote_ui_url":"\#(address)","# + Self.answer.dropFirst())
    #expect(configuration.cloudhookURL == nil && configuration.remoteUIURL == nil)
  }

  @Test(arguments: ["hass_device_id", "version"])
  func whatIsMissingIsNamed(key: String) {
    let renamed = Self.answer.replacing("\"\(key)\"", with: "\"x\"")
    #expect(throws: JSONDecodingError.missingKey(Text(key))) { try read(renamed) }
  }

  @Test func anAnswerCutAtAnyByteIsSeen() {
    for cut in truncations(of: [UInt8](Self.answer.utf8)) {
      #expect(throws: JSONDecodingError.self) { _ = try Webhook.ServerConfiguration(cut.span) }
      #expect(throws: JSONDecodingError.self) {
        _ = try Webhook.ServerConfiguration.isDisabled([UInt8]("cpu"), in: cut.span)
      }
    }
  }

  private func isDisabled(_ uniqueID: String, in answer: String = answer) throws -> Bool? {
    try Webhook.ServerConfiguration.isDisabled(
      [UInt8](uniqueID.utf8), in: [UInt8](answer.utf8).span)
  }

  @Test func whatTheUserDisabledIsFoundByItsID() throws {
    #expect(try isDisabled("bilge") == true)
    #expect(try isDisabled("cpu") == false)
    #expect(try isDisabled("0badcafe") == true)
    #expect(try isDisabled("odd") == false)
    #expect(try isDisabled("cp") == nil)
    #expect(try isDisabled("disabled") == nil)
    #expect(throws: JSONDecodingError.missingKey("entities")) { try isDisabled("cpu", in: "{}") }
    #expect(throws: JSONDecodingError.self) { try isDisabled("cpu", in: #"{"entities":[]}"#) }
  }
}

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("http://ha:8123", "http://ha:8123"), ("http://ha:8123/", "http://ha:8123"),
    ("http://ha:8123///", "http://ha:8123"), ("https://ha/api", "https://ha"),
    ("https://ha/api/", "https://ha"), ("https://ha/api/websocket", "https://ha"),
    ("https://ha/api/websocket/", "https://ha"), ("https://ha/home/api", "https://ha/home"),
    ("http://api", "http://api"), ("http://ha/myapi", "http://ha/myapi"),
    ("http://ha/websocket", "http://ha/websocket"), ("", ""), ("/", ""),
  ])
  func whatPeopleCopyAlongIsLeftOut(url: String, address: String) {
    #expect(String(decoding: serverAddress([UInt8](url.utf8)), as: UTF8.self) == address)
  }
}
