import Bytes
import CLinux
import Foundation
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// The anchor watch with its line, its file, and what passes through it.
@Suite final class AnchorAlarmTests: DriverSuite, AnchorAlarmOwner {
  private var present = Instant(nanoseconds: 1_000_000_000_000)
  private var states: [AnchorMonitor.State] = []

  func anchorChanged(_ status: AnchorMonitor.Status) { states.append(status.state) }

  private var file: URL { URL(filePath: string(tree.path.bytes) + "/anchor.watch") }
  private var moment: Moment { Moment(instant: present, wallTime: Moment.now.wallTime) }
  private static let uniqueID = "anchor"

  private static let lineSettings = GPIOLineSettings(
    address: .name([UInt8]("GPIO5")), entity: EntitySettings(name: [UInt8]("Anchor switch")),
    debounce: .zero)
  private let settings = AnchorSettings(
    radiusMeters: 40, line: lineSettings, name: [UInt8]("Anchor"))

  private var context: SourceContext {
    SourceContext(
      in: tree.path, loop, sink, supervisor, cycle: .seconds(10), answerTimeout: .seconds(1),
      now: present)
  }

  /// As a new run of the agent makes it.
  private func alarm() -> AnchorAlarm {
    let alarm = AnchorAlarm(
      settings, in: tree.path, context, owner: self, now: { [self] in present })
    alarm.sample(at: moment)
    return alarm
  }

  /// A watch that is set where the boat is, and has seen it at these places.
  private func setAlarm(north: Double...) -> AnchorAlarm {
    let alarm = alarm()
    alarm.setAnchor(at: moment)
    for north in north { sees(alarm, north: north) }
    return alarm
  }

  private func sees(_ alarm: AnchorAlarm, north: Double...) {
    for north in north {
      present = present + .seconds(10)
      alarm.sample(at: moment)
      alarm.record(fix(north: north))
    }
  }

  private func fix(north: Double) -> Fix {
    Fix(
      mode: .threeDimensional, latitude: 53 + north / 111_320, longitude: 5,
      horizontalErrorMeters: 5, time: WallTime(nanoseconds: 0), notBefore: present)
  }

  private var value: Value? { sink.values[Self.uniqueID] }

  // MARK: The sensor

  @Test func theSensorIsOnWhileTheBoatIsOutside() throws {
    let alarm = alarm()
    #expect(value == .unavailable, "there is no watch")
    alarm.setAnchor(at: moment)
    #expect(value == .unknown)
    sees(alarm, north: 0)
    #expect(value == .boolean(false))
    sees(alarm, north: 60, 60)
    #expect(value == .boolean(true))
    sees(alarm, north: 10, 10)
    #expect(value == .boolean(false))
    present = present + .seconds(301)
    alarm.sample(at: moment)
    #expect(value == .unknown)
    alarm.clearAnchor(at: moment)
    #expect(value == .unavailable)
    #expect(states == [.awaitingPlace, .inside, .outside, .inside, .unknown, .unset])

    let sensor = try #require(sink.sensors.first)
    #expect(sink.sensors.count == 1)
    #expect(string(sensor.name) == "Anchor")
    #expect(sensor.kind == .binarySensor)
    #expect(string(sensor.deviceClass ?? []) == "safety")
    #expect(sensor.isUrgent)
    #expect(!sensor.isDiagnostic)
  }

  /// A person who tries the buttons: "Safe" would be of an anchor that is up.
  @Test func aWatchThatIsSetAndClearedAgainAndAgainIsShownAsItIs() {
    let alarm = alarm()
    for _ in 0..<6 {
      alarm.setAnchor(at: moment)
      sees(alarm, north: 0)
      #expect(value == .boolean(false))
      alarm.clearAnchor(at: moment)
      #expect(value == .unavailable)
    }
  }

  @Test func whatStaysIsNotToldAgain() {
    _ = setAlarm(north: 0, 1, 2, 3)
    #expect(sink.readingCount == 3)
  }

  @Test func fixesAndOtherSensorsPassThrough() {
    let alarm = alarm()
    sees(alarm, north: 0, 1)
    #expect(sink.fixes.count == 2)
    let index = alarm.declare(
      SensorDescription(uniqueID: [UInt8]("other"), name: [], icon: []))
    if let index {
      alarm.record(Reading(sensor: index, value: .boolean(true), time: moment.wallTime))
    }
    #expect(sink.values["other"] == .boolean(true))
  }

  /// Whose readings come from the line is known by the way that they take.
  @Test func aSensorThatIsCalledAsTheLineIsASensor() throws {
    let alarm = alarm()
    let index = try #require(
      alarm.declare(SensorDescription(uniqueID: Self.lineSettings.uniqueID, name: [], icon: [])))
    alarm.record(Reading(sensor: index, value: .boolean(true), time: moment.wallTime))
    #expect(sink.sensors.map { $0.uniqueID }.contains(Self.lineSettings.uniqueID))
    #expect(alarm.status.state == .unset)
  }

  // MARK: The line

  private func makeChip(_ name: String = "GPIO5") -> FakeLine {
    FakeLine(tree.path / "gpiochip0", name: name)
  }

  private func line(_ alarm: AnchorAlarm) -> GPIOLine {
    GPIOLine(Self.lineSettings, context.tapped(by: AnchorSwitch(of: alarm)))
  }

  /// The switch is turned.
  private func turnSwitch(_ chip: FakeLine, to level: Bool, _ line: GPIOLine) throws {
    chip.edge(to: level, at: Moment.now.instant)
    try turn()
    line.deadlineReached(at: .now)
  }

  @Test func theLineSetsTheWatchAndIsNoSensor() throws {
    let chip = makeChip()
    let alarm = alarm()
    let line = line(alarm)
    line.sample(at: .now)
    #expect(value == .unavailable)
    try turnSwitch(chip, to: true, line)
    #expect(value == .unknown)
    sees(alarm, north: 0)
    #expect(value == .boolean(false))
    try turnSwitch(chip, to: false, line)
    #expect(value == .unavailable)
    #expect(sink.sensors.map { string($0.uniqueID) } == [Self.uniqueID])
  }

  @Test func aLineThatGoesLeavesTheBoatWatchedAndIsTold() throws {
    let chip = makeChip()
    chip.level = true
    let alarm = alarm()
    let line = line(alarm)
    line.sample(at: .now)
    sees(alarm, north: 0)
    chip.hangUp()
    try loop.turn { !sink.reports.isEmpty }
    #expect(sink.reports == ["GPIO5: missing GPIO5"])
    #expect(value == .boolean(false))
    sees(alarm, north: 60, 60)
    #expect(value == .boolean(true))
    _ = line
  }

  /// The board file has moved the line to where this board has it.
  @Test func aLineUnderAnotherNameIsTheSameOne() throws {
    let chip = makeChip("PA5")
    let line = Self.lineSettings.moved(to: .name([UInt8]("PA5")))
    let moved = AnchorSettings(radiusMeters: 40, line: line, name: settings.name)
    chip.level = true
    let alarm = AnchorAlarm(moved, in: tree.path, context, owner: nil)
    let source = GPIOLine(line, context.tapped(by: AnchorSwitch(of: alarm)))
    source.sample(at: .now)
    #expect(alarm.status.state == .awaitingPlace)
    #expect(sink.sensors.map { string($0.uniqueID) } == [Self.uniqueID])
  }

  // MARK: The file

  @Test func aBoatThatDragsIsOutsideAfterARestart() throws {
    _ = setAlarm(north: 0, 60, 60)
    let next = alarm()
    #expect(next.status.state == .outside)
    #expect(value == .boolean(true))
    sees(next, north: 70)
    #expect(value == .boolean(true))
    let permissions =
      try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600, "it says where the boat is")
  }

  @Test func aWatchThatWasClearedStaysSoAfterAPowerCut() {
    setAlarm(north: 0).clearAnchor(at: moment)
    #expect(alarm().status.state == .unset)
  }

  /// The switch is read before the first cycle asks for anything.
  @Test func aSwitchThatIsReadFirstFindsWhatWasKept() throws {
    let chip = makeChip()
    chip.level = true
    do {
      let before = alarm()
      let line = line(before)
      line.sample(at: .now)
      sees(before, north: 0, 60, 60)
      #expect(before.status.state == .outside)
    }
    let next = AnchorAlarm(
      settings, in: tree.path, context, owner: nil, now: { [self] in present })
    let nextLine = self.line(next)
    nextLine.sample(at: .now)
    #expect(next.status.state == .outside)
  }

  @Test func aTornFileIsToldAndTheSwitchSetsTheWatchAnew() throws {
    _ = setAlarm(north: 0)
    try Data(try Data(contentsOf: file).prefix(11)).write(to: file)
    let next = alarm()
    #expect(next.status.state == .unset)
    #expect(sink.reports == ["anchor.watch: malformed anchor.watch 'a damaged file'"])
    supervisor.worked(InlineText("anchor"))
    #expect(sink.reports.count == 1)
    next.setAnchor(at: moment)
    #expect(sink.reports.last == "anchor.watch: recovered")
    #expect(alarm().status.state == .awaitingPlace)
  }

  /// What is damaged is lost, so that nothing is saved by waiting for it.
  @Test func aSwitchThatIsOnReplacesATornFileAtOnce() throws {
    try Data("HWAN".utf8).write(to: file)
    let next = alarm()
    AnchorSwitch(of: next).record(
      Reading(sensor: SensorIndex(0), value: .boolean(true), time: moment.wallTime))
    #expect(sink.reports.last == "anchor.watch: recovered")
    #expect(alarm().status.state == .awaitingPlace)
  }

  @Test(arguments: [Data("HWAN, and so long that it is no watch".utf8), Data()])
  func aFileThatIsNoneIsTold(_ bytes: Data) throws {
    try bytes.write(to: file)
    #expect(alarm().status.state == .unset)
    #expect(sink.reports == ["anchor.watch: malformed anchor.watch 'a damaged file'"])
  }

  // MARK: A file that cannot be read

  /// A switch that is on sets a watch where none is known; what is on the disk stays as it is.
  @Test func aFileThatBecomesReadableCountsAsNothingWasDecidedSince() throws {
    _ = setAlarm(north: 0, 60, 60)
    let bytes = try Data(contentsOf: file)
    try tree.fail("anchor.watch")
    let next = alarm()
    AnchorSwitch(of: next).record(
      Reading(sensor: SensorIndex(0), value: .boolean(true), time: moment.wallTime))
    sees(next, north: 0)
    #expect(next.status.state == .inside)
    #expect(sink.reports == ["anchor.watch: failed anchor.watch \(EIO)"])
    try tree.remove("anchor.watch")
    try bytes.write(to: file)
    present = present + .seconds(10)
    next.sample(at: moment)
    #expect(next.status.state == .outside)
    #expect(next.status.setter == .command)
    #expect(sink.reports.last == "anchor.watch: recovered")
  }

  @Test(arguments: [true, false])
  func aCommandCountsAlthoughTheFileCannotBeRead(sets: Bool) throws {
    _ = setAlarm(north: 0, 60, 60)
    try tree.fail("anchor.watch")
    let next = alarm()
    if sets { next.setAnchor(at: moment) } else { next.clearAnchor(at: moment) }
    #expect(
      sink.reports == ["anchor.watch: failed anchor.watch \(EIO)", "anchor.watch: recovered"])
    #expect(alarm().status.state == (sets ? .awaitingPlace : .unset))
    #expect(sink.reports.count == 2)
  }

  @Test(arguments: [2, 60])
  func aFileOfANewerVersionIsWrittenOverOnlyByWhatIsNewer(more: Int) throws {
    var bytes: [UInt8] = [0x48, 0x57, 0x41, 0x4E, 2, 0] + Array(repeating: 9, count: more)
    var checksum = CRC32C()
    checksum.update(bytes.span)
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: checksum.value >> ($0 * 8)) }
    try Data(bytes).write(to: file)
    let alarm = alarm()
    #expect(
      sink.reports == ["anchor.watch: malformed anchor.watch 'a file of a newer version'"])
    let line = AnchorSwitch(of: alarm)
    func turn(_ isOn: Bool) {
      line.record(
        Reading(sensor: SensorIndex(0), value: .boolean(isOn), time: moment.wallTime))
    }
    turn(true)
    sees(alarm, north: 0, 60, 60)
    #expect(value == .boolean(true), "it watches all the same")
    #expect(try Data(contentsOf: file) == Data(bytes))
    turn(false)
    turn(true)
    #expect(sink.reports.last == "anchor.watch: recovered", "as the remedy says")
    #expect(self.alarm().status.state == .awaitingPlace)
  }

  @Test func aDiskThatTakesNothingIsToldAndTriedAgain() throws {
    let alarm = alarm()
    try tree.remove("")
    alarm.setAnchor(at: moment)
    #expect(sink.reports == ["anchor.watch: missing anchor.watch"])
    sees(alarm, north: 0)
    #expect(value == .boolean(false), "it watches all the same")
    try tree.write("", to: "file")
    alarm.sample(at: moment)
    #expect(sink.reports.last == "anchor.watch: recovered")
    #expect(self.alarm().status.state == .unknown)
  }

  // MARK: Words

  @Test func eachTroubleHasItsRemedy() {
    func remedy(_ failure: SourceFailure, of source: String) -> String? {
      settings.remedies.first { string($0.source) == source }
        .map { string($0.remedy(for: failure).bytes) }
    }
    let name = InlineText("anchor.watch")
    #expect(
      remedy(.malformed(name, found: name), of: "anchor.watch")
        == "set the watch again with its switch or a command; this replaces the file")
    #expect(remedy(.missing(name), of: "anchor.watch")?.contains("free space") == true)
    #expect(remedy(.missing(name), of: "GPIO5")?.contains("gpioinfo") == true)
  }
}
