import Board
import Testing
import YAML

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
    ("4999ms", "\"4999ms\" is out of range; write a time from 5 s to 1 d"),
    ("24.1h", "\"24.1h\" is out of range; write a time from 5 s to 1 d"),
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

  /// The whole units fit into nanoseconds, and what stands behind the point does not.
  @Test(arguments: [
    "9223372036854.9ms", "9223372036.9s", "153722867.9min", "2562047.9h", "106751.999d",
  ])
  func aDurationThatIsOneFractionTooLongIsOutOfRange(written: String) {
    #expect(
      Outcome.problem(minimum + "every: \(written)\n")
        .hasPrefix("f:2:8: every: \"\(written)\" is out of range; "))
  }

  static let offOrGPSD = "is not possible here; write off or { source: gpsd }"
  static let noPort = "is not a port; write a number from 1 to 65535"
  static let noAddress =
    "is not a numeric address; write one such as 192.168.1.9, without a port; names are not resolved"
    + " here"
  static let noReceiver = "is not a receiver of gpsd; write for example /dev/ttyACM0"
  static let autoOrNames =
    "is not possible here; write auto, off or a list of names, such as [BAT0]"
  static let noSupply =
    "is not the name of a power supply; write one that \"ls /sys/class/power_supply\" shows"
  static let isUsed = "this is already used on line 2; write each one once"
  static let nameLength = "characters; write 1 to 64, not only spaces"
  static let controlInName = "the name has a control character; remove it"

  @Test(arguments: [
    ("location: on", 11, "location", "\"on\" \(offOrGPSD)"),
    ("location: gpsd", 11, "location", "\"gpsd\" \(offOrGPSD)"),
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
    ("location: { source: gpsd, port: 0 }", 33, "location.port", "\"0\" \(noPort)"),
    ("location: { source: gpsd, port: 65536 }", 33, "location.port", "\"65536\" \(noPort)"),
    ("location: { source: gpsd, host: a b }", 33, "location.host", "\"a b\" \(noAddress)"),
    (
      "location: { source: gpsd, host: gps.local }", 33, "location.host",
      "\"gps.local\" \(noAddress)"
    ),
    ("location: { source: gpsd, host: \"h:1\" }", 33, "location.host", "\"h:1\" \(noAddress)"),
    ("location: { source: gpsd, device: a b }", 35, "location.device", "\"a b\" \(noReceiver)"),
    ("location: { source: gpsd, device: \"\" }", 35, "location.device", "\"\" \(noReceiver)"),
    (
      "location: { source: gpsd, devcie: a }", 27, "location",
      "unknown key \"devcie\"; did you mean \"device\"?"
    ),
    ("battery: BAT0", 10, "battery", "\"BAT0\" \(autoOrNames)"),
    ("battery: no", 10, "battery", "\"no\" \(autoOrNames)"),
    ("battery: []", 10, "battery", "this list has 0 items; write 1 to 16"),
    (
      "battery: { chemistry: agm }", 10, "battery",
      "the key \"voltage\" is missing; write for example voltage: House battery voltage"
    ),
    ("battery: [a/b]", 11, "battery[0]", "\"a/b\" \(noSupply)"),
    ("battery: [..]", 11, "battery[0]", "\"..\" \(noSupply)"),
    ("battery: [A, B, A]", 17, "battery[2]", isUsed),
    ("system: [load, laod]", 16, "system[1]", "\"laod\" is unknown; did you mean \"load\"?"),
    ("system: [load, load]", 16, "system[1]", isUsed),
    (
      "system: all", 9, "system",
      "\"all\" is not possible here; write auto, off or a list, such as [cpu_temperature, load]"
    ),
    ("host: { proc: proc }", 15, "host.proc", "this is not an absolute path; begin it with /"),
    ("host: { sys: \"/s\\nys\" }", 14, "host.sys", "this path has a control character; remove it"),
    (
      "durability: all", 13, "durability", "\"all\" is unknown; write reading, batch or memory"
    ),
    (
      "history: { disk_megabytes: 3 }", 28, "history.disk_megabytes",
      "\"3\" is not a whole number in range; write one from 4 to 4096"
    ),
    (
      "history: { bytes_per_minute: 1023 }", 30, "history.bytes_per_minute",
      "\"1023\" is not a whole number in range; write one from 1024 to 1000000000"
    ),
    (
      "history: { statistics: ja }", 24, "history.statistics",
      "\"ja\" is not a yes-or-no value; write true or false"
    ),
    ("state_directory: x", 18, "state_directory", "this is not an absolute path; begin it with /"),
    (
      "state_directory: /\(String(repeating: "x", count: 1024))", 18, "state_directory",
      "this path has 1025 bytes; the most is 1024"
    ),
    (
      "device: Boat", 9, "device",
      "keys and values are expected here; write for example device: { name: Boat }"
    ),
    ("device: { name: \"\" }", 17, "device.name", "the name has 0 \(nameLength)"),
    ("device: { name: \"  \" }", 17, "device.name", "the name has 2 \(nameLength)"),
    (
      "device: { name: \(String(repeating: "ä", count: 65)) }", 17, "device.name",
      "the name has 65 \(nameLength)"
    ),
    ("device: { name: \"a\\u0085b\" }", 17, "device.name", controlInName),
    ("device: { name: \"a\\0b\" }", 17, "device.name", controlInName),
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

  static let allKeys =
    "write every, upload, state_directory, home_assistant, notifications, push, durability, history,"
    + " device, location, battery, system, host, sensors, outputs, commands or power"

  @Test(arguments: [
    ("evry: 10s", "f:2:1: unknown key \"evry\"; did you mean \"every\"?"),
    ("Every: 10s", "f:2:1: unknown key \"Every\"; did you mean \"every\"?"),
    ("eveyr: 10s", "f:2:1: unknown key \"eveyr\"; did you mean \"every\"?"),
    ("devise: { name: x }", "f:2:1: unknown key \"devise\"; did you mean \"device\"?"),
    ("mqtt: hunter2", "f:2:1: unknown key \"mqtt\"; \(allKeys)"),
    (
      "device: { nickname: hunter2 }",
      "f:2:11: device: unknown key \"nickname\"; the only key here is name"
    ),
    ("host: { porc: /x }", "f:2:9: host: unknown key \"porc\"; did you mean \"proc\"?"),
    ("host: { ssy: /x }", "f:2:9: host: unknown key \"ssy\"; did you mean \"sys\"?"),
    ("host: { xy: /x }", "f:2:9: host: unknown key \"xy\"; write proc, sys or boards"),
    ("\"a\\e[31m\": 1", "f:2:1: unknown key \"a?[31m\"; \(allKeys)"),
  ])
  func anUnknownKeyIsAnsweredWithTheNearestOne(_ line: String, _ expected: String) {
    #expect(Outcome.problem(minimum + line + "\n") == expected)
  }

  static let indent = "indent it by two spaces"

  @Test(arguments: [
    ("home_assistant:\nurl: http://ha\n", ["f:2:1: \"url\" belongs to home_assistant; \(indent)"]),
    (
      "every: 10s\nhome_assistant:\nurl: http://ha\ntoken_file: /t\nsystem: off\n",
      [
        "f:3:1: \"url\" belongs to home_assistant; \(indent)",
        "f:4:1: \"token_file\" belongs to home_assistant; \(indent)",
      ]
    ),
    (minimum + "device:\nname: Boat\n", ["f:3:1: \"name\" belongs to device; \(indent)"]),
    (
      minimum + "location:\n  source: gpsd\n  moving:\n  or_turn: 20°\n",
      ["f:5:3: location: \"or_turn\" belongs to moving; \(indent)"]
    ),
    (
      minimum + "device:\nevrey: 10s\n",
      [
        "f:2:8: device: there is no value; write one, or remove the line",
        "f:3:1: unknown key \"evrey\"; did you mean \"every\"?",
      ]
    ),
    (
      minimum + "device:\nevery: 10s\n",
      ["f:2:8: device: there is no value; write one, or remove the line"]
    ),
  ])
  func aKeyThatStandsUnderItsSectionAndNotInItIsToBeIndented(_ file: String, _ expected: [String]) {
    #expect(Outcome.problems(file) == expected)
  }

  @Test(arguments: [
    ("", "token_file: /etc/homeward/token", "home_assistant"),
    ("", "url: http://ha", "home_assistant"), ("", "register_again: 1h", "home_assistant"),
    ("device: { name: x }\n", "name: Boat", "device"),
    ("location: { source: gpsd, moving: { every: 10s } }\n", "or_turn: 20°", "location.moving"),
  ])
  func aKeyOfASectionIsSentThere(_ before: String, _ line: String, _ section: String) {
    #expect(
      Outcome.problem(minimum + before + line + "\n")
        == "f:\(before.isEmpty ? 2 : 3):1: unknown key \"\(line.prefix { $0 != ":" })\"; it belongs"
        + " below \(section)")
  }

  @Test func aListOfNetworksBesideItsSectionIsSentThere() {
    #expect(
      Outcome.problem(
        "home_assistant:\n  url: http://ha\n  home_network: { gateways: [aa:bb:cc:dd:ee:ff] }\n"
          + "  ssids: [Harbour]\n")
        == "f:4:3: home_assistant: unknown key \"ssids\"; it belongs below"
        + " home_assistant.home_network")
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

  @Test func columnsCountCharactersNotBytes() {
    #expect(
      Outcome.problem(minimum + "device: { name: \"日本🚤é\", x: 1 }\n")
        == "f:2:25: device: unknown key \"x\"; the only key here is name")
    #expect(
      Outcome.problem("\u{FEFF}x: 1 # ä\n" + minimum).hasPrefix("f:1:1: unknown key \"x\""))
    #expect(Outcome.problem("# ä\r\nx: 1\r\n" + minimum).hasPrefix("f:2:1: unknown key \"x\""))
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
