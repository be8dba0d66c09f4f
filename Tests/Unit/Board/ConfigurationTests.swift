import Board
import Bytes
import Outbox
import Sensing
import Testing
import Transport

@testable import Drivers

@Suite struct ConfigurationTests {
  static let everything = """
    every: 10s                       # length of a cycle
    upload: { every: 5min }
    state_directory: /srv/homeward/
    durability: reading
    history: { disk_megabytes: 100, bytes_per_minute: 5000, statistics: true }
    home_assistant:
      url: https://[fd00::5]:8443/ha/
      token_file: /etc/homeward/token
      transport: websocket
      encryption: preferred
      register_again: 10min
      plain_http_away: true
      home_network: { ssids: [Harbour, "Böt"], bssids: ["AA:bb:cc:dd:ee:ff"],
                      gateways: ["00:11:22:33:44:55"], url: http://192.168.1.5:8123/ }
      tls: { ca_file: /etc/homeward/ca.pem, certificate_file: /etc/c.pem, key_file: /etc/k.pem,
             public_key: sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= }
    notifications: websocket
    push: { relay: "https://push.example/x", token_file: /etc/homeward/push, ca_file: /etc/r.pem }
    device: { name: Böötchen }
    location: { source: gpsd, host: "::1", port: 2948, device: /dev/ttyACM0,
                moving: { every: 20s, or_distance: 50m, or_turn: 20° }, parked: { every: 30min } }
    battery: [BAT0, axp20x-battery]
    system: [load, disk]
    host: { proc: /host/proc, sys: /host/sys }
    sensors:
      - { gpio: GPIO17, name: Bilge, device_class: moisture, debounce: 50ms, urgent: true,
          active_low: true, bias: pull_up, icon: "mdi:water" }
      - gpio: pinctrl-bcm2711/27
        name: 12
    """

  @Test func everyKeyReachesItsSetting() throws {
    let configuration = try Outcome.configuration(Self.everything)
    #expect(configuration.every == .seconds(10))
    #expect(configuration.uploadEvery == .seconds(300))
    #expect(text(configuration.stateDirectory) == "/srv/homeward")
    #expect(configuration.durability == .reading)
    #expect(configuration.history.diskMegabytes == 100)
    #expect(configuration.history.bytesPerMinute == 5000)
    #expect(configuration.history.isForStatistics)
    #expect(text(configuration.homeAssistant.url) == "https://[fd00::5]:8443/ha")
    #expect(text(configuration.homeAssistant.tokenFile) == "/etc/homeward/token")
    #expect(configuration.homeAssistant.transport == .webSocket)
    #expect(configuration.homeAssistant.server.isPlainAllowed)
    #expect(configuration.homeAssistant.server.registersAgainAfter == .seconds(600))
    #expect(configuration.homeAssistant.server.isPlainAllowedAway)
    let home = try #require(configuration.homeAssistant.server.home)
    #expect(home.networks.ssids.count == 2 && home.networks.bssids.count == 1)
    let gateway = HardwareAddress(text: Array("00:11:22:33:44:55".utf8).span)
    #expect(home.networks.gateways.first == gateway && gateway != nil)
    #expect(text(home.url) == "http://192.168.1.5:8123")
    let tls = configuration.homeAssistant.tls
    #expect(text(tls.authorityFile?.bytes) == "/etc/homeward/ca.pem")
    #expect(text(tls.clientCertificate?.certificateFile.bytes) == "/etc/c.pem")
    #expect(text(tls.clientCertificate?.keyFile.bytes) == "/etc/k.pem")
    #expect(
      tls.publicKeyPin
        == PublicKeyPin(Array("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".utf8)))
    #expect(configuration.takesNotifications)
    #expect(text(configuration.push?.url) == "https://push.example/x")
    #expect(text(configuration.push?.tokenFile) == "/etc/homeward/push")
    #expect(text(configuration.push?.authorityFile) == "/etc/r.pem")
    #expect(text(configuration.deviceName) == "Böötchen")
    #expect(text(configuration.location?.host) == "::1")
    #expect(configuration.location?.port == 2948)
    #expect(text(configuration.location?.device) == "/dev/ttyACM0")
    #expect(
      configuration.location?.track
        == TrackFilter.Settings(
          every: .seconds(20), distanceMeters: 50, turnDegrees: 20, parkedEvery: .seconds(1800)))
    #expect(
      configuration.battery
        == .supplies(
          SupplySettings(
            names: [Array("BAT0".utf8), Array("axp20x-battery".utf8)])))
    #expect(configuration.system.sensors == [.load, .disk])
    #expect(text(configuration.host.proc) == "/host/proc")
    #expect(text(configuration.host.sys) == "/host/sys")
    try #require(configuration.sensors.count == 2)
    let bilge = configuration.lines[0]
    #expect(bilge.address == .name(Array("GPIO17".utf8)))
    #expect(text(bilge.entity.name) == "Bilge")
    #expect(text(bilge.entity.deviceClass) == "moisture")
    #expect(text(bilge.entity.icon) == "mdi:water")
    #expect(bilge.debounce == .milliseconds(50))
    #expect(bilge.isUrgent)
    #expect(bilge.isActiveLow)
    #expect(bilge.bias == .pullUp)
  }

  @Test func absentKeysHaveTheDocumentedDefaults() throws {
    let configuration = try Outcome.configuration(
      minimum + "sensors: [{ gpio: pinctrl-bcm2711/27, name: 12 }]")
    #expect(configuration.every == .seconds(60))
    #expect(configuration.uploadEvery == nil)
    #expect(text(configuration.stateDirectory) == "/var/lib/homeward")
    #expect(configuration.durability == .batch)
    #expect(configuration.history.diskMegabytes == 64)
    let history = "history: { bytes_per_minute: 5000 }\n"
    #expect(try Outcome.configuration(minimum + history).history.diskMegabytes == 64)
    #expect(configuration.history.bytesPerMinute == nil)
    #expect(!configuration.history.isForStatistics)
    #expect(configuration.homeAssistant.tokenFile == nil)
    #expect(configuration.homeAssistant.transport == .http)
    #expect(!configuration.homeAssistant.server.isPlainAllowed)
    #expect(configuration.homeAssistant.server.registersAgainAfter == nil)
    #expect(configuration.homeAssistant.tls == .system)
    #expect(configuration.homeAssistant.server.home == nil)
    #expect(!configuration.homeAssistant.server.isPlainAllowedAway)
    #expect(!configuration.takesNotifications)
    #expect(configuration.push == nil)
    #expect(configuration.deviceName == nil)
    #expect(configuration.location == nil)
    #expect(configuration.battery == .automatic)
    #expect(configuration.system == .all)
    #expect(text(configuration.host.proc) == "/proc")
    #expect(text(configuration.host.sys) == "/sys")
    let sensor = try #require(configuration.lines.first)
    #expect(sensor.address == .chip(label: Array("pinctrl-bcm2711".utf8), offset: 27))
    #expect(text(sensor.entity.name) == "12")
    #expect(sensor.entity.deviceClass == nil)
    #expect(sensor.entity.icon == nil)
    #expect(sensor.debounce == .milliseconds(20))
    #expect(!sensor.isUrgent)
    #expect(!sensor.isActiveLow)
    #expect(sensor.bias == .asIs)
    #expect(try Outcome.configuration(minimum).sensors.isEmpty)
  }

  @Test func theFileOfTheDesignIsRead() throws {
    let configuration = try Outcome.configuration(
      """
      home_assistant:
        url: http://homeassistant.local:8123      # the token is asked for by `homeward pair`
      device: { name: Boat }
      location:
        source: gpsd
      battery: auto
      sensors:
        - { gpio: GPIO17, name: Bilge, device_class: moisture, debounce: 50ms, urgent: true }
      """)
    #expect(text(configuration.homeAssistant.url) == "http://homeassistant.local:8123")
    #expect(text(configuration.location?.host) == "127.0.0.1")
    #expect(configuration.location?.port == 2947)
    #expect(configuration.sensors.count == 1)
  }

  @Test func aHomeWithoutAnAddressHasThatOfHomeAssistant() throws {
    let file = "home_assistant: { url: http://h:1, home_network: { ssids: [Harbour] } }\n"
    let settings = try Outcome.configuration(file).homeAssistant
    #expect(text(settings.server.home?.url) == "http://h:1")
  }

  @Test func commandsAreAllowedOneByOneAndComeWithNotifications() throws {
    let none = try Outcome.configuration(minimum)
    #expect(none.commands.isEmpty && !none.takesNotifications)
    let some = try Outcome.configuration(minimum + "commands: [command_gpio, command_reboot]\n")
    #expect(some.commands == [CommandKinds(.output), CommandKinds(.reboot)])
    #expect(some.takesNotifications)
    let empty = try Outcome.configuration(minimum + "commands: []\n")
    #expect(empty.commands.isEmpty && !empty.takesNotifications)
    for kind in CommandKind.allCases {
      let one = try Outcome.configuration(minimum + "commands: [\(kind.word)]\n")
      #expect(one.commands == CommandKinds(kind))
    }
  }

  @Test func notificationsNeedOneWord() throws {
    let on = try Outcome.configuration(minimum + "notifications: websocket\n")
    #expect(on.takesNotifications && on.push == nil)
    #expect(try !Outcome.configuration(minimum + "notifications: off\n").takesNotifications)
  }

  /// The token is where `homeward pair --relay` puts it.
  @Test func aRelayNeedsNoMoreThanItsAddress() throws {
    let usual = try Outcome.configuration(minimum + "push: { relay: https://r/ }\n")
    #expect(text(usual.push?.url) == "https://r")
    #expect(text(usual.push?.tokenFile) == "/var/lib/homeward/relay-token")
    let other = try Outcome.configuration(
      minimum + "state_directory: /data\npush: { relay: https://r }\n")
    #expect(text(other.push?.tokenFile) == "/data/relay-token")
  }

  @Test func commandsMayComeFromTheRelayAlone() throws {
    let configuration = try Outcome.configuration(
      minimum + "notifications: off\ncommands: [command_gpio]\npush: { relay: https://r }\n")
    #expect(!configuration.takesNotifications && !configuration.commands.isEmpty)
  }

  @Test func everythingOptionalCanBeSwitchedOff() throws {
    let configuration = try Outcome.configuration(
      minimum + "location: off\nbattery: off\nsystem: off\n")
    #expect(configuration.location == nil)
    #expect(configuration.battery == .off)
    #expect(configuration.system.sensors == [])
  }

  @Test(arguments: [
    ("10s", Duration.seconds(10)), ("5000ms", .seconds(5)), ("15min", .seconds(900)),
    ("2h", .seconds(7200)), ("1d", .seconds(86400)), ("10 s", .seconds(10)),
    ("\"10s\"", .seconds(10)), ("7.5s", .milliseconds(7500)), ("0.25h", .seconds(900)),
    ("5.000000001s", .nanoseconds(5_000_000_001)),
    ("1.00000000001h", .nanoseconds(3_600_000_000_036)), ("24h", .seconds(86400)),
    ("5s", .seconds(5)),
    ("00010s", .seconds(10)), ("5.1000000000000000000000000s", .milliseconds(5100)),
  ])
  func durationsAreExact(_ written: String, _ expected: Duration) throws {
    #expect(try Outcome.configuration(minimum + "every: \(written)").every == expected)
  }

  @Test(
    arguments: [
      ("GPIO17", "GPIO17", nil), ("PIN_11 (SDA)", "PIN_11 (SDA)", nil), ("17A", "17A", nil),
      ("pinctrl-bcm2711/0", "pinctrl-bcm2711", 0),
      ("raspberrypi-exp-gpio/7", "raspberrypi-exp-gpio", 7),
      ("a/b/4095", "a/b", 4095),
      ("\(String(repeating: "x", count: 31))/1", String(repeating: "x", count: 31), 1),
    ] as [(String, String, UInt32?)])
  func linesAreNamedOrAddressedByLabel(_ written: String, _ name: String, _ offset: UInt32?) throws
  {
    let configuration = try Outcome.configuration(
      minimum + "sensors: [{ gpio: \"\(written)\", name: x }]")
    let bytes = Array(name.utf8)
    #expect(
      configuration.lines.first?.address
        == offset.map { .chip(label: bytes, offset: $0) } ?? .name(bytes))
  }

  @Test(arguments: [
    ("http://ha", "http://ha"), ("http://ha/", "http://ha"), ("http://ha///", "http://ha"),
    ("https://a-b_c.example:443/x/%20y/", "https://a-b_c.example:443/x/%20y"),
    ("http://[::1]/", "http://[::1]"), ("http://192.168.1.5:65535", "http://192.168.1.5:65535"),
    ("http://ha/a@b:c", "http://ha/a@b:c"),
  ])
  func addressesAreTakenAsWrittenButForTheLastSlash(_ written: String, _ expected: String) throws {
    let configuration = try Outcome.configuration("home_assistant: { url: \"\(written)\" }")
    #expect(text(configuration.homeAssistant.url) == expected)
  }

  @Test(arguments: [
    ("as_is", GPIOBias.asIs), ("pull_up", .pullUp), ("pull_down", .pullDown),
    ("disabled", .disabled),
  ])
  func biasesAreToldApart(_ word: String, _ expected: GPIOBias) throws {
    #expect(try Outcome.configuration(sensor("bias: \(word)")).lines.first?.bias == expected)
  }

  @Test(arguments: [
    ("cpu_temperature", SystemSensor.cpuTemperature), ("load", .load),
    ("memory", .memory), ("uptime", .uptime), ("disk", .disk), ("traffic", .traffic),
  ])
  func systemSensorsAreToldApart(_ word: String, _ expected: SystemSensor) throws {
    #expect(try Outcome.configuration(minimum + "system: [\(word)]").system.sensors == [expected])
  }

  @Test(arguments: [
    "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
    "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
    "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
    "tamper", "update", "vibration", "window",
  ])
  func homeAssistantsDeviceClassesAreKnown(_ word: String) throws {
    let configuration = try Outcome.configuration(sensor("device_class: \(word)"))
    #expect(text(configuration.lines.first?.entity.deviceClass) == word)
  }

  /// A byte order mark, Windows line ends, tabs between values, and quoted words mean nothing.
  @Test(arguments: [
    "\u{FEFF}" + minimum + "every: 10s", minimum + "\r\nevery: 10s\r\n",
    minimum + "every:\t10s\t# x",
    "---\n" + minimum + "every: 10s\n...\n", "%YAML 1.1\n---\n" + minimum + "every: 10s",
    "'every': '10s'\n" + minimum, minimum + "every: >-\n  10s\n",
    "{ every: 10s,\n\t" + minimum + "}",
  ])
  func waysOfWritingMakeNoDifference(_ written: String) throws {
    #expect(try Outcome.configuration(written).every == .seconds(10))
  }

  @Test func sixtyFourSensorsAndSixteenSuppliesAreAllowed() throws {
    let sensors = (1...64).map { "  - { gpio: GPIO\($0), name: Sensor \($0) }\n" }.joined()
    let supplies = (1...16).map { "B\($0)" }.joined(separator: ", ")
    let configuration = try Outcome.configuration(
      minimum + "battery: [\(supplies)]\nsensors:\n" + sensors)
    #expect(configuration.sensors.count == 64)
    #expect(text(configuration.lines.last?.entity.name) == "Sensor 64")
  }

  @Test(arguments: [
    String(repeating: "ä", count: 64), "日本語", "a: b", "off", "true", "1.5", "Müll \\u00e9 🚤",
  ])
  func namesAreAnyVisibleText(_ written: String) throws {
    _ = try Outcome.configuration(minimum + "device: { name: \"\(written)\" }")
  }

  @Test func aThermometerIsKnownByItsFirstKeyWhereverThatStands() throws {
    let configuration = try Outcome.configuration(
      minimum + """
        sensors:
          - { name: Soil, icon: mdi:sprout, unique_id: soil_1, one_wire: 28-0316A2796CFF,
              min_change: 0.5 }
          - { one_wire: 10-000802b5a4a6, name: Bed, unit: °C, device_class: temperature }
        """)
    let expected = [
      OneWireSettings(
        id: Array("28-0316a2796cff".utf8),
        entity: EntitySettings(
          name: Array("Soil".utf8), icon: Array("mdi:sprout".utf8),
          uniqueID: Array("soil_1".utf8), minChange: FixedPoint(5, decimals: 1))),
      OneWireSettings(
        id: Array("10-000802b5a4a6".utf8),
        entity: EntitySettings(
          name: Array("Bed".utf8), deviceClass: Array("temperature".utf8),
          unit: Array("°C".utf8))),
    ]
    let sensors = configuration.sensors.map { ($0 as? SensorEntry<OneWireSettings>)?.settings }
    #expect(sensors == expected)
  }
}
