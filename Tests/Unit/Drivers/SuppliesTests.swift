import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class SuppliesTests: DriverSuite {
  private let battery = "class/power_supply/BAT0"
  private lazy var supplies = supplies(named: nil)

  override init() throws {
    try super.init()
    try tree.write(
      [
        "type": "Battery\n", "present": "1\n", "status": "Discharging\n", "capacity": "83\n",
        "voltage_now": "12345678\n", "current_now": "-1500000\n", "energy_now": "41526000\n",
        "energy_full": "50000000\n",
      ], in: battery)
  }

  private func supplies(named names: [[UInt8]]?) -> Supplies {
    Supplies(
      SupplySettings(names: names),
      SourceContext(in: tree.path, loop, sink, supervisor, readsInLoop: true))
  }
  private func addMains(online: String = "1\n") throws {
    try tree.write(["type": "Mains\n", "online": online], in: "class/power_supply/AC")
  }

  @Test func aBatteryTellsAllItKnows() throws {
    try supplies.sample(at: at(seconds: 1))
    #expect(
      sink.values == [
        "supply_bat0_capacity": .number(FixedPoint(83)),
        "supply_bat0_status": .text(InlineText("Discharging")),
        "supply_bat0_voltage": .number(FixedPoint(1235, decimals: 2)),
        "supply_bat0_current": .number(FixedPoint(-1500, decimals: 3)),
        "supply_bat0_energy": .number(FixedPoint(4153, decimals: 2)),
      ])
    #expect(sink.times["supply_bat0_energy"] == at(seconds: 1).wallTime)
    #expect(sink.reports.isEmpty)
  }

  /// A keyboard's battery that is low is no reason to save the board's.
  @Test(arguments: [("Device\n", false), ("System\n", true), ("Unknown\n", true)])
  func theBatteryOfADeviceIsNotTheBoards(scope: String, isOfBoard: Bool) throws {
    try tree.write(scope, to: "\(battery)/scope")
    try supplies.sample(at: at(seconds: 1))
    #expect(
      sink.sensors.compactMap(\.powerFigure)
        == (isOfBoard ? [.charge, .batteryStatus, .voltage] : []))
    #expect(sink.values.isEmpty == !isOfBoard)
    #expect(sink.reports.isEmpty)
  }

  @Test func whatAPersonNamesIsReportedThoughItIsOfADevice() throws {
    try tree.write("Device\n", to: "\(battery)/scope")
    try supplies(named: [[UInt8]("BAT0".utf8)]).sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
    #expect(sink.sensors.compactMap(\.powerFigure).isEmpty)
  }

  /// `hid-logitech-hidpp` counts up for ever (auto-cpufreq pull 322, Waybar issue 972).
  @Test func aKeyboardThatComesBackUnderOtherNamesTakesNoPlace() throws {
    try tree.remove(battery)
    for number in 0..<100 {
      let keyboard = "class/power_supply/hidpp_battery_\(number)"
      try tree.write(
        ["type": "Battery\n", "scope": "Device\n", "capacity": "80\n"], in: keyboard)
      try supplies.sample(at: at(seconds: Int64(number)))
      try tree.remove(keyboard)
    }
    try tree.write(["type": "Battery\n", "scope": "System\n", "capacity": "41\n"], in: battery)
    try supplies.sample(at: at(seconds: 100))
    #expect(sink.values == ["supply_bat0_capacity": .number(FixedPoint(41))])
    #expect(sink.reports.isEmpty)
  }

  @Test func whatLeftGivesItsPlaceBack() throws {
    try tree.remove(battery)
    for number in 0..<80 {
      try addPort(number)
      try supplies.sample(at: at(seconds: Int64(2 * number)))
      try tree.remove("class/power_supply/port\(number)")
      try supplies.sample(at: at(seconds: Int64(2 * number + 1)))
    }
    try tree.write(["type": "Battery\n", "capacity": "41\n"], in: battery)
    try supplies.sample(at: at(seconds: 200))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(41)))
    #expect(sink.values["supply_port79_online"] == .unavailable)
  }

  /// psutil issue 1785, and a gauge of Lenovo's that says 240 % (firmware-lenovo issue 412).
  @Test(arguments: [
    ("117\n", "26250000\n", "22430000\n", Int64(100)), ("240\n", "12000000\n", "50000000\n", 24),
    ("240\n", "-\n", "50000000\n", 100), ("101\n", "49000000\n", "50000000\n", 98),
  ])
  func aGaugeThatLearntWronglyIsFullUnlessItsEnergySaysOtherwise(
    capacity: String, now: String, full: String, wanted: Int64
  ) throws {
    try tree.write(["capacity": capacity, "energy_full": full], in: battery)
    try tree.write(now, to: "\(battery)/energy_now")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(wanted)))
    #expect(sink.reports.isEmpty == (now != "-\n"))
  }

  /// armbian build issue 391.
  @Test(arguments: [
    ("Full\n", "0\n", "0\n", Value.unknown),
    ("Full\n", "0\n", "49000000\n", .number(FixedPoint(98))),
    ("Full\n", "1\n", "0\n", .number(FixedPoint(1))),
    ("Charging\n", "0\n", "0\n", .number(FixedPoint(0))),
  ])
  func aBatteryThatIsFullIsNotEmpty(
    status: String, capacity: String, energy: String, wanted: Value
  ) throws {
    try tree.write(
      ["status": status, "capacity": capacity, "energy_now": energy], in: battery)
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_capacity"] == wanted)
    #expect(sink.reports.isEmpty)
  }

  /// The first one decides the power level (xmobar issue 315).
  @Test func suppliesAreKnownInTheOrderOfTheirNames() throws {
    for number in [3, 1, 7, 5, 9, 2, 8, 6, 4] {
      try tree.write(
        ["type": "Battery\n", "capacity": "50\n"], in: "class/power_supply/BAT\(number)")
    }
    try supplies.sample(at: at(seconds: 1))
    let ids = sink.sensors.filter { $0.powerFigure == .charge }.map { string($0.uniqueID) }
    #expect(ids == (0..<10).map { "supply_bat\($0)_capacity" })
  }

  /// RK817 (Waybar pull 1495, pinenote-debian-image issue 128).
  @Test func theAverageStandsInForANumberOfNow() throws {
    try tree.remove(battery)
    try tree.write(
      [
        "type": "Battery\n", "charge_now": "2000000\n", "charge_full": "4000000\n",
        "voltage_avg": "3465880\n", "voltage_ocv": "3520000\n", "current_avg": "-168560\n",
        "voltage_min_design": "3500000\n",
      ], in: battery)
    try supplies.sample(at: at(seconds: 1))
    #expect(
      sink.values == [
        "supply_bat0_capacity": .number(FixedPoint(50)),
        "supply_bat0_voltage": .number(FixedPoint(347, decimals: 2)),
        "supply_bat0_current": .number(FixedPoint(-169, decimals: 3)),
        "supply_bat0_energy": .number(FixedPoint(700, decimals: 2)),
      ])
  }

  @Test func theNumberOfNowGoesBeforeTheAverage() throws {
    try tree.write("11000000\n", to: "\(battery)/voltage_avg")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_voltage"] == .number(FixedPoint(1235, decimals: 2)))
  }

  @Test func theNextSampleSeesTheNewNumbersInTheOpenFiles() throws {
    try supplies.sample(at: at(seconds: 1))
    try tree.write("7\n", to: "\(battery)/capacity")
    try tree.write("Charging\n", to: "\(battery)/status")
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(7)))
    #expect(sink.values["supply_bat0_status"] == .text(InlineText("Charging")))
  }

  @Test func mainsAreAPlugThatIsInOrOut() throws {
    try addMains()
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_ac_online"] == .boolean(true))
    let plug = try #require(sink.sensors.first { $0.uniqueID == [UInt8]("supply_ac_online") })
    #expect(plug.kind == .binarySensor)
    #expect(plug.deviceClass == [UInt8]("plug"))
    #expect(sink.sensors.filter { $0.isUrgent } == [plug], "its changes do not wait for a cycle")
    try addMains(online: "0\n")
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_ac_online"] == .boolean(false))
  }

  @Test func aBatteryHasNoPlug() throws {
    try tree.write("1\n", to: "\(battery)/online")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_online"] == nil)
  }

  @Test func theFirstOfTwoFilesWithoutANumberIsReported() throws {
    try tree.write("gone\n", to: "\(battery)/voltage_now")
    try tree.write("fishing\n", to: "\(battery)/energy_now")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.reports == ["BAT0: malformed BAT0/voltage_now 'gone'"])
  }

  @Test func textWhereANumberBelongsSilencesNothingElse() throws {
    try addMains()
    try tree.write("gone fishing\n", to: "\(battery)/voltage_now")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_voltage"] == .unknown)
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
    #expect(sink.values["supply_ac_online"] == .boolean(true))
    #expect(sink.reports == ["BAT0: malformed BAT0/voltage_now 'gone fishing'"])

    try supplies.sample(at: at(seconds: 2))
    #expect(sink.reports.count == 1, "a trouble that lasts is told once")
    try tree.write("12000000\n", to: "\(battery)/voltage_now")
    try supplies.sample(at: at(seconds: 3))
    #expect(sink.values["supply_bat0_voltage"] == .number(FixedPoint(1200, decimals: 2)))
    #expect(sink.reports.last == "BAT0: recovered")
  }

  /// 0.05 V is no battery, and no reason to wait with its level.
  @Test(arguments: [("1\n", true), ("50000\n", true), ("200000\n", false), ("0\n", false)])
  func aVoltageBelowAnyCellIsUnknownAndTheSupplyGoesOn(text: String, isUnknown: Bool) throws {
    try tree.write(text, to: "\(battery)/voltage_now")
    try supplies.sample(at: at(seconds: 1))
    #expect((sink.values["supply_bat0_voltage"] == .unknown) == isUnknown)
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
    #expect(sink.values["supply_bat0_energy"] == .number(FixedPoint(4153, decimals: 2)))
    #expect(sink.reports.isEmpty)
  }

  @Test func anErrorOfTheKernelSilencesNothingElse() throws {
    try tree.fail("\(battery)/current_now")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_current"] == .unknown)
    #expect(sink.values["supply_bat0_voltage"] == .number(FixedPoint(1235, decimals: 2)))
    #expect(sink.reports == ["BAT0: failed BAT0/current_now \(EIO)"])
  }

  @Test(arguments: ["", "\n", "93%", "-1", "255", "4000", "99999999999999999999", "\u{0}"])
  func aCapacityThatMakesNoSenseIsWorkedOutOrUnknown(text: String) throws {
    try tree.write(text, to: "\(battery)/capacity")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
    #expect(sink.reports.count == 1)
    try tree.remove("\(battery)/energy_full")
    // Others, that find their files now.
    try supplies(named: nil).sample(at: at(seconds: 2))
    #expect(sink.values["supply_bat0_capacity"] == .unknown)
  }

  @Test(arguments: [
    ("capacity", "255\n", "255 %", "outside of 0 to 100 %"),
    ("voltage_now", "2147483647\n", "2147.484 V", "outside of -2000 to 2000 V"),
  ])
  func aRegisterFullOfOnesIsSaidToBeThat(
    file: String, text: String, found: String, why: String
  ) throws {
    try tree.remove("\(battery)/energy_full")
    try tree.write(text, to: "\(battery)/\(file)")
    try supplies.sample(at: at(seconds: 1))
    let key = file == "capacity" ? file : "voltage"
    #expect(sink.values["supply_bat0_\(key)"] == .unknown)
    #expect(sink.values["supply_bat0_current"] == .number(FixedPoint(-1500, decimals: 3)))
    #expect(sink.reports == ["BAT0: implausible BAT0/\(file) '\(found)', \(why)"])
  }

  @Test func anUnknownStatusIsPassedOn() throws {
    try tree.write("Hibernating\n", to: "\(battery)/status")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_bat0_status"] == .text(InlineText("Hibernating")))
    try tree.write("", to: "\(battery)/status")
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_bat0_status"] == .unknown)
    #expect(sink.reports == ["BAT0: malformed BAT0/status ''"])
  }

  @Test func aBatteryTakenOutOfItsBayIsUnavailable() throws {
    try supplies.sample(at: at(seconds: 1))
    try tree.write("0\n", to: "\(battery)/present")
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values.values.allSatisfy { $0 == .unavailable })
    #expect(sink.reports.isEmpty, "the supply is there and says that its battery is not")
    try tree.write("1\n", to: "\(battery)/present")
    try supplies.sample(at: at(seconds: 3))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(83)))
  }

  /// The chargers of boards with an AXP209 say so (Linux, `axp20x_usb_power.c`,
  /// `axp20x_ac_power.c`).
  @Test func anUnpluggedChargerThatIsNotPresentIsOffAndNotUnavailable() throws {
    let charger = "class/power_supply/axp20x-usb"
    for (file, text) in ["type": "USB\n", "present": "0\n", "online": "0\n"] {
      try tree.write(text, to: "\(charger)/\(file)")
    }
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_axp20x_usb_online"] == .boolean(false))
  }

  @Test func aSupplyThatAppearsLaterIsFound() throws {
    try supplies.sample(at: at(seconds: 1))
    try addMains()
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_ac_online"] == .boolean(true))
    #expect(sink.reports.isEmpty)
  }

  @Test func aSupplyThatVanishesComesBackAsTheSameSensors() throws {
    try supplies.sample(at: at(seconds: 1))
    let sensorCount = sink.sensors.count
    try tree.remove(battery)
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values.values.allSatisfy { $0 == .unavailable })
    #expect(sink.reports == ["BAT0: missing BAT0"])

    try tree.write(["type": "Battery\n", "capacity": "12\n"], in: battery)
    try supplies.sample(at: at(seconds: 3))
    #expect(sink.values["supply_bat0_capacity"] == .number(FixedPoint(12)))
    #expect(sink.values["supply_bat0_voltage"] == .unavailable, "the new one cannot tell")
    #expect(sink.sensors.count == sensorCount)
    #expect(sink.reports.last == "BAT0: recovered")
  }

  @Test func aDirectoryThatIsStillBeingFilledIsAskedAgain() throws {
    try tree.write("1\n", to: "class/power_supply/AC/online")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values["supply_ac_online"] == nil)
    #expect(sink.reports == ["AC: missing AC/type"])
    try addMains()
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.values["supply_ac_online"] == .boolean(true))
  }

  @Test func onlyTheNamedSuppliesAreReportedAndAMissingOneIsSaid() throws {
    try addMains()
    let supplies = supplies(named: [[UInt8]("AC"), [UInt8]("BAT1")])
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.values == ["supply_ac_online": .boolean(true)])
    #expect(sink.reports == ["BAT1: missing BAT1"])
  }

  @Test func aKernelWithoutPowerSuppliesHasNone() throws {
    try tree.remove("class")
    try supplies.sample(at: at(seconds: 1))
    #expect(sink.sensors.isEmpty)
    #expect(sink.reports.isEmpty)
  }

  @Test func moreSuppliesThanAreFollowedIsSaidAndTheFirstOnesGoOn() throws {
    for number in 0..<Supplies.suppliesMax { try addPort(number) }
    #expect(throws: SourceFailure.self) { try supplies.sample(at: at(seconds: 1)) }
    #expect(sink.readingCount >= Supplies.suppliesMax)
  }

  @Test func aFullListOfSensorsIsAskedForRoomOnce() throws {
    sink.sensorsMax = 2
    try supplies.sample(at: at(seconds: 1))
    sink.sensorsMax = 100
    try supplies.sample(at: at(seconds: 2))
    #expect(sink.sensors.count == 2)
    #expect(sink.values.count == 2)
  }

  @Test func thatThereAreTooManyEndsWithTheOneThatWasTooMuch() throws {
    // The battery is one of them.
    for number in 1..<Supplies.suppliesMax { try addPort(number) }
    try supplies.sample(at: at(seconds: 1))
    try addPort(99)
    #expect(throws: SourceFailure.self) { try supplies.sample(at: at(seconds: 2)) }
    try tree.remove("class/power_supply/port99")
    try supplies.sample(at: at(seconds: 3))
    #expect(sink.values["supply_port1_online"] == .boolean(true))
  }

  private func addPort(_ number: Int) throws {
    try tree.write(["type": "Mains\n", "online": "1\n"], in: "class/power_supply/port\(number)")
  }
}
