import Agent
import Testing

/// What a wrong value is answered with: the place, the key, what is wrong, what would be right.
@Suite struct ConfigurationProblemTests {
  @Test(arguments: [
    ("10", "\"10\" has no unit; write for example 60s"),
    ("1.5", "\"1.5\" has no unit; write for example 60s"),
    ("50 milliseconds", "\"50 milliseconds\" is not a duration; write for example 50ms"),
    ("1.5 Hours", "\"1.5 Hours\" is not a duration; write for example 1.5h"),
    ("5m", "\"5m\" is not a duration; write for example 5min"),
    ("10S", "\"10S\" is not a duration; write for example 10s"),
    (
      "10 parsecs",
      "\"10 parsecs\" is not a duration; write for example 60s; the units are ms, s, min, h or d"
    ),
    ("soon", "\"soon\" is not a duration; write for example 60s"),
    ("-5s", "\"-5s\" is not a duration; write for example 60s"),
    (".5s", "\".5s\" is not a duration; write for example 60s"),
    ("5.s", "\"5.s\" is not a duration; write for example 60s"),
    ("1.2.3s", "\"1.2.3s\" is not a duration; write for example 60s"),
    (
      "00:00:10",
      "\"00:00:10\" is not a duration; write for example 60s; the units are ms, s, min, h or d"
    ),
    ("", "there is no value; write one, or remove the line"),
    ("~", "there is no value; write one, or remove the line"),
    ("4999ms", "\"4999ms\" is out of range; write a time from 5s to 24h"),
    ("24.1h", "\"24.1h\" is out of range; write a time from 5s to 24h"),
    ("99999999999999d", "\"99999999999999d\" is out of range; write for example 60s"),
    (
      "99999999999999999999999s",
      "\"99999999999999999999999s\" is out of range; write for example 60s"
    ),
    ("5.00000000001s", "\"5.00000000001s\" has too many digits; leave some out"),
    ("1.0000000000001h", "\"1.0000000000001h\" has too many digits; leave some out"),
    ("5.0000000001s", "\"5.0000000001s\" has too many digits; leave some out"),
    ("[10s]", "one value is expected here; write it without brackets, on the key's line"),
    ("{ a: b }", "one value is expected here; write it without brackets, on the key's line"),
  ])
  func aWrongDurationShowsARightOne(_ written: String, _ expected: String) {
    let column = written.isEmpty ? 7 : 8
    #expect(
      Outcome.problem(minimum + "every: \(written)\n") == "f:2:\(column): every: \(expected)")
  }

  @Test(arguments: [
    ("transport: https", "\"https\" is unknown; did you mean \"http\"?"),
    ("transport: mqtt", "\"mqtt\" is unknown; write http or websocket"),
    ("encryption: off", "\"off\" is unknown; write required or preferred"),
    ("register_again: yes", "\"yes\" is not a duration; write for example 10min"),
    ("register_again: 29s", "\"29s\" is out of range; write a time from 30s to 24h"),
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
    ("{ url: http://h }", "home_network: nothing says which network is home"),
    ("{ ssids: [] }", "ssids: this list has 0 items"),
    ("{ ssids: Harbour }", "ssids: a list is expected here"),
    ("{ ssids: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa] }", "the name of the network has 33 bytes"),
    ("{ bssids: [Harbour] }", "bssids[0]: \"Harbour\" is not a hardware address"),
    ("{ gateways: [192.168.1.1] }", "gateways[0]: \"192.168.1.1\" is not a hardware address"),
    ("{ ssid: [Harbour] }", "did you mean \"ssids\"?"),
  ])
  func aWrongHomeNetworkIsNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(
      "home_assistant:\n  url: http://ha\n  home_network: \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("on", "\"on\" is not possible here"), ("[websocket]", "notifications:"),
    ("{ push_url: http://p }", "needs its address and its token"),
    ("{ push_token_file: /t }", "needs its address and its token"),
    ("{ push_url: p, push_token_file: /t }", "notifications.push_url: the address does not begin"),
  ])
  func wrongNotificationsAreNamed(_ written: String, _ expected: String) {
    let problem = Outcome.problem(minimum + "notifications: \(written)\n")
    #expect(problem.contains(expected), "\(problem)")
  }

  @Test(arguments: [
    ("debounce: 10001ms", "\"10001ms\" is out of range; write a time from 0s to 10s"),
    ("debounce: 0", "\"0\" has no unit; write for example 50ms"),
    ("urgent: yes", "\"yes\" is not a yes-or-no value; write true or false"),
    ("urgent: on", "\"on\" is not a yes-or-no value; write true or false"),
    ("urgent: True", "\"True\" is not a yes-or-no value; write true or false"),
    ("active_low: 1", "\"1\" is not a yes-or-no value; write true or false"),
    ("bias: pullup", "\"pullup\" is unknown; did you mean \"pull_up\"?"),
    ("bias: strong", "\"strong\" is unknown; write as_is, pull_up, pull_down or disabled"),
    ("device_class: moisure", "\"moisure\" is unknown; did you mean \"moisture\"?"),
    ("device_class: Door", "\"Door\" is unknown; did you mean \"door\"?"),
    ("icon: water", "\"water\" is not an icon; write for example mdi:water"),
    ("icon: \"mdi:\"", "\"mdi:\" is not an icon; write for example mdi:water"),
    ("icon: \":water\"", "\":water\" is not an icon; write for example mdi:water"),
    ("icon: \"mdi:water:x\"", "\"mdi:water:x\" is not an icon; write for example mdi:water"),
    ("icon: \"mdi:wa ter\"", "\"mdi:wa ter\" is not an icon; write for example mdi:water"),
  ])
  func aWrongSettingOfASensorIsNamedWithItsPlace(_ setting: String, _ expected: String) {
    let key = setting.prefix { $0 != ":" }
    #expect(
      Outcome.problem(sensor(setting))
        == "f:2:\(40 + key.count + 2): sensors[0].\(key): \(expected)")
  }

  @Test func anUnknownDeviceClassIsAnsweredWithAllOfThem() {
    let problem = Outcome.problem(sensor("device_class: fish"))
    #expect(problem.contains("\"fish\" is unknown; write battery, battery_charging, carbon"))
    #expect(problem.hasSuffix("vibration or window"))
  }

  static let chip = """
    a chip's number or path is not enough: numbers change between kernels; \
    write the line's name or the chip's label, such as pinctrl-bcm2711/17, as "gpioinfo" shows
    """
  static let noOffset = "write a number from 0 to 4095, as \"gpioinfo\" shows"

  @Test(arguments: [
    (
      "17",
      "a line's number alone is not enough: numbers change between kernels; "
        + "write its name, such as GPIO17, as \"gpioinfo\" shows"
    ),
    ("gpiochip0/17", chip), ("gpiochip0", chip), ("/dev/gpiochip0", chip),
    ("/dev/gpiochip0/17", chip),
    ("chip/4096", "after the last slash of \"chip/4096\" there is no offset; \(noOffset)"),
    ("chip/", "after the last slash of \"chip/\" there is no offset; \(noOffset)"),
    ("chip/-1", "after the last slash of \"chip/-1\" there is no offset; \(noOffset)"),
    ("chip/017", "after the last slash of \"chip/017\" there is no offset; \(noOffset)"),
    ("chip/0x11", "after the last slash of \"chip/0x11\" there is no offset; \(noOffset)"),
    (
      "a/99999999999999999999",
      "after the last slash of \"a/99999999999999999999\" there is no offset; \(noOffset)"
    ),
    ("/17", "\"\" is not a name; write 1 to 31 bytes, as \"gpioinfo\" shows"),
    ("\"\"", "\"\" is not a name; write 1 to 31 bytes, as \"gpioinfo\" shows"),
    (
      "0123456789012345678901234567890x",
      "\"0123456789012345678901234567890x\" is not a name; "
        + "write 1 to 31 bytes, as \"gpioinfo\" shows"
    ),
    ("\"a\\tb\"", "\"a?b\" is not a name; write 1 to 31 bytes, as \"gpioinfo\" shows"),
  ])
  func aLineThatAKernelUpdateWouldMoveIsRefused(_ written: String, _ expected: String) {
    let file = minimum + "sensors: [{ gpio: \(written), name: x }]"
    #expect(Outcome.problem(file) == "f:2:19: sensors[0].gpio: \(expected)")
  }

  @Test(arguments: [
    (
      "ha.local:8123",
      "does not begin with http:// or https://; write for example http://192.168.1.5:8123"
    ),
    (
      "ftp://ha",
      "does not begin with http:// or https://; write for example http://192.168.1.5:8123"
    ),
    (
      "HTTP://ha",
      "does not begin with http:// or https://; write for example http://192.168.1.5:8123"
    ),
    ("http://", "has no valid host; write for example http://192.168.1.5:8123"),
    ("http:///x", "has no valid host; write for example http://192.168.1.5:8123"),
    ("http://:8123", "has no valid host; write for example http://192.168.1.5:8123"),
    ("http://a!b", "has no valid host; write for example http://192.168.1.5:8123"),
    ("http://[]", "has no valid host; write for example http://192.168.1.5:8123"),
    ("http://[::1", "has a [ without ]; write for example http://[::1]:8123"),
    ("http://me:secret@ha", "has a user name; leave it out: Home Assistant asks for a token only"),
    ("http://ha?x=1", "has a ? or #; leave out what follows it"),
    ("http://ha/x#y", "has a ? or #; leave out what follows it"),
    (
      "http://h a",
      "has a space or a character beyond ASCII; write such a host as xn--..., and such a "
        + "path with %"
    ),
    (
      "http://hä",
      "has a space or a character beyond ASCII; write such a host as xn--..., and such a "
        + "path with %"
    ),
    (
      "http://ha:",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    (
      "http://ha:0",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    (
      "http://ha:65536",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    (
      "http://ha:80x",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    (
      "http://fd00::5",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    (
      "http://[::1]x",
      "has no valid port; write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]"
    ),
    ("http://\(String(repeating: "a", count: 506))", "has 513 bytes; the most is 512"),
    (
      "http://\(String(repeating: "a", count: 254))",
      "has no valid host; write for example http://192.168.1.5:8123"
    ),
  ])
  func aWrongAddressIsExplainedAndNeverShown(_ written: String, _ expected: String) {
    #expect(
      Outcome.problem("home_assistant:\n  url: \"\(written)\"\n")
        == "f:2:8: home_assistant.url: the address \(expected)")
  }

  @Test func aPathWithACharacterThatNoPathHasIsRefused() {
    #expect(
      Outcome.problem("home_assistant: { url: 'http://ha/<x>' }") == """
        f:1:24: home_assistant.url: the path of the address has a character that no path has; \
        remove it
        """)
  }

  @Test(arguments: [
    ("location: on", 11, "location", "\"on\" is not possible here; write off or { source: gpsd }"),
    (
      "location: gpsd", 11, "location",
      "\"gpsd\" is not possible here; write off or { source: gpsd }"
    ),
    (
      "location: [gpsd]", 11, "location",
      "keys and values are expected here; write for example location: { source: gpsd }"
    ),
    (
      "location: { port: 1 }", 11, "location",
      "the key \"source\" is missing; write for example source: gpsd"
    ),
    (
      "location: { source: gps }", 21, "location.source",
      "\"gps\" is unknown; did you mean \"gpsd\"?"
    ),
    (
      "location: { source: gpsd, port: 0 }", 33, "location.port",
      "\"0\" is not a port; write a number from 1 to 65535"
    ),
    (
      "location: { source: gpsd, port: 65536 }", 33, "location.port",
      "\"65536\" is not a port; write a number from 1 to 65535"
    ),
    (
      "location: { source: gpsd, host: a b }", 33, "location.host",
      "\"a b\" is not a host; write a name or an address, without a port"
    ),
    (
      "location: { source: gpsd, host: \"h:1\" }", 33, "location.host",
      "\"h:1\" is not a host; write a name or an address, without a port"
    ),
    (
      "battery: BAT0", 10, "battery",
      "\"BAT0\" is not possible here; write auto, off or a list of names, such as [BAT0]"
    ),
    (
      "battery: no", 10, "battery",
      "\"no\" is not possible here; write auto, off or a list of names, such as [BAT0]"
    ),
    ("battery: []", 10, "battery", "this list has 0 items; write 1 to 16"),
    ("battery: { a: b }", 10, "battery", "a list is expected here; write for example [BAT0]"),
    (
      "battery: [a/b]", 11, "battery[0]",
      "\"a/b\" is not the name of a power supply; write one that \"ls "
        + "/sys/class/power_supply\" shows"
    ),
    (
      "battery: [..]", 11, "battery[0]",
      "\"..\" is not the name of a power supply; write one that \"ls "
        + "/sys/class/power_supply\" shows"
    ),
    (
      "battery: [A, B, A]", 17, "battery[2]",
      "this is already used on line 2; each may stand there once"
    ),
    ("system: [load, laod]", 16, "system[1]", "\"laod\" is unknown; did you mean \"load\"?"),
    (
      "system: [load, load]", 16, "system[1]",
      "this is already used on line 2; each may stand there once"
    ),
    (
      "system: all", 9, "system",
      "\"all\" is not possible here; write auto, off or a list, such as [cpu_temperature, load]"
    ),
    ("host: { proc: proc }", 15, "host.proc", "this is not an absolute path; begin it with /"),
    ("host: { sys: \"/s\\nys\" }", 14, "host.sys", "this path has a control character; remove it"),
    ("state_directory: x", 18, "state_directory", "this is not an absolute path; begin it with /"),
    (
      "state_directory: /\(String(repeating: "x", count: 1024))", 18, "state_directory",
      "this path has 1025 bytes; the most is 1024"
    ),
    (
      "device: Boat", 9, "device",
      "keys and values are expected here; write for example device: { name: Boat }"
    ),
    (
      "device: { name: \"\" }", 17, "device.name",
      "the name has 0 characters; write 1 to 64, not only spaces"
    ),
    (
      "device: { name: \"  \" }", 17, "device.name",
      "the name has 2 characters; write 1 to 64, not only spaces"
    ),
    (
      "device: { name: \(String(repeating: "ä", count: 65)) }", 17, "device.name",
      "the name has 65 characters; write 1 to 64, not only spaces"
    ),
    (
      "device: { name: \"a\\u0085b\" }", 17, "device.name",
      "the name has a control character; remove it"
    ),
    (
      "device: { name: \"a\\0b\" }", 17, "device.name",
      "the name has a control character; remove it"
    ),
    (
      "sensors: { gpio: GPIO17 }", 10, "sensors",
      "a list is expected here; write for example [{ gpio: GPIO17, name: Bilge }]"
    ),
    (
      "sensors: [GPIO17]", 11, "sensors[0]",
      "keys and values are expected here; write for example { gpio: GPIO17, name: Bilge }"
    ),
    ("sensors:", 9, "sensors", "there is no value; write one, or remove the line"),
  ])
  func aWrongValueIsAnsweredWithARightOne(
    _ line: String, _ column: Int, _ key: String, _ expected: String
  ) {
    #expect(Outcome.problem(minimum + line + "\n") == "f:2:\(column): \(key): \(expected)")
  }

  @Test(arguments: [
    ("evry: 10s", "f:2:1: unknown key \"evry\"; did you mean \"every\"?"),
    ("Every: 10s", "f:2:1: unknown key \"Every\"; did you mean \"every\"?"),
    ("eveyr: 10s", "f:2:1: unknown key \"eveyr\"; did you mean \"every\"?"),
    ("devise: { name: x }", "f:2:1: unknown key \"devise\"; did you mean \"device\"?"),
    (
      "mqtt: hunter2",
      "f:2:1: unknown key \"mqtt\"; write every, state_directory, home_assistant, notifications, "
        + "durability, history, device, location, battery, system, host or sensors"
    ),
    (
      "device: { nickname: hunter2 }",
      "f:2:11: device: unknown key \"nickname\"; the only key here is name"
    ),
    ("host: { porc: /x }", "f:2:9: host: unknown key \"porc\"; did you mean \"proc\"?"),
    ("host: { ssy: /x }", "f:2:9: host: unknown key \"ssy\"; did you mean \"sys\"?"),
    ("host: { xy: /x }", "f:2:9: host: unknown key \"xy\"; write proc or sys"),
    (
      "\"a\\e[31m\": 1",
      "f:2:1: unknown key \"a?[31m\"; write every, state_directory, home_assistant, notifications, "
        + "durability, history, device, location, battery, system, host or sensors"
    ),
  ])
  func anUnknownKeyIsAnsweredWithTheNearestOne(_ line: String, _ expected: String) {
    #expect(Outcome.problem(minimum + line + "\n") == expected)
  }

  @Test func aMisspeltSettingOfASensorIsFound() {
    #expect(
      Outcome.problem(sensor("debouce: 50ms"))
        == "f:2:40: sensors[0]: unknown key \"debouce\"; did you mean \"debounce\"?")
  }

  @Test func missingKeysAreReportedAtTheMappingThatLacksThem() {
    #expect(
      Outcome.problems(
        "# nothing\n\nhome_assistant: { token_file: /t }\nsensors:\n  - name: a\n  - gpio: b\n")
        == [
          "f:3:17: home_assistant: the key \"url\" is missing; write for example url: "
            + "http://192.168.1.5:8123",
          "f:5:5: sensors[0]: the key \"gpio\" is missing; write for example gpio: GPIO17",
          "f:6:5: sensors[1]: the key \"name\" is missing; write for example name: Bilge",
        ])
    #expect(
      Outcome.problem("\n  every: 10s\n") == """
        f:2:3: the key "home_assistant" is missing; write for example \
        home_assistant: { url: http://192.168.1.5:8123 }
        """)
  }

  @Test func allProblemsOfAFileAreReportedAtOnceInItsOrder() {
    let file = """
      evry: 10s
      sensors:
        - { gpio: gpiochip0/17, name: a, debounce: 5 }
        - { gpio: X, name: b, urgent: maybe, icon: water }
        - { gpio: X, name: B }
      battery: BAT0
      home_assistant:
        url: nowhere
        url: again
      """
    #expect(
      Outcome.problems(file).map { $0.prefix { $0 != " " } } == [
        "f:1:1:", "f:3:13:", "f:3:46:", "f:4:33:", "f:4:46:", "f:5:13:", "f:5:22:", "f:6:10:",
        "f:8:8:", "f:9:3:",
      ])
  }

  @Test func aLineOrANameIsUsedOnce() {
    let file =
      minimum + """
        sensors:
          - { gpio: GPIO17, name: Bilge }
          - { gpio: chip/1, name: BILGE }
          - { gpio: GPIO17, name: Ä }
          - { gpio: chip/1, name: ä }
          - { gpio: chip/2, name: Pump }
        """
    #expect(
      Outcome.problems(file) == [
        "f:4:27: sensors[1].name: this is already used on line 3; each may stand there once",
        "f:5:13: sensors[2].gpio: this is already used on line 3; each may stand there once",
        "f:6:13: sensors[3].gpio: this is already used on line 4; each may stand there once",
      ])
  }

  @Test func columnsCountCharactersNotBytes() {
    #expect(
      Outcome.problem(minimum + "device: { name: \"日本🚤é\", x: 1 }\n")
        == "f:2:25: device: unknown key \"x\"; the only key here is name")
    #expect(
      Outcome.problem("\u{FEFF}x: 1 # ä\n" + minimum).hasPrefix("f:1:1: unknown key \"x\""))
    #expect(Outcome.problem("# ä\r\nx: 1\r\n" + minimum).hasPrefix("f:2:1: unknown key \"x\""))
  }

  @Test func moreThanSixtyFourSensorsAreTooMany() {
    let sensors = (1...65).map { "  - { gpio: GPIO\($0), name: Sensor \($0) }\n" }.joined()
    #expect(
      Outcome.problem(minimum + "sensors:\n" + sensors)
        == "f:3:3: sensors: this list has 65 items; write 0 to 64")
  }

  @Test func atMostFiftyProblemsAreShownThoseAtTheTop() throws {
    let file = (1...60).reversed().map { "u\($0): x\n" }.joined() + minimum
    let lines = Outcome.problems(file)
    #expect(lines.count == 51)
    #expect(lines.first?.hasPrefix("f:1:1: unknown key \"u60\"") == true)
    #expect(lines[49].hasPrefix("f:50:1: "))
    #expect(lines.last == "and 10 more")
  }

  @Test func aProblemCanBeReadWithoutParsingItsLine() throws {
    let errors = #expect(throws: ConfigurationErrors.self) {
      try Outcome.configuration(minimum + "sensors:\n  - { gpio: a, name: b, debounce: 5 }")
    }
    let problem = try #require(errors?.problems.first)
    #expect(problem.line == 3)
    #expect(problem.column == 35)
    #expect(text(problem.key) == "sensors[0].debounce")
    #expect(text(problem.problem) == "\"5\" has no unit")
    #expect(text(problem.remedy) == "write for example 50ms")
    #expect(errors?.omittedCount == 0)
  }
}

/// A token in the wrong place stays out of terminals and logs.
@Suite struct ConfigurationSecretTests {
  static let token =
    "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhYmMifQ.s3cr3t"

  @Test func aTokenUnderHomeAssistantIsSentToAFile() {
    #expect(
      Outcome.problem("home_assistant:\n  url: http://ha\n  token: \(Self.token)\n") == """
        f:3:3: home_assistant: unknown key "token"; \
        put the token into a file of its own and name that file with "token_file"
        """)
  }

  @Test(arguments: [
    "home_assistant: \(token)", "home_assistant: { url: \(token) }", token, "\(token): x",
    "home_assistant: { url: \"http://\(token)@ha\" }", "home_assistant: { tokn: \(token) }",
    "home_assistant: { token_file: \(token) }", "home_assistant: { token_file: [\(token)] }",
    "home_assistant: { token_file: !secret \(token) }", "home_assistant: { token_file: *\(token) }",
    "home_assistant: { \(token): 1, \(token): 2 }", "\(token): { a: *b }", "eyJ0: { a: *b }",
    "every: \(token)",
    "every: eyJ0", "battery: \(token)", "sensors: [{ gpio: \(token), urgent: \(token) }]",
    "state_directory: \(token)", "device: { name: \"\(token)", "device: { name: \(token): x",
    "location: { source: \(token), port: \(token), host: \"\(token)!\" }",
  ])
  func aTokenIsNeverEchoed(_ line: String) {
    let problems = Outcome.problem(line + "\n")
    #expect(!problems.isEmpty)
    for part in ["eyJ", "s3cr3t", "aWMi"] { #expect(!problems.contains(part), "\(problems)") }
  }

  @Test func aLongTextIsDescribedInsteadOfShown() {
    let long = String(repeating: "x", count: 41)
    #expect(
      Outcome.problem(minimum + "every: \(long)\n") == """
        f:2:8: every: (a text of 41 characters) is not a duration; write for example 60s
        """)
  }
}
