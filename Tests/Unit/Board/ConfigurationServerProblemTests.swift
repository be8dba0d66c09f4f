import Board
import Testing

/// What is wrong with the ways to Home Assistant, and what comes back over them.
@Suite struct ConfigurationServerProblemTests {
  @Test(arguments: [
    ("transport: https", "\"https\" is unknown; did you mean \"http\"?"),
    ("transport: mqtt", "\"mqtt\" is unknown; write http or websocket"),
    ("encryption: off", "\"off\" is unknown; write required or preferred"),
    ("register_again: yes", "\"yes\" is not a duration; write for example 10min"),
    ("register_again: 29s", "\"29s\" is out of range; write a time from 30 s to 1 d"),
  ])
  func aWrongWayToHomeAssistantShowsTheRightOnes(_ written: String, _ expected: String) throws {
    let key = try #require(written.split(separator: ":").first)
    #expect(
      Outcome.problem("home_assistant:\n  url: http://ha\n  \(written)\n")
        == "f:3:\(key.count + 5): home_assistant.\(key): \(expected)")
  }

  @Test(arguments: [
    ("tls: { ca_file: ca.pem }", "ca_file: this is not an absolute path"),
    ("tls: { public_key: abc }", "public_key: \"abc\" is not the SHA-256 of a public key"),
    ("tls: { key_file: /k }", "tls: a certificate and its key go together"),
    ("tls: { verify: false }", "unknown key \"verify\""),
  ])
  func aWrongTLSSettingIsNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem("home_assistant:\n  url: http://ha\n  \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("commands: [command_gpi]", "commands[0]: \"command_gpi\" is unknown; did you mean"),
    ("commands: [command_gpio, command_gpio]", "this is already used on line"),
    ("commands: command_gpio", "commands: a list is expected here"),
    (
      "commands: [command_gpio]\nnotifications: off",
      "notifications: commands arrive as notifications, and none arrive; write notifications:"
    ),
  ])
  func aCommandThatCannotComeIsNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(minimum + "\(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("{ url: http://h }", "home_network: no key defines the home network"),
    ("{ ssids: [] }", "ssids: this list has 0 items"),
    ("{ ssids: Harbour }", "ssids: a list is expected here"),
    ("{ ssids: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa] }", "the name of the network has 33 bytes"),
    ("{ bssids: [Harbour] }", "bssids[0]: \"Harbour\" is not a hardware address"),
    ("{ gateways: [192.168.1.1] }", "gateways[0]: \"192.168.1.1\" is not a hardware address"),
    ("{ gateways: [\"00:00:00:00:00:00\"] }", "is not a hardware address"),
    ("{ gateways: [\"01:00:5e:00:00:01\"] }", "is not a hardware address"),
    ("{ ssid: [Harbour] }", "did you mean \"ssids\"?"),
  ])
  func aWrongHomeNetworkIsNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(
      "home_assistant:\n  url: http://ha\n  home_network: \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("on", "\"on\" is not possible here"), ("[websocket]", "notifications:"),
    ("{ websocket: true }", "notifications:"),
  ])
  func wrongNotificationsAreNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(minimum + "notifications: \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("https://r", "push: keys and values are expected here; write for example push: { relay:"),
    ("{ token_file: /t }", "relay"),
    ("{ relay: r }", "push.relay: the address does not begin"),
    ("{ relay: https://r, token_file: t }", "push.token_file"),
    ("{ relay: https://r, url: https://r }", "url"),
  ])
  func aWrongPushRelayIsNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(minimum + "push: \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  static let noScheme =
    "does not begin with http:// or https://; write for example http://192.168.1.5:8123"
  static let noHost = "has no valid host; write for example http://192.168.1.5:8123"
  static let noPort =
    "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
  static let notASCII =
    "has a space or a character beyond ASCII; write such a host as xn--..., and such a path with %"

  @Test(arguments: [
    ("ha.local:8123", noScheme),
    ("ftp://ha", noScheme),
    ("http://", noHost),
    ("http:///x", noHost),
    ("http://:8123", noHost),
    ("http://a!b", noHost),
    ("http://[]", noHost),
    ("http://[::1", "has a [ without ]; write for example http://[::1]:8123"),
    ("http://me:secret@ha", "has a user name; leave it out: Home Assistant asks for a token only"),
    ("http://ha?x=1", "has a ? or #; leave out what follows it"),
    ("http://ha/x#y", "has a ? or #; leave out what follows it"),
    ("http://h a", notASCII),
    ("http://hä", notASCII),
    ("http://ha:", noPort),
    ("http://ha:0", noPort),
    ("http://ha:65536", noPort),
    ("http://ha:80x", noPort),
    ("http://fd00::5", noPort),
    ("http://[::1]x", noPort),
    ("http://\(String(repeating: "a", count: 506))", "has 513 bytes; the most is 512"),
    ("http://\(String(repeating: "a", count: 254))", noHost),
  ])
  func aWrongAddressIsExplainedAndNeverShown(_ written: String, _ expected: String) {
    #expect(
      Outcome.problem("home_assistant:\n  url: \"\(written)\"\n")
        == "f:2:8: home_assistant.url: the address \(expected)")
  }

  @Test func aPathWithACharacterThatNoPathHasIsRefused() {
    #expect(
      Outcome.problem("home_assistant: { url: 'http://ha/<x>' }") == """
        f:1:24: home_assistant.url: the path of the address contains an invalid character; \
        remove it
        """)
  }
}
