import Board
import Bytes
import Drivers
import Foundation
import LinuxIO
import Testing

@testable import Tools

/// `homeward sensors`, for a board that is a folder.
@Suite struct FoundSourcesTests {
  private let board = FakeBoard()

  private func found(_ configuration: String = "") throws -> FoundSources {
    try FoundSources(of: try board.configuration(configuration), loop: try EventLoop(), screen: nil)
  }

  /// Without what each machine has.
  private func lines(_ configuration: String = "system: off\n") throws -> [String] {
    let all = text(try found(configuration).lines(isColored: false, file: [UInt8]("f".utf8)))
    return all.split(separator: "\n").map(String.init)
  }

  @Test func aPersonReadsWhatThereIsWithItsValueAndTheLineThatReportsIt() throws {
    try board.addUsual()
    let lines = try lines()
    for (value, line) in [
      ("  BAT0: capacity 83 %, status Full", "    reported by battery: auto"),
      (
        "  28-0316a2796cff: 21.3 °C", "    - { one_wire: 28-0316a2796cff, name: Thermometer 6cff }"
      ),
      ("  bme280/temp: 25.1 °C", "    - { iio: bme280/temp, name: bme280 temperature }"),
      ("  sht3x/temp1: -7.5 °C", "    - { hwmon: sht3x/temp1, name: sht3x temperature }"),
      ("  ppp0: received 12 MB, sent 1 MB", "    - { network: ppp0, name: ppp0 }"),
    ] {
      let index = try #require(lines.firstIndex(of: value), "\(value) \(lines)")
      #expect(lines[index + 1] == line)
    }
    #expect(lines.contains("  cpu_temperature: 45.1 °C"))
    #expect(
      lines.last == "A line with a dash goes below \"sensors:\" of f; then: sudo homeward check")
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func withoutAConfigurationPairIsTheNextStep() throws {
    try board.addUsual()
    let lines = text(try found().lines(isColored: false, file: nil)).split(separator: "\n")
    let next = "To report it, and to write these lines into a configuration: sudo homeward pair"
    #expect(lines.last.map(String.init) == next)
  }

  @Test func aKeyThatStandsOnceIsOneLineWithAll() throws {
    try board.addUsual()
    try board.write("Mains\n", to: "class/power_supply/AC/type")
    try board.write("1\n", to: "class/power_supply/AC/online")
    let lines = try lines("battery: [AC]\nsystem: [load]\n")
    let first = try #require(lines.firstIndex(of: "  AC: online on"), "\(lines)")
    #expect(
      lines[first...].prefix(4) == [
        "  AC: online on", "    in the configuration", "  BAT0: capacity 83 %, status Full",
        "    battery: [AC, BAT0]",
      ])
    #expect(lines.count { $0.hasPrefix("    system: ") } == 1)
    #expect(lines.contains("    system: [cpu_temperature, load, memory, uptime, disk, traffic]"))
    #expect(!(try self.lines("battery: auto\n").contains { $0.hasPrefix("    battery: [") }))
    _ = try board.configuration("battery: [AC, BAT0]\n")
  }

  @Test func moreSuppliesThanTheListTakesAreLeftOut() throws {
    for number in 10...30 {
      try board.write("Mains\n", to: "class/power_supply/AC\(number)/type")
    }
    let lines = try lines("battery: off\n")
    let line = try #require(lines.first { $0.hasPrefix("    battery: [") })
    #expect(line.split(separator: ",").count == 16)
    _ = try board.configuration(line.trimmingCharacters(in: .whitespaces))
  }

  @Test func whatIsConfiguredIsReadAsItIsConfigured() throws {
    try board.addUsual()
    try board.addConverter(
      1, named: [UInt8]("ads1015".utf8), ["in_voltage0_input": [UInt8]("1000\n".utf8)])
    let configured = try lines(
      "sensors:\n  - { iio: ads1015/voltage0, name: Level, scale: [0, 2], to: [0, 100], unit: \"%\" }"
        + "\n"
        + "  - { iio: bme280/temp, name: Cabin }\n")
    let index = try #require(
      configured.firstIndex { $0.hasPrefix("  ads1015/voltage0: 50") && $0.hasSuffix(" %") },
      "\(configured)")
    #expect(configured[index + 1] == "    in the configuration as \"Level\"")
  }

  @Test func gpsdIsAskedWhereTheConfigurationHasIt() throws {
    let server = try ListeningSocket()
    let anchor = "anchor: { radius: 40m, gpio: GPIO5 }"
    let configuration = try board.configuration(
      "location: { source: gpsd, port: \(server.port), \(anchor) }\n")
    let kind = try #require(
      configuration.findSources(loop: try EventLoop()).first { $0.key.description == "location" })
    let item = try #require(kind.items.first)
    #expect(
      text(try #require(kind.line).bytes) == "location: { source: gpsd, port: \(server.port) }")
    let alone = try #require(configuration.reporting(item, of: kind))
    #expect(alone.location?.port == server.port)
    #expect(alone.location?.anchor == nil)
    let sampler = SourceSampler(loop: try EventLoop(), timeout: .seconds(1), screen: nil)
    #expect(alone.sources(sampler.context(of: alone)).count == 1)
  }

  /// Else `sources` would wait for gpsd at each battery.
  @Test func anotherItemOfTheConfigurationComesWithoutItsLocation() throws {
    try board.addUsual()
    let configuration = try board.configuration("location: { source: gpsd }\n")
    let kinds = configuration.findSources(loop: try EventLoop())
    let kind = try #require(kinds.first { $0.key.description == "battery" })
    let item = try #require(kind.items.first { $0.reportedBy != nil })
    #expect(try #require(configuration.reporting(item, of: kind)).location == nil)
  }

  /// The first rule of the list: what is shown, the configuration reads as that sensor.
  @Test func everyLineIsReadByTheConfigurationAndReportsThatSensor() throws {
    try board.addUsual()
    try board.write("", to: "dev/serial/by-id/usb-VictronEnergy_BV_cable-if00-port0")
    let configuration = try board.configuration()
    let kinds = configuration.findSources(loop: try EventLoop(), devices: board.path("dev"))
    var keys: [String] = []
    for kind in kinds {
      for item in kind.items where item.line != nil {
        let alone = try #require(configuration.reporting(item, of: kind), "\(text(item.address))")
        let sampler = SourceSampler(loop: try EventLoop(), timeout: .seconds(1), screen: nil)
        let sources = alone.sources(sampler.context(of: alone))
        #expect(sources.count == 1)
        if kind.isEntry {
          #expect(alone.sensors.count == 1)
          #expect(alone.sensors.first?.entry.address == item.address)
          #expect(alone.sensors.first?.entry.name == item.name)
        }
        #expect(alone.host == configuration.host)
        keys.append(text([UInt8](kind.key)))
      }
    }
    for key in ["battery", "system", "one_wire", "iio", "hwmon", "ve_direct", "network"] {
      #expect(keys.contains(key), "\(key)")
    }
  }

  @Test func allLinesTogetherAreOneConfiguration() throws {
    try board.addUsual()
    let entries = try lines().filter { $0.hasPrefix("    - ") }
    #expect(entries.count == 4)
    let configuration = try board.configuration("sensors:\n" + entries.joined(separator: "\n"))
    #expect(configuration.sensors.count == 4)
  }

  @Test func aPartThatSaysNothingSaysWhy() throws {
    try board.write("", to: "bus/w1/devices/28-0316a2796cff/temperature")
    try board.addConverter(1, named: [UInt8]("x".utf8), ["in_temp_input": [UInt8]("warm".utf8)])
    let entries = try found().kinds.flatMap { $0.entries }
    let part = try #require(entries.first { text($0.item.address) == "28-0316a2796cff" })
    #expect(text(part.words.bytes).contains("missing, busy or a bad checksum"))
    #expect(!part.isReadable)
    let channel = try #require(entries.first { text($0.item.address) == "x/temp" })
    #expect(text(channel.words.bytes) == "reports \"warm\", which is not a valid value")
  }

  @Test func aPortThatMayBeAnythingIsNotListenedTo() throws {
    for name in ["usb-VictronEnergy_BV_cable-if00-port0", "usb-u-blox_7-if00"] {
      try board.write("", to: "dev/serial/by-id/\(name)")
    }
    let found = try FoundSources(
      of: try board.configuration(), loop: try EventLoop(), screen: nil,
      devices: board.path("dev"))
    let entries = try #require(found.kind("ve_direct")).entries
    #expect(entries.map { $0.sample != nil } == [true, false])
    #expect(text(entries[0].words.bytes) == "usb-VictronEnergy_BV_cable-if00-port0 was not found")
    #expect(text(entries[1].words.bytes).hasSuffix(": not read"))
  }

  @Test func whatIsNoEntryIsReadOnlyWhereThatIsWanted() throws {
    try board.addUsual()
    let configuration = try board.configuration()
    func isRead(_ key: StaticString, _ readsAll: Bool) throws -> Bool? {
      let found = try FoundSources(
        of: configuration, loop: try EventLoop(), screen: nil, readsAll: readsAll)
      return found.kind(key)?.entries.first.map { $0.sample != nil }
    }
    #expect(try isRead("battery", true) == true)
    #expect(try isRead("battery", false) == false)
    #expect(try isRead("iio", false) == true)
  }

  static let names: [[UInt8]] = [
    [UInt8]("two\nlines".utf8), [UInt8]("esc\u{1B}[2J".utf8), [0xFF, 0xFE],
    [UInt8](repeating: 0x78, count: 10_000), [UInt8]("quo\"te\\ # , } : {".utf8),
    [UInt8]("a/b".utf8), [UInt8]("null".utf8), [UInt8]("~".utf8), [UInt8]("- x".utf8),
    [UInt8]("&a".utf8), [UInt8]("*a".utf8), [UInt8]("!x".utf8), [UInt8]("a: b".utf8),
    [UInt8]("a #b".utf8), [UInt8]("\u{202E}abc".utf8), [UInt8]("\u{FFFF}".utf8),
    [UInt8]("'".utf8), [UInt8]("1e5".utf8), [UInt8]("café".utf8),
  ]

  @Test(arguments: names)
  func aHostileNameGivesYAMLOrNothingAndSteersNoTerminal(name: [UInt8]) throws {
    try board.addConverter(
      0, named: name, ["in_temp_input": [UInt8]("1000".utf8), "in_temp_label": name])
    try board.addConverter(
      1, named: [UInt8]("good".utf8),
      ["in_temp_input": [UInt8]("1000".utf8), "in_temp_label": name])
    let found = try found()
    let shown = found.lines(isColored: false, file: [UInt8]("f".utf8))
    #expect(!shown.contains(0x1B))
    #expect(String(validating: shown, as: UTF8.self) != nil)
    let lines = text(shown).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  good/temp: 1.0 ") }, "\(lines)")
    let entries = lines.filter { $0.hasPrefix("    - { iio: ") }
    _ = try board.configuration("sensors:\n" + entries.joined(separator: "\n"))
    #expect(try JSONSerialization.jsonObject(with: Data(found.json)) is [String: Any])
  }

  @Test func whatCannotBeHeldIsCounted() throws {
    try board.addConverter(0, named: [UInt8]("a\u{1B}b".utf8), ["in_temp_input": [0x31]])
    #expect(try lines().contains("  and 1 with names that a configuration cannot hold"))
    for number in 1...70 {
      try board.addConverter(number, named: [UInt8]("d\(number)".utf8), ["in_temp_raw": [0x31]])
    }
    #expect(try lines().contains("  and 6 more"))
  }

  @Test func scriptsGetValuesAsTheyAre() throws {
    try board.addUsual()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(try found().json)) as? [String: Any])
    let kinds = try #require(object["kinds"] as? [[String: Any]])
    let iio = try #require(kinds.first { $0["key"] as? String == "iio" })
    let item = try #require((iio["found"] as? [[String: Any]])?.first)
    #expect(item["address"] as? String == "bme280/temp")
    #expect(item["yaml"] as? String == "- { iio: bme280/temp, name: bme280 temperature }")
    #expect(item["is_reported"] as? Bool == false)
    let sensor = try #require((item["sensors"] as? [[String: Any]])?.first)
    #expect(sensor["value"] as? Double == 25.1)
    #expect(sensor["unit"] as? String == "°C")
    #expect(sensor["device_class"] as? String == "temperature")
    let battery = try #require(kinds.first { $0["key"] as? String == "battery" })
    let supply = try #require((battery["found"] as? [[String: Any]])?.first)
    #expect(supply["is_reported"] as? Bool == true)
    #expect(supply["yaml"] == nil, "it is no line alone where there are others")
    #expect(battery["yaml"] as? String == "battery: [BAT0]")
    #expect(iio["yaml"] == nil)
  }

  @Test func aTerminalIsShownColours() throws {
    try board.addUsual()
    let lines = text(try found().lines(isColored: true, file: []))
    #expect(lines.contains("\u{1B}[1mNetwork interfaces\u{1B}[0m\n"))
    #expect(lines.contains("    \u{1B}[2mreported by battery: auto\u{1B}[0m\n"))
  }
}

/// A port at which connections are taken, and nothing is said.
private final class ListeningSocket {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, length) + listen(descriptor, 4)
          + getsockname(descriptor, pointer, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard descriptor >= 0, result == 0 else { throw POSIXError(.EIO) }
  }

  deinit { close(descriptor) }
}

/// What `homeward pair` writes.
@Suite struct ConfigurationTemplateTests {
  private let board = FakeBoard()
  private let template = ConfigurationTemplate(
    url: [UInt8]("http://home:8123".utf8), name: nil, stateDirectory: nil)

  private func findings() throws -> BoardFindings {
    try BoardFindings(for: try board.configuration(), loop: try EventLoop(), screen: nil)
  }

  /// What stands behind a `#` alone is YAML without it; prose stands behind `# `.
  private func uncommented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#") && (!line.hasPrefix("# ") || line.hasPrefix("#  "))
        ? String(line.dropFirst()) : String(line)
    }.joined(separator: "\n")
  }

  @Test func whatTheBoardHasStandsThereAsExamples() throws {
    try board.addUsual()
    let written = text(template.text(with: try findings()).bytes)
    #expect(written.contains("#sensors:\n#  - { one_wire: 28-0316a2796cff, name: Thermometer"))
    #expect(
      written.contains("# Power supplies here: BAT0. All are reported; to report only some:\n"))
    #expect(try Configuration.parse([UInt8](written.utf8)).sensors.isEmpty)
    let configuration = try Configuration.parse([UInt8](uncommented(written).utf8))
    #expect(configuration.sensors.count == 5, "with the line that is an example")
  }

  @Test func whatThePersonWantsIsReported() throws {
    try board.addUsual()
    let findings = try findings()
    try #require(findings.sensors.count == 4)
    let written = text(template.text(with: findings, adding: [1, 3]).bytes)
    #expect(written.contains("\nsensors:\n#  - { one_wire"))
    let configuration = try Configuration.parse([UInt8](written.utf8))
    #expect(
      configuration.sensors.map { text($0.entry.address) }
        == [1, 3].map { text(findings.sensors[$0].item.address) })
    _ = try Configuration.parse([UInt8](uncommented(written).utf8))
  }

  @Test func yesWantsAllThatCanBeRead() throws {
    try board.addUsual()
    try board.addConverter(1, named: [UInt8]("broken".utf8), ["in_temp_input": []])
    let file = ConfigurationFile(
      path: [UInt8]("/none".utf8), dialog: Dialog(isAlwaysYes: true), loop: try EventLoop())
    let written = text(try file.text(template, of: try board.configuration()).bytes)
    let configuration = try Configuration.parse([UInt8](written.utf8))
    #expect(
      configuration.sensors.map { text($0.entry.address) }
        == ["28-0316a2796cff", "bme280/temp", "sht3x/temp1", "ppp0"])
    #expect(written.contains("\n#  - { iio: broken/temp, "))
  }

  @Test func aBoardWithNothingHasExamplesToo() throws {
    let written = text(template.text(with: try findings()).bytes)
    _ = try Configuration.parse([UInt8](written.utf8))
    let configuration = try Configuration.parse([UInt8](uncommented(written).utf8))
    #expect(configuration.sensors.count == 1)
    #expect(configuration.battery == .off)
  }
}

/// What a person may answer who is asked which of some things are wanted.
@Suite struct SelectionTests {
  @Test(
    arguments: [
      ("", []), ("  ", []), ("none", []), ("all", [0, 1, 2]), ("2", [1]), ("3 1", [0, 2]),
      ("1,2", [0, 1]), ("1, 3", [0, 2]), ("2 2", [1]), ("0", nil), ("4", nil), ("1 x", nil),
      ("all 1", nil), ("-1", nil), ("99999999999999999999", nil),
    ] as [(String, [Int]?)])
  func anAnswerIsAllNoneOrNumbers(answer: String, wanted: [Int]?) {
    #expect(Dialog.selection([UInt8](answer.utf8), of: 3) == wanted)
  }
}
