import Bytes
import Drivers
import LinuxIO
import Sensing
import Testing

@testable import Board

/// The anchor watch and the sensors of the receiver, as a person writes them.
@Suite struct ConfigurationAnchorTests {
  private func location(_ keys: String) throws -> GPSDSettings? {
    try Outcome.configuration(minimum + "location: { source: gpsd\(keys) }\n").location
  }

  // MARK: The anchor

  @Test func withoutTheKeyThereIsNoWatch() throws { #expect(try location("")?.anchor == nil) }

  @Test func eachKeyHasItsDefault() throws {
    let anchor = try #require(try location(", anchor: { radius: 40m, gpio: GPIO5 }")?.anchor)
    #expect(anchor.radiusMeters == 40)
    #expect(text(anchor.name) == "Anchor")
    let line = try #require(anchor.line)
    #expect(line.address == .name([UInt8]("GPIO5".utf8)))
    #expect(line.debounce == .milliseconds(20))
    #expect(!line.isActiveLow)
    #expect(line.bias == .asIs)
  }

  @Test func aWatchThatCommandsSetNeedsNoLine() throws {
    let file = minimum + "commands: [command_anchor]\nlocation: { source: gpsd, "
    let anchor = try #require(
      try Outcome.configuration(file + "anchor: { radius: 40m } }\n").location?.anchor)
    #expect(anchor.line == nil)
    #expect(anchor.radiusMeters == 40)
    let both = try Outcome.configuration(file + "anchor: { radius: 40m, gpio: GPIO5 } }\n")
    #expect(both.location?.anchor?.line != nil)
    #expect(
      Outcome.problem(file + "anchor: { radius: 40m, bias: pull_up } }\n")
        == "f:3:50: location.anchor: unknown key \"bias\"; write radius, name or gpio")
  }

  @Test(arguments: ["", "commands: [command_gpio]\n"])
  func aWatchThatNothingCanSetIsRefusedWithBothRemedies(_ commands: String) {
    let line = commands.isEmpty ? 2 : 3
    #expect(
      Outcome.problem(minimum + commands + "location: { source: gpsd, anchor: { radius: 40m } }\n")
        == "f:\(line):35: location.anchor: nothing can set this anchor watch; add the line of a"
        + " switch, such as gpio: GPIO5, or commands: [command_anchor]")
  }

  @Test func aWatchThatLooksTooSeldomIsRefusedWithTheReason() throws {
    func problem(_ every: String, _ anchor: String = ", anchor: { radius: 40m, gpio: GPIO5 }")
      -> String
    {
      Outcome.problem("every: \(every)\n" + minimum + "location: { source: gpsd\(anchor) }\n")
    }
    #expect(problem("5min") == "")
    #expect(problem("1h", "") == "")
    #expect(
      problem("301s")
        == "f:1:8: every: an anchor watch judges one fix per cycle, so it detects a dragging anchor"
        + " 2 cycles late; write 5 min or less, such as 10s; or leave out location.anchor")
  }

  @Test func eachKeyIsTaken() throws {
    let anchor = try #require(
      try location(
        ", anchor: { radius: 0.1km, gpio: chip/7, active_low: true, bias: pull_up,"
          + " debounce: 100ms, name: Mooring }")?.anchor)
    #expect(anchor.radiusMeters == 100)
    #expect(text(anchor.name) == "Mooring")
    let line = try #require(anchor.line)
    #expect(line.address == .chip(label: [UInt8]("chip".utf8), offset: 7))
    #expect(line.debounce == .milliseconds(100))
    #expect(line.isActiveLow)
    #expect(line.bias == .pullUp)
  }

  @Test(arguments: [
    ("anchor: { gpio: GPIO5 }", "radius"), ("anchor: { radius: 40m }", "gpio"),
    ("anchor: { radius: 4.9m, gpio: GPIO5 }", "write 5 to 10000 m"),
    ("anchor: { radius: 11km, gpio: GPIO5 }", "write 5 to 10000 m"),
    ("anchor: { radius: 40, gpio: GPIO5 }", "has no unit"),
    ("anchor: { radius: 40m, gpio: GPIO5, chain: 30m }", "chain"),
    ("anchor: 40m", "anchor: { radius: 40m, gpio: GPIO5 }"),
  ])
  func aMistakeIsNamed(keys: String, words: String) throws {
    let problem = Outcome.problem(minimum + "location: { source: gpsd, \(keys) }\n")
    #expect(problem.contains(words))
  }

  @Test func aLineOrANameThatASensorHasIsNotTakenTwice() {
    let anchor = "location: { source: gpsd, anchor: { radius: 40m, gpio: GPIO5, name: Anchor } }\n"
    for sensor in ["gpio: GPIO5, name: Bilge", "gpio: GPIO6, name: anchor"] {
      #expect(Outcome.problem(minimum + anchor + "sensors: [{ \(sensor) }]\n") != "")
    }
    #expect(Outcome.problem(minimum + anchor + "outputs: [{ gpio: GPIO5, name: Pump }]\n") != "")
    #expect(
      Outcome.problem(minimum + anchor + "sensors: [{ gpio: GPIO6, name: Bilge }]\n") == "")
  }

  @Test(arguments: ["anchor", "gps_fix", "gps_anything"])
  func theIDsOfTheBoardItselfAreNotTaken(id: String) {
    let sensor = "sensors: [{ gpio: GPIO6, name: Bilge, unique_id: \(id) }]\n"
    #expect(
      Outcome.problem(minimum + sensor).contains("is a sensor of the board itself"))
  }

  // MARK: The sensors of the receiver

  @Test func defaultsMakeNoSensor() throws {
    #expect(try location("")?.details == [])
    #expect(try location(", diagnostics: false")?.details == [])
  }

  @Test func allOfThemOrSome() throws {
    #expect(try location(", diagnostics: true")?.details == .all)
    for detail in ReceiverDetail.allCases {
      #expect(ReceiverDetailSet.all.contains(ReceiverDetailSet(detail)))
    }
    #expect(
      try location(", diagnostics: [fix, heading]")?.details == [
        ReceiverDetailSet(.fix), ReceiverDetailSet(.heading),
      ])
    let keys = ReceiverDetail.keys.map { String(decoding: [UInt8]($0), as: UTF8.self) }
    #expect(
      try location(", diagnostics: [\(keys.joined(separator: ", "))]")?.details == .all)
  }

  @Test(arguments: ["[]", "[hdop]", "[fix, fix]", "sometimes", "{ fix: true }"])
  func whatIsNoSensorIsAMistake(written: String) {
    #expect(
      Outcome.problem(minimum + "location: { source: gpsd, diagnostics: \(written) }\n") != "")
  }
}

/// From the keys of the configuration to the sources and their failures.
@Suite final class AnchorWiringTests: WiringSuite, AnchorAlarmOwner {
  private var states: [AnchorMonitor.State] = []

  func anchorChanged(_ status: AnchorMonitor.Status) { states.append(status.state) }

  private func configuration() throws -> Configuration {
    try Outcome.configuration(
      minimum + "system: off\nbattery: off\nstate_directory: /nowhere\n"
        + "location: { source: gpsd, port: 1, anchor: { radius: 40m, gpio: GPIO999 } }\n")
  }

  @Test func theWatchHearsItsLineAndTheReceiver() throws {
    let configuration = try configuration()
    let context = context(configuration)
    let anchor = try #require(configuration.anchorAlarm(context, owner: self))
    let sources = configuration.sources(context, anchor: anchor)
    #expect(sources.map { text([UInt8]($0.name.bytes)) } == ["anchor", "GPIO999", "gpsd"])
    for source in sources { supervisor.add(source) }
    anchor.setAnchor(at: .now)
    supervisor.sample(at: .now)
    #expect(values["anchor"] == .unknown)
    #expect(sensors.count == 1, "the line is no sensor of its own")
    #expect(failed.contains("GPIO999") && failed.contains("anchor.watch"))
    #expect(states == [.awaitingPlace])

    let advice = SourceAdvice(configuration)
    let missing = SourceFailure.missing(InlineText("GPIO999"))
    #expect(
      text(advice.remedy(for: missing, of: InlineText("GPIO999")).bytes)?.contains("gpioinfo")
        == true)
    #expect(
      text(advice.remedy(for: missing, of: InlineText("anchor.watch")).bytes)?
        .contains("free space") == true)
  }

  @Test func aWatchWithoutALineIsSetByACommand() throws {
    let configuration = try Outcome.configuration(
      minimum + "system: off\nbattery: off\nstate_directory: /nowhere\n"
        + "location: { source: gpsd, port: 1, anchor: { radius: 40m } }\n"
        + "commands: [command_anchor]\n")
    let context = context(configuration)
    let anchor = try #require(configuration.anchorAlarm(context, owner: self))
    let sources = configuration.sources(context, anchor: anchor)
    #expect(sources.map { text([UInt8]($0.name.bytes)) } == ["anchor", "gpsd"])
    #expect(text(anchor.status.words.bytes) == "not set; the command command_anchor sets it")
    anchor.setAnchor(at: .now)
    #expect(states == [.awaitingPlace])
    anchor.clearAnchor(at: .now)
    #expect(states == [.awaitingPlace, .unset])
    #expect(configuration.lineAddresses.isEmpty)
  }

  /// A command beside the agent, such as `check`, must not set, clear or write what is the agent's.
  @Test func whatIsTriedBesideTheAgentHasNoWatch() throws {
    let configuration = try configuration()
    let sources = configuration.sources(context(configuration))
    #expect(sources.map { text([UInt8]($0.name.bytes)) } == ["GPIO999", "gpsd"])
  }
}
