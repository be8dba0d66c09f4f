import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// What the finders find, and what they call it.
@Suite final class BoardSearchTests: DriverSuite {
  private func search(_ configured: ConfiguredEntry..., names: [String] = []) -> BoardSearch {
    BoardSearch(
      sys: tree.path, devices: tree.path, configured: configured,
      names: names.map { [UInt8]($0.utf8) })
  }

  private func lines(_ kind: FoundKind) -> [String] {
    kind.items.map { $0.line.map { string($0.bytes) } ?? string($0.address) }
  }

  @Test func channelsOfIndustrialIOAreFoundOnceEachAndNamedByWhatTheyMeasure() throws {
    let bme280 = Recording.bme280On6_12
    try tree.addConverter(0, named: "bme280", at: "1-0076", bme280.files)
    try tree.addConverter(
      1, named: "ads1015", at: "1-0048",
      Recording.ads1115.files.merging(["in_voltage1_label": "Fuel tank\n"]) { $1 })
    #expect(
      lines(IIOSettings.found(in: search())) == [
        "{ iio: ads1015/voltage0, name: ads1015 voltage 0 }",
        "{ iio: ads1015/voltage0-voltage1, name: ads1015 voltage0-voltage1 }",
        "{ iio: ads1015/voltage1, name: Fuel tank }",
        "{ iio: bme280/humidityrelative, name: bme280 humidity }",
        "{ iio: bme280/pressure, name: bme280 atmospheric pressure }",
        "{ iio: bme280/temp, name: bme280 temperature }",
      ])
  }

  @Test func twoDevicesOfOneNameAreNamedByTheirPlaces() throws {
    for (number, place) in [(0, "1-0049"), (1, "1-0048")] {
      try tree.addConverter(number, named: "ads1015", at: place, ["in_voltage0_raw": "1"])
    }
    #expect(
      lines(IIOSettings.found(in: search())) == [
        "{ iio: ads1015@1-0048/voltage0, name: ads1015 1-0048 voltage }",
        "{ iio: ads1015@1-0049/voltage0, name: ads1015 1-0049 voltage }",
      ])
  }

  @Test func hardwareMonitorsAreFoundWithoutBatteriesAndZones() throws {
    try tree.addMonitor(
      0, named: "ina219", at: "1-0040",
      Recording.ina219.files.merging(["in1_label": "House\n"]) { $1 })
    try tree.addMonitor(
      1, named: "cpu_thermal", at: "zone", subsystem: "thermal", ["temp1_input": "1"])
    try tree.addMonitor(
      2, named: "BAT0", at: "BAT0", subsystem: "power_supply", ["in0_input": "1"])
    #expect(
      lines(MonitorSettings.found(in: search())) == [
        "{ hwmon: ina219/curr1, name: ina219 current }",
        "{ hwmon: ina219/in0, name: ina219 voltage 0 }",
        "{ hwmon: ina219/in1, name: House }", "{ hwmon: ina219/power1, name: ina219 power }",
      ])
  }

  @Test func thermometersAreToldFromOtherPartsAndFromTheirBus() throws {
    for name in ["28-0316a2796cff", "w1_bus_master1", "26-0316a2796cff", "28-0316a2796cf"] {
      try tree.write("", to: "bus/w1/devices/\(name)/x")
    }
    #expect(
      lines(OneWireSettings.found(in: search())) == [
        "{ one_wire: 28-0316a2796cff, name: Thermometer 6cff }"
      ])
  }

  @Test func interfacesAreThoseOfDevicesModemsAndTunnels() throws {
    for (name, type, isOfDevice) in [
      ("lo", 772, false), ("eth0", 1, true), ("br0", 1, false), ("ppp0", 512, false),
      ("wg0", 65534, false),
    ] {
      try tree.write("\(type)\n", to: "class/net/\(name)/type")
      if isOfDevice { try tree.write("", to: "class/net/\(name)/device/uevent") }
    }
    #expect(
      lines(InterfaceSettings.found(in: search())) == [
        "{ network: eth0, name: eth0 }", "{ network: ppp0, name: ppp0 }",
        "{ network: wg0, name: wg0 }",
      ])
  }

  @Test func onlyCablesOfVictronAreListenedTo() throws {
    for name in ["usb-VictronEnergy_BV_VE_Direct_cable_VE4XYZ-if00-port0", "usb-u-blox_7-if00"] {
      try tree.write("", to: "serial/by-id/\(name)")
    }
    let kind = VEDirectSettings.found(in: search())
    #expect(
      lines(kind) == [
        "{ ve_direct: /dev/serial/by-id/usb-VictronEnergy_BV_VE_Direct_cable_VE4XYZ-if00-port0,"
          + " name: Victron }",
        "{ ve_direct: /dev/serial/by-id/usb-u-blox_7-if00, name: Battery monitor }",
      ])
    #expect(kind.items.map { $0.words == nil } == [true, false])
  }

  @Test func suppliesAreReportedAsTheConfigurationSays() throws {
    for name in ["BAT0", "AC"] { try tree.write("", to: "class/power_supply/\(name)/type") }
    func reasons(_ settings: BatterySettings) -> [String?] {
      settings.found(in: search()).items.map { $0.reportedBy.map { string($0.bytes) } }
    }
    #expect(
      lines(BatterySettings.automatic.found(in: search())) == ["battery: [AC]", "battery: [BAT0]"])
    let all = "reported by battery: auto"
    #expect(reasons(.automatic) == [all, all])
    #expect(
      reasons(.supplies(SupplySettings(names: [[UInt8]("BAT0")]))) == [
        nil, "in the configuration",
      ])
    #expect(reasons(.off) == [nil, nil])
  }

  @Test func theBoardItselfIsWhatItsSettingHas() throws {
    #expect(lines(SystemSettings.all.found(in: search())).count == 5, "no zone, no temperature")
    try tree.write("cpu\n", to: "class/thermal/thermal_zone0/type")
    #expect(SystemSettings.all.found(in: search()).note == nil, "one zone is no choice")
    for (zone, type) in [("thermal_zone1", "gpu"), ("cooling0", "fan")] {
      try tree.write("\(type)\n", to: "class/thermal/\(zone)/type")
    }
    let kind = SystemSettings([.load]).found(in: search())
    #expect(lines(kind).first == "system: [cpu_temperature]")
    #expect(kind.items.map { $0.reportedBy != nil } == [false, true, false, false, false, false])
    #expect(kind.note.map { string($0.bytes) } == "thermal zones here: cpu, gpu")
  }

  private func makeChip(_ number: Int, label: String = "pcf8574", name: String? = nil) -> FakeLine {
    FakeLine(
      tree.path / [UInt8]("gpiochip\(number)".utf8), label: label, name: name ?? "L\(number)")
  }

  @Test func linesAreCountedForEachChipAndSomeAreExamples() throws {
    let names = ["ID_SDA", "GPIO17", "two words", "-", "a/b", "°C"]
    let fakes = names.indices.map { makeChip($0, label: "chip-\($0)", name: names[$0]) }
    fakes[0].hold(as: "i2c")
    try tree.write("", to: "gpiochip9")  // This file is no chip.
    let kind = GPIOLineSettings.found(in: search())
    #expect(kind.items.count == 6)
    #expect(kind.items[0].words.map { string($0.bytes) } == "17 of 18 lines free")
    #expect(kind.items[1].words.map { string($0.bytes) } == "18 of 18 lines free")
    #expect(kind.items.allSatisfy { $0.line == nil })
    #expect(kind.examples.map(string) == ["GPIO17"])
    #expect(kind.note.map { string($0.bytes) }?.contains("gpio: GPIO17") == true)
    fakes[1].refuseToOpen(EACCES)
    let incomplete = GPIOLineSettings.found(in: search())
    #expect(incomplete.items.count == 5)
    #expect(
      incomplete.note.map { string($0.bytes) }
        == "some lines are not visible to this user; root sees more")
  }

  @Test func twoPartsOfAKindAreTwoChips() throws {
    let fakes = (0...1).map { makeChip($0) }
    fakes[1].hold(as: "pump")
    let kind = GPIOLineSettings.found(in: search())
    #expect(kind.items.map { string($0.address) } == ["pcf8574", "pcf8574"])
    #expect(
      kind.items.map { string($0.words?.bytes ?? []) } == [
        "18 of 18 lines free", "17 of 18 lines free; another chip has this label: name them",
      ])
  }

  @Test func twoExpandersAreToldApartByTheirPlaces() throws {
    let fakes = (0...1).map { makeChip($0) }
    for number in 0...1 { try tree.addExpander(number, at: "1-002\(number)") }
    let kind = GPIOLineSettings.found(in: search())
    #expect(kind.items.map { string($0.address) } == ["1-0020", "1-0021"])
    #expect(
      kind.items.map { string($0.words?.bytes ?? []) }
        == Array(
          repeating: "18 of 18 lines free; another chip has its label, pcf8574", count: 2))
    withExtendedLifetime(fakes) {}
  }

  @Test func aGPSDOfAnotherMachineIsWaitedForLonger() {
    func patience(_ host: String) -> Duration {
      GPSDSettings(host: [UInt8](host.utf8), port: 2947).patience
    }
    for host in ["127.0.0.1", "localhost", "::1"] { #expect(patience(host) == .milliseconds(50)) }
    #expect(patience("192.168.1.9") == .seconds(3))
  }

  @Test func whatTheConfigurationHasIsFoundByEitherSpelling() throws {
    try tree.addConverter(0, named: "bme280", at: "1-0076", Recording.bme280On6_1.files)
    for address in ["bme280/temp", "bme280@1-0076/temp"] {
      let known = ConfiguredEntry("iio", [UInt8](address.utf8), [UInt8]("Cabin"))
      let items = IIOSettings.found(in: search(known)).items.filter { $0.reportedBy != nil }
      #expect(items.map { string($0.name) } == ["Cabin"])
      #expect(
        items.first?.reportedBy.map { string($0.bytes) } == "in the configuration as \"Cabin\"")
    }
    let other = ConfiguredEntry("hwmon", [UInt8]("bme280/temp"), [UInt8]("Cabin"))
    #expect(IIOSettings.found(in: search(other)).items.allSatisfy { $0.reportedBy == nil })
  }

  @Test func noTwoThingsHaveOneName() throws {
    for (number, place) in [(0, "1-0048"), (1, "1-0049"), (2, "1-004a")] {
      try tree.addMonitor(
        number, named: "chip\(number)", at: place,
        ["temp1_input": "1", "temp1_label": number == 2 ? "BILGE\n" : "Cabin\n"])
    }
    let known = ConfiguredEntry("gpio", [UInt8]("GPIO17"), [UInt8]("cabin"))
    let kind = MonitorSettings.found(in: search(known, names: ["Bilge"]))
    #expect(
      kind.items.map { string($0.name) } == ["chip0 Cabin", "chip1 Cabin", "chip2 BILGE"])
    let search = search()
    let names = (0..<3).map { number in
      search.entry("network", [[UInt8]("x\(number)".utf8)], named: [[UInt8]("Same")])?.name
    }
    #expect(names.map { $0.map(string) } == ["Same", "Same 2", "Same 3"])
  }

  @Test(arguments: [
    ("", "Sensor"), ("  \n", "Sensor"), ("a\u{1B}[31mb", "a?[31mb"), ("two\nlines", "two?lines"),
    (String(repeating: "ä", count: 100), String(repeating: "ä", count: 64)),
  ])
  func aNameIsWhatTheConfigurationCanHold(label: String, name: String) {
    let item = search().entry("network", [[UInt8]("eth0")], named: [[UInt8](label.utf8)])
    #expect(item.map { string($0.name) } == name)
  }

  @Test(arguments: [[UInt8]("a\u{1B}b".utf8), [0xFF], [UInt8]("a\nb".utf8), []])
  func anAddressThatNoConfigurationCanHoldIsCounted(address: [UInt8]) {
    #expect(search().entry("network", [address], named: [[UInt8]("x")]) == nil)
    var kind = FoundKind("x", key: "network")
    kind.append(search().entry("network", [address], named: []))
    #expect(kind.unusableCount == 1)
    #expect(!kind.isEmpty)
  }

  @Test func moreThanTheConfigurationTakesIsCounted() throws {
    var kind = FoundKind("x", key: "network")
    #expect(kind.isEmpty)
    let search = search()
    for number in 0...FoundKind.itemsMax {
      kind.append(search.entry("network", [[UInt8]("x\(number)".utf8)], named: []))
    }
    #expect(kind.items.count == FoundKind.itemsMax)
    #expect(kind.omittedCount == 1)
  }

  @Test func whatElseThereIsBeginsWithTheSameDevice() throws {
    try tree.addConverter(0, named: "ads1015", at: "1-0048", Recording.ads1115.files)
    try tree.addConverter(1, named: "bme280", at: "1-0076", Recording.bme280On6_1.files)
    func others(_ key: StaticString, _ address: String) -> String? {
      let entry = ConfiguredEntry(key, [UInt8](address.utf8), [])
      return search().others(than: entry).map { string($0.bytes) }
    }
    #expect(
      others("iio", "bme280/tmp")?.hasPrefix("here: bme280/humidityrelative, bme280/pressure")
        == true)
    #expect(others("iio", "x/y")?.hasPrefix("here: ads1015/voltage0, ") == true)
    #expect(others("hwmon", "x/y") == nil)
    #expect(others("file", "/x") == nil)
  }
}
