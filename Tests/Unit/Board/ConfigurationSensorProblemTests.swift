import Board
import Testing

/// What is wrong with a sensor, or with all of them together.
@Suite struct ConfigurationSensorProblemTests {
  @Test(arguments: [
    ("debounce: 10001ms", "\"10001ms\" is out of range; write a time from 0 s to 10 s"),
    ("debounce: 0", "\"0\" has no unit; write for example 50ms"),
    ("urgent: y", "\"y\" is not a yes-or-no value; write true or false"),
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

  @Test(arguments: [(1, true), (60, true), (61, false)])
  func anIconHasANameOfUpToSixtyCharacters(count: Int, isRight: Bool) {
    let icon = "mdi:" + String(repeating: "a", count: count)
    #expect(Outcome.problems(sensor("icon: \"\(icon)\"")).isEmpty == isRight)
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
  static let noOffset =
    "has no offset after its last slash; write a number from 0 to 4095, as \"gpioinfo\" shows"
  static let noName = "is not a name; write 1 to 31 bytes, as \"gpioinfo\" shows"

  @Test(arguments: [
    (
      "17",
      "a line's number alone is not enough: numbers change between kernels; "
        + "write its name, such as GPIO17, as \"gpioinfo\" shows"
    ),
    ("gpiochip0/17", chip), ("gpiochip0", chip), ("/dev/gpiochip0", chip),
    ("/dev/gpiochip0/17", chip),
    ("chip/4096", "\"chip/4096\" \(noOffset)"),
    ("chip/", "\"chip/\" \(noOffset)"),
    ("chip/-1", "\"chip/-1\" \(noOffset)"),
    ("chip/017", "\"chip/017\" \(noOffset)"),
    ("chip/0x11", "\"chip/0x11\" \(noOffset)"),
    ("a/99999999999999999999", "\"a/99999999999999999999\" \(noOffset)"),
    ("/17", "\"\" \(noName)"),
    ("\"\"", "\"\" \(noName)"),
    ("0123456789012345678901234567890x", "\"0123456789012345678901234567890x\" \(noName)"),
    ("\"a\\tb\"", "\"a?b\" \(noName)"),
  ])
  func aLineThatAKernelUpdateWouldMoveIsRefused(_ written: String, _ expected: String) {
    let file = minimum + "sensors: [{ gpio: \(written), name: x }]"
    #expect(Outcome.problem(file) == "f:2:19: sensors[0].gpio: \(expected)")
  }

  @Test func aMisspeltSettingOfASensorIsFound() {
    #expect(
      Outcome.problem(sensor("debouce: 50ms"))
        == "f:2:40: sensors[0]: unknown key \"debouce\"; did you mean \"debounce\"?")
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
        "f:4:27: sensors[1].name: this is already used on line 3; write each one once",
        "f:5:13: sensors[2].gpio: this is already used on line 3; write each one once",
        "f:6:13: sensors[3].gpio: this is already used on line 4; write each one once",
      ])
  }

  @Test func moreThanSixtyFourSensorsAreTooMany() {
    let sensors = (1...65).map { "  - { gpio: GPIO\($0), name: Sensor \($0) }\n" }.joined()
    #expect(
      Outcome.problem(minimum + "sensors:\n" + sensors)
        == "f:3:3: sensors: this list has 65 items; write 0 to 64")
  }

  static let change = "write a number such as 0.5, or 0 for all"
  static let ids = "write one that \"ls /sys/bus/w1/devices\" shows, such as 28-0316a2796cff"

  @Test(arguments: [
    ("28-0316a2796c", "\"28-0316a2796c\" is not the id of a 1-Wire part; \(ids)"),
    ("28.0316a2796cff", "\"28.0316a2796cff\" is not the id of a 1-Wire part; \(ids)"),
    ("28-0316a2796cfg", "\"28-0316a2796cfg\" is not the id of a 1-Wire part; \(ids)"),
    ("w1_bus_master1", "\"w1_bus_master1\" is not the id of a 1-Wire part; \(ids)"),
    (
      "26-0316a2796cff",
      "\"26-0316a2796cff\" is not a thermometer; "
        + "write one whose id begins with 28-, 10-, 22-, 3b- or 42-"
    ),
  ])
  func onlyAThermometerIsTakenForOne(_ written: String, _ expected: String) {
    let file = minimum + "sensors: [{ one_wire: \(written), name: x }]"
    #expect(Outcome.problem(file) == "f:2:23: sensors[0].one_wire: \(expected)")
  }

  static let ofTheBoard = "is a sensor of the board itself; write another one"

  @Test(arguments: [
    ("unit: K", "\"K\" is unknown; write °C"),
    ("device_class: moisture", "\"moisture\" is unknown; write temperature"),
    ("state_class: total", "\"total\" is unknown; write measurement"),
    ("min_change: a bit", "\"a bit\" is not a change; \(change)"),
    ("min_change: -1", "\"-1\" is not a change; \(change)"),
    ("icon: water", "\"water\" is not an icon; write for example mdi:water"),
    (
      "unique_id: Soil",
      "\"Soil\" is not a unique id; write 1 to 64 letters from a to z, digits or _"
    ),
    ("unique_id: last_start", "\"last_start\" \(ofTheBoard)"),
    ("unique_id: supply_a", "\"supply_a\" \(ofTheBoard)"),
    ("unique_id: power_level", "\"power_level\" \(ofTheBoard)"),
    ("unique_id: battery_days_left", "\"battery_days_left\" \(ofTheBoard)"),
  ])
  func aKindIsToHomeAssistantWhatItMeasures(_ setting: String, _ expected: String) {
    let key = setting.prefix { $0 != ":" }
    let entry = "sensors: [{ one_wire: 28-0316a2796cff, name: Soil, "
    #expect(
      Outcome.problem(minimum + "\(entry)\(setting) }]")
        == "f:2:\(entry.utf8.count + key.count + 3): sensors[0].\(key): \(expected)")
  }

  @Test func aKeyOfAnotherKindIsUnknown() {
    let problem = Outcome.problem(
      minimum + "sensors: [{ one_wire: 28-0316a2796cff, name: Soil, debounce: 5ms }]")
    #expect(
      problem
        == "f:2:52: sensors[0]: unknown key \"debounce\"; write one_wire, name, device_class, unit, "
        + "state_class, icon, unique_id or min_change")
  }

  static let noKind = "is not a kind of sensor"
  static let kinds = "write one_wire, iio, hwmon, ve_direct, network, gpio, pulses or file"

  @Test(arguments: [
    ("{ dht22: GPIO4, name: Air }", 13, "\"dht22\" \(noKind); \(kinds)"),
    ("{ name: Air, platform: dht, pin: GPIO4 }", 24, "\"platform\" \(noKind); \(kinds)"),
    ("{ name: Bilge, pin: GPIO17 }", 26, "\"pin\" \(noKind); did you mean \"gpio\"?"),
    ("{ GPIO: GPIO17, name: Bilge }", 13, "\"GPIO\" \(noKind); did you mean \"gpio\"?"),
    ("{ onewire: x, name: A }", 13, "\"onewire\" \(noKind); did you mean \"one_wire\"?"),
    (
      "{ gpio: GPIO4, one_wire: 28-0316a2796cff, name: Soil }", 26,
      "an entry has one kind, and this one has gpio and one_wire; write an entry for each"
    ),
    (
      "{ name: Soil, file: /x, pulses: GPIO4 }", 35,
      "an entry has one kind, and this one has file and pulses; write an entry for each"
    ),
  ])
  func anEntryHasOneOfTheKindsThatThereAre(_ entry: String, _ column: Int, _ expected: String) {
    #expect(
      Outcome.problem(minimum + "sensors: [\(entry)]\n") == "f:2:\(column): sensors[0]: \(expected)"
    )
  }

  @Test func aPartOrAUniqueIDIsUsedOnce() {
    let file =
      minimum + """
        sensors:
          - { one_wire: 28-0316a2796cff, name: Soil, unique_id: soil }
          - { one_wire: 28-0316A2796CFF, name: Bed }
          - { gpio: GPIO17, name: Bilge, unique_id: soil }
        """
    #expect(
      Outcome.problems(file) == [
        "f:4:17: sensors[1].one_wire: this is already used on line 3; write each one once",
        "f:5:45: sensors[2].unique_id: this is already used on line 3; write each one once",
      ])
  }
}
