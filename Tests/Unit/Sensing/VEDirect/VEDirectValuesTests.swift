import Bytes
import Sensing
import Testing

@Suite struct VEDirectValuesTests {
  private static let charger = VEDirectBlocks.charger
  private static let monitor = VEDirectBlocks.monitor
  private static let history = VEDirectBlocks.monitorHistory

  private static let otherCharger = charger.replacing("HQ1750ABCDE", with: "HQ9999ZZZZZ")

  @Test func aChargerTellsItsValuesInTheUnitsOfHomeAssistant() {
    let cable = VEDirectCable.learned(Self.charger)
    #expect(cable.told.count == 1)
    for (key, number) in [
      ("voltage", 14.01), ("current", 5.2), ("panel_voltage", 33.84), ("panel_power", 75),
      ("load_current", 0.3), ("yield_total", 41.56), ("yield_today", 0.27),
      ("power_max_today", 112), ("yield_yesterday", 0.41), ("power_max_yesterday", 131),
    ] { #expect(cable.number(key) == number, "\(key)") }
    #expect(cable.text("charge_state") == "bulk")
    #expect(cable.text("tracker") == "active")
    #expect(cable.text("off_reason") == "none")
    #expect(cable.text("error") == "none")
    #expect(cable.told.last?["load"] == .value(.boolean(true)))
    #expect(cable.told.last?["soc"] == .stale, "it never says one")
    #expect(cable.serial == "HQ1750ABCDE")
    #expect(!cable.isPortOpen)
    #expect(!cable.isGathering)
    #expect(cable.deadline == nil)
  }

  /// Two wrong bits that cancel leave the sum right: `H19 4156` and `H19 5056` have the same.
  @Test func aCountThatJumpsHasToComeTwice() {
    let wrong = Self.charger.replacing("H19 4156", with: "H19 5056")
    #expect(VEDirectBlocks.bytes(wrong).last == VEDirectBlocks.bytes(Self.charger).last)
    let cable = VEDirectCable.learned(Self.charger)
    cable.ask()
    cable.say(wrong)
    #expect(cable.told.count == 1, "it is asked once more")
    cable.say(Self.charger)
    #expect(cable.number("yield_total") == 41.56)
    // The device was replaced, or its history erased.
    let other = Self.charger.replacing("H19 4156", with: "H19 12")
    cable.ask()
    cable.say(other)
    cable.say(other)
    #expect(cable.number("yield_total") == 0.12)
  }

  @Test func aMonitorTellsTheValuesOfBothItsBlocks() {
    let cable = VEDirectCable.asked(Self.history, Self.monitor, Self.history)
    #expect(cable.told.isEmpty, "one block has named the device, and the next one is to do so, too")
    cable.say(Self.monitor)
    for (key, number) in [
      ("voltage", 13.26), ("starter_voltage", 12.81), ("current", -2.31), ("power", -31),
      ("consumed", -18.4), ("soc", 93), ("time_to_go", 4123), ("discharged_energy", 50.11),
      ("charged_energy", 58.33),
    ] { #expect(cable.number(key) == number, "\(key)") }
    #expect(cable.told.last?["alarm"] == .value(.boolean(false)))
    #expect(cable.told.last?["relay"] == .value(.boolean(true)))
    #expect(cable.text("alarm_reason") == "none")
    #expect(cable.text("monitor") == "battery")
    #expect(cable.serial == nil)
    #expect(cable.told.last?["deepest_discharge"] == .nothing, "the history is not asked for")
  }

  @Test func timeToGoForEverIsUnknownAndNotZero() {
    let cable = VEDirectCable.learned(VEDirectBlocks.shunt)
    #expect(cable.told.last?["time_to_go"] == .value(.unknown))
    #expect(cable.number("midpoint_deviation") == -0.4)
    #expect(cable.number("midpoint_voltage") == 13.28)
    #expect(cable.number("soc") == 100)
  }

  @Test(arguments: ["V ---", "V", "V abc", "V 99999999999", "V 1.5", "V 0x", "V 0x123456789"])
  func aValueThatIsNoneIsNeverZero(line: String) {
    let cable = VEDirectCable.learned("PID 0xA042\n\(line)\nSOC ---\nTTG -2\nAlarm maybe\nI -1")
    #expect(cable.told.last?["voltage"] == VEDirectSession.Report.none)
    #expect(cable.told.last?["soc"] == VEDirectSession.Report.none)
    #expect(cable.told.last?["time_to_go"] == VEDirectSession.Report.none)
    #expect(cable.told.last?["alarm"] == VEDirectSession.Report.none)
    #expect(cable.number("current") == 0)
  }

  /// Registers full of ones, and what is just outside of a range.
  @Test(arguments: [
    ("T 65535", "temperature", "65535 °C"), ("SOC 42949", "soc", "4294.9 %"),
    ("SOC -1", "soc", "-0.1 %"), ("SOC 1001", "soc", "100.1 %"),
    ("V 2147483647", "voltage", "2147483.647 V"), ("I -2147483648", "current", "-2147483.648 A"),
    ("P 2147483647", "power", "2147483647 W"),
    ("AC_OUT_V 4294967295", "ac_voltage", "42949672.95 V"),
  ])
  func aNumberThatCannotBeIsNone(line: String, key: String, found: String) throws {
    let cable = VEDirectCable.learned("PID 0xA042\n\(line)\nCE 100")
    guard case .implausible(let number, let range)? = cable.told.last?[key] else {
      Issue.record("it is told")
      return
    }
    let name = InlineText("part")
    guard case .implausible(_, let shown, _) = range.failure(of: name, number) else { return }
    #expect(String(decoding: [UInt8](shown.bytes), as: UTF8.self) == found)
    #expect(cable.number("consumed") == 0.1, "the others are told")
  }

  /// 655.35 kWh in a day, and 42,949,672.95 kWh in all.
  @Test(arguments: [
    ("H20 65535", "yield_today"), ("H22 65535", "yield_yesterday"),
    ("H21 65535", "power_max_today"),
    ("H19 4294967295", "yield_total"), ("TTG 65535", "time_to_go"),
    ("AC_OUT_S 65535", "ac_apparent_power"),
  ])
  func aRegisterFullOfOnesIsNone(line: String, key: String) {
    let cable = VEDirectCable.learned("PID 0xA042\n\(line)\nCE 100")
    #expect(cable.told.last?[key] == VEDirectSession.Report.none)
    #expect(cable.number("consumed") == 0.1)
  }

  /// A midpoint that is off by more than the 5 % below 0 that a humidity can be.
  @Test(arguments: [
    ("DM -250", "midpoint_deviation", -25.0), ("SOC 0", "soc", 0), ("T -40", "temperature", -40),
  ])
  func whatCanBeIsTold(line: String, key: String, number: Double) {
    #expect(VEDirectCable.learned("PID 0xA042\n\(line)\nCE 100").number(key) == number)
  }

  @Test func numbersStandForWordsAndUnknownOnesStayNumbers() {
    let cable = VEDirectCable.learned(
      "PID 0xA042\nCS 42\nERR 38\nAR 16389\nOR 0x00000201\nMON -9\nMPPT 1\nMODE 5")
    #expect(cable.text("charge_state") == "code 42")
    #expect(cable.text("error") == "input off, battery voltage too high")
    #expect(cable.text("alarm_reason") == "low voltage, low charge, code 16384")
    #expect(cable.text("off_reason") == "no input, code 512")
    #expect(cable.text("monitor") == "solar charger")
    #expect(cable.text("tracker") == "limited")
    #expect(cable.text("mode") == "eco")
  }

  @Test(arguments: [
    ("MODE 253", "mode", "hibernate"), ("MODE 1", "mode", "charger"), ("MODE 2", "mode", "on"),
    ("MODE 4", "mode", "off"), ("CS 0", "charge_state", "off"),
    ("CS 9", "charge_state", "inverting"),
    ("CS 245", "charge_state", "starting"), ("CS 252", "charge_state", "external control"),
    ("CS 250", "charge_state", "blocked"),
    ("AR 4096", "alarm_reason", "short circuit"), ("WARN 8192", "warning", "BMS lockout"),
    ("OR 0x00000009", "off_reason", "no input, remote"), ("OR 12", "off_reason", "mode, remote"),
    ("OR 0x100", "off_reason", "analysing"),
    ("ERR 67", "error", "lost the BMS"), ("ERR 215", "error", "internal voltage"),
    ("ERR 80", "error", "PV input shutdown"), ("ERR 202", "error", "residual current sensor"),
    ("MON 8", "monitor", "water heater"), ("ERR -1", "error", "code -1"),
    ("MODE 25", "mode", "code 25"),
  ])
  func eachCodeHasItsWord(_ line: String, _ key: String, _ word: String) {
    #expect(VEDirectCable.learned("PID 0xA231\n\(line)").text(key) == word)
  }

  /// The public tables of the protocol, 3.33.
  @Test(
    arguments: [
      ("CS", "charge_state", [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 245, 246, 247, 248, 252]),
      ("MODE", "mode", [1, 2, 4, 5, 253]), ("MPPT", "tracker", [0, 1, 2]),
      (
        "ERR", "error",
        [0, 2, 17, 18, 19, 20, 21, 26, 28, 33, 34, 38, 39, 65, 66, 67, 68, 116, 117, 119]
          + Array(80...87) + [200, 201, 202, 203, 205, 212, 215]
      ),
      ("AR", "alarm_reason", (0...13).map { 1 << $0 }),
      ("WARN", "warning", (0...13).map { 1 << $0 }),
      ("OR", "off_reason", (0...8).map { 1 << $0 }), ("MON", "monitor", Array(-9...8)),
    ] as [(String, String, [Int])])
  func noCodeOfThePublicTablesIsANumber(_ label: String, _ key: String, _ codes: [Int]) {
    for code in codes {
      let word = VEDirectCable.learned("PID 0xA231\n\(label) \(code)").text(key)
      #expect(word?.isEmpty == false && word?.contains("code") == false, "\(label) \(code)")
    }
  }

  @Test func moreAlarmsThanFitAreShownAsMore() {
    let cable = VEDirectCable.learned("PID 0xA381\nAR 4095\nWARN -1\nCS -7")
    #expect(cable.text("alarm_reason") == "low voltage, high voltage, low charge, +")
    #expect(cable.text("charge_state") == "code -7")
    #expect(cable.text("warning") != nil)
  }

  // MARK: Which device it is

  @Test func anotherDeviceAtTheSameCableIsBelievedAfterTwoBlocks() {
    let cable = VEDirectCable.learned(Self.charger)
    cable.askAgain(Self.otherCharger)
    #expect(cable.serial == "HQ1750ABCDE")
    cable.say(Self.otherCharger)
    #expect(cable.serial == "HQ9999ZZZZZ")
    cable.say(Self.otherCharger)
    #expect(cable.told.count == 2)
  }

  @Test func oneBlockAloneNeverMakesAnotherDevice() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    cable.say(Self.otherCharger.replacing("V 14010", with: "V 1"))
    #expect(cable.told.count == 1)
    cable.say(Self.charger)
    #expect(cable.told.count == 2)
    #expect(cable.serial == "HQ1750ABCDE")
    #expect(cable.number("voltage") == 14.01)
  }

  @Test func ofAnotherDeviceNothingOfTheFirstIsTold() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    for block in [Self.monitor, Self.monitor, Self.history, Self.monitor] { cable.say(block) }
    #expect(cable.told.count == 2)
    #expect(cable.serial == nil)
    #expect(cable.told.last?["panel_voltage"] == .stale)
    #expect(cable.number("soc") == 93)
  }

  @Test func aDeviceThatDoesNotSayWhatItIsIsTakenToo() {
    let cable = VEDirectCable.learned("V 12800\nI 100")
    #expect(cable.told.count == 1)
    #expect(cable.serial == nil)
  }
}
