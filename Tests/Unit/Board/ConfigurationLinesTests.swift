import Sensing
import Testing
import YAML

@testable import Board
@testable import Drivers

private let boardFile = """
  name: My board
  compatible: [maker-board]
  chips: [{ name: main, labels: [new-chip, main-chip] }]
  headers:
    - name: J1
      pins:
        - { pin: 1, name: 3V3 }
        - { pin: 2, name: GPIO2, line: main/2 }
        - { pin: 3, name: GPIO3, line: main/3 }
  """

/// Where the lines of a configuration are looked for.
@Suite struct ConfigurationLinesTests {
  private let kernel = GPIOLineUses(
    lines: (0...2).map { offset in
      GPIOLineUse(
        chip: [UInt8]("main-chip".utf8), offset: offset,
        name: offset == 0 ? [UInt8]("ID_SDA".utf8) : [], isTaken: false, consumer: [])
    }, isIncomplete: false)

  private func found(
    _ entries: String, as uses: GPIOLineUses? = nil
  ) throws -> (configuration: Configuration, warnings: [String]) {
    let pins = BoardPins(try BoardFile.parse([UInt8](boardFile.utf8)))
    var warnings: [String] = []
    let found = try Outcome.configuration(minimum + entries)
      .findingLines(as: uses ?? kernel, pins) {
        warnings.append(String(decoding: $0.bytes, as: UTF8.self))
      }
    return (found, warnings)
  }

  private func address(_ written: String, as uses: GPIOLineUses? = nil) throws -> String? {
    let found = try found("sensors: [{ gpio: \(written), name: Bilge }]\n", as: uses)
    return text(found.configuration.lines.first?.address.text)
  }

  @Test func aLineWithoutANameIsFoundByTheBoardFile() throws {
    #expect(try address("GPIO2") == "main-chip/2")
    #expect(try address("PIN2") == "main-chip/2")
  }

  /// A board whose lines are written by their chips works without it.
  @Test(arguments: [("main-chip/2", 0), ("GPIO2", 1)])
  func aBrokenBoardFileIsAFlawOnlyOfNames(_ written: String, _ flawCount: Int) throws {
    let machine = Machine()
    _ = try machine.tree("maker-board")
    try machine.board("packaged/one.yaml", "maker-board", more: "colour: red")
    let (sys, boards) = (text(machine.path("sys").bytes), text(machine.path("packaged").bytes))
    let configuration = try Outcome.configuration(
      minimum + "host: { sys: \(try #require(sys)), boards: \(try #require(boards)) }\n"
        + "sensors: [{ gpio: \(written), name: Bilge }]\n")
    #expect(configuration.findingLines().flaws.count == flawCount)
  }

  /// With and without a sensor that has a line.
  @Test(arguments: ["", "sensors: [{ gpio: ID_SDA, name: Bilge }]\n"])
  func theLineOfTheAnchorWatchIsFoundToo(sensors: String) throws {
    let (configuration, _) = try found(
      "location: { source: gpsd, anchor: { radius: 40m, gpio: GPIO2 } }\n" + sensors)
    let line = try #require(configuration.location?.anchor?.line)
    #expect(text(line.address.text) == "main-chip/2")
    #expect(text(line.entity.uniqueID) == "gpio_gpio2")
  }

  @Test func theKernelsOwnNameComesFirst() throws {
    #expect(try address("ID_SDA") == "ID_SDA")
    let named = GPIOLineUses(
      lines: kernel.lines + [
        GPIOLineUse(
          chip: [UInt8]("expander".utf8), offset: 5, name: [UInt8]("GPIO2".utf8), isTaken: false,
          consumer: [])
      ], isIncomplete: false)
    #expect(try address("GPIO2", as: named) == "GPIO2")
  }

  @Test func whatTheKernelDoesNotHaveStaysAsItWasWritten() throws {
    #expect(try address("GPIO3") == "GPIO3")
    #expect(try address("GPIO99") == "GPIO99")
    #expect(try address("main-chip/9") == "main-chip/9")
  }

  @Test func aChipThatCannotBeAskedMayHaveTheLine() throws {
    #expect(
      try address("GPIO2", as: GPIOLineUses(lines: kernel.lines, isIncomplete: true)) == "GPIO2")
  }

  @Test func theSensorStaysTheSameInHomeAssistant() throws {
    let lines = try moved(
      "sensors: [{ gpio: PIN2, name: Bilge }, { gpio: GPIO2, name: B, unique_id: own },"
        + " { gpio: ID_SDA, name: C }]\n"
    ).lines
    #expect(lines.map { text($0.entity.uniqueID) } == ["gpio_pin2", "own", nil])
  }

  @Test func aPinThatIsNoLineIsToldAndHarmsNoOther() throws {
    let result = try found(
      "sensors: [{ gpio: PIN1, name: Bilge }, { gpio: PIN2, name: Hatch }]\n")
    #expect(
      result.warnings == [
        "Bilge: \"PIN1\" is 3V3, not a GPIO line; sudo homeward pins shows the pins of this board"
      ])
    #expect(result.configuration.lines.map { text($0.address.text) } == ["PIN1", "main-chip/2"])
  }

  @Test func aLineThatIsNamedTwiceIsRefusedByWhateverNames() throws {
    func problems(_ more: String, knowsBoard: Bool = true) throws -> [String] {
      let board = try BoardFile.parse([UInt8](boardFile.utf8))
      let source = [UInt8]((minimum + "host: { sys: /elsewhere }\n" + more).utf8)
      var asked: [String] = []
      defer { #expect(asked.count <= 1 && asked.allSatisfy { $0 == "/elsewhere" }) }
      do throws(ConfigurationErrors) {
        _ = try Configuration.parse(source) { host in
          asked.append(String(decoding: host.sys, as: UTF8.self))
          return knowsBoard ? board : nil
        }
        return []
      } catch {
        return error.lines
      }
    }
    let two = "sensors: [{ gpio: GPIO2, name: Bilge }, { pulses: main-chip/2, name: Rain }]\n"
    let found = try problems(two)
    #expect(found.count == 1)
    #expect(
      found.first?.hasSuffix(
        "sensors[1].pulses: \"main-chip/2\" is \"GPIO2\", already used on line 3; write each"
          + " one once") == true, "\(found)")
    #expect(try problems(two, knowsBoard: false) == [])
    let output = "outputs: [{ gpio: J1_3, name: Pump }]\n"
    #expect(try problems("sensors: [{ gpio: PIN3, name: Bilge }]\n" + output).count == 1)
    let anchor = "location: { source: gpsd, anchor: { radius: 40m, gpio: GPIO3 } }\n"
    #expect(try problems(anchor + output).count == 1)
    #expect(try problems("sensors: [{ gpio: GPIO2, name: Bilge }]\n" + output) == [])
    let same = try problems("sensors: [{ gpio: GPIO2, name: A }, { gpio: GPIO2, name: B }]\n")
    #expect(same.count == 1)
    #expect(same.first?.contains("this is already used on line 3") == true, "\(same)")
    #expect(try problems("every: 10s\n") == [])
  }

  private func moved(_ entries: String) throws -> Configuration {
    let found = try found(entries)
    #expect(found.warnings == [])
    return found.configuration
  }

  @Test func pulsesAreFoundAtAPinAndKeepTheirCountAndTheirRate() throws {
    let moved = try moved(
      "sensors: [{ pulses: PIN2, name: Rain, rate: { per: hour, name: Rain rate } }]\n")
    let rain = try #require(moved.sensors.first as? SensorEntry<PulseSettings>).settings
    #expect(text(rain.address.text) == "main-chip/2")
    #expect(text(rain.id) == "pulses_pin2")
    #expect(text(rain.entity.uniqueID) == "pulses_pin2")
    #expect(text(rain.rate?.entity.uniqueID) == "pulses_pin2_rate")
  }

  @Test func theIDsThatAPersonWroteStay() throws {
    let moved = try moved(
      "sensors: [{ pulses: PIN2, name: R, unique_id: own, rate: { per: hour, name: S,"
        + " unique_id: own_rate } }]\n")
    let rain = try #require(moved.sensors.first as? SensorEntry<PulseSettings>).settings
    #expect(text(rain.id) == "own")
    #expect(text(rain.rate?.entity.uniqueID) == "own_rate")
  }

  @Test func anOutputIsFoundAtAPin() throws {
    let moved = try moved("outputs: [{ gpio: PIN2, name: Pump }, { gpio: ID_SDA, name: Lamp }]\n")
    #expect(moved.outputs.map { text($0.address.text) } == ["main-chip/2", "ID_SDA"])
    #expect(text(moved.outputs[0].entity.uniqueID) == "output_pin2")
    #expect(moved.outputs[1].entity.uniqueID == nil)
  }

  @Test func anOutputAtAPinThatIsNoLineIsTold() throws {
    let (configuration, warnings) = try found("outputs: [{ gpio: PIN1, name: Pump }]\n")
    #expect(warnings.count == 1 && warnings[0].hasPrefix("Pump: \"PIN1\" is 3V3"))
    #expect(text(configuration.outputs[0].address.text) == "PIN1")
  }
}
