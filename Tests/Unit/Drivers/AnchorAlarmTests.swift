import Bytes
import CLinux
import Foundation
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// The anchor watch with its line, its file, and what passes through it.
@Suite final class AnchorAlarmTests: AnchorAlarmOwner {
  private let folder: URL
  private let loop: EventLoop
  private let sink = RecordingSink()
  private let supervisor: Supervisor
  private var present = Instant(nanoseconds: 1_000_000_000_000)
  private var states: [AnchorMonitor.State] = []

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "anchor-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    loop = try EventLoop()
    supervisor = Supervisor(owner: sink)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func anchorChanged(_ status: AnchorMonitor.Status) { states.append(status.state) }

  private var path: Path { Path([UInt8](folder.path.utf8)) }
  private var file: URL { folder.appending(path: "anchor.watch") }
  private var moment: Moment { Moment(instant: present, wallTime: Moment.now.wallTime) }
  private static let uniqueID = "anchor"

  private static let lineSettings = GPIOLineSettings(
    address: .name([UInt8]("GPIO5")), entity: EntitySettings(name: [UInt8]("Anchor switch")),
    debounce: .zero)
  private let settings = AnchorSettings(
    radiusMeters: 40, line: lineSettings, name: [UInt8]("Anchor"))

  private func context(_ devices: StaticString = "/nowhere") -> SourceContext {
    SourceContext(
      in: Path(devices), loop, sink, supervisor, cycle: .seconds(10), answerTimeout: .seconds(1),
      now: present)
  }

  /// As a new run of the agent makes it.
  private func alarm() -> AnchorAlarm {
    let alarm = AnchorAlarm(
      settings, in: path, context(), owner: self, now: { [self] in present })
    alarm.sample(at: moment)
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
    let alarm = alarm()
    alarm.setAnchor(at: moment)
    sees(alarm, north: 0, 1, 2, 3)
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

  private func line(_ alarm: AnchorAlarm, in devices: StaticString) -> GPIOLine {
    GPIOLine(Self.lineSettings, context(devices).tapped(by: AnchorSwitch(of: alarm)))
  }

  /// The switch is turned.
  private func turnSwitch(_ chip: FakeLine, to level: Bool, _ line: GPIOLine) throws {
    chip.edge(to: level, at: Moment.now.instant)
    try loop.turn(until: Instant(nanoseconds: 0))
    line.deadlineReached(at: .now)
  }

  @Test func theLineSetsTheWatchAndIsNoSensor() throws {
    let chip = FakeLine(Path("/anchor-1/gpiochip0"), name: "GPIO5")
    let alarm = alarm()
    let line = line(alarm, in: "/anchor-1")
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
    let chip = FakeLine(Path("/anchor-2/gpiochip0"), name: "GPIO5")
    chip.level = true
    let alarm = alarm()
    let line = line(alarm, in: "/anchor-2")
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
    let chip = FakeLine(Path("/anchor-3/gpiochip0"), name: "PA5")
    let line = Self.lineSettings.moved(to: .name([UInt8]("PA5")))
    let moved = AnchorSettings(radiusMeters: 40, line: line, name: settings.name)
    chip.level = true
    let alarm = AnchorAlarm(moved, in: path, context(), owner: nil)
    let source = GPIOLine(line, context("/anchor-3").tapped(by: AnchorSwitch(of: alarm)))
    source.sample(at: .now)
    #expect(alarm.status.state == .awaitingPlace)
    #expect(sink.sensors.map { string($0.uniqueID) } == [Self.uniqueID])
  }

  // MARK: The file

  @Test func aBoatThatDragsIsOutsideAfterARestart() throws {
    let before = alarm()
    before.setAnchor(at: moment)
    sees(before, north: 0, 60, 60)
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
    let before = alarm()
    before.setAnchor(at: moment)
    sees(before, north: 0)
    before.clearAnchor(at: moment)
    #expect(alarm().status.state == .unset)
  }

  /// The switch is read before the first cycle asks for anything.
  @Test func aSwitchThatIsReadFirstFindsWhatWasKept() throws {
    let chip = FakeLine(Path("/anchor-4/gpiochip0"), name: "GPIO5")
    chip.level = true
    do {
      let before = alarm()
      let line = line(before, in: "/anchor-4")
      line.sample(at: .now)
      sees(before, north: 0, 60, 60)
      #expect(before.status.state == .outside)
    }
    let next = AnchorAlarm(
      settings, in: path, context(), owner: nil, now: { [self] in present })
    let nextLine = self.line(next, in: "/anchor-4")
    nextLine.sample(at: .now)
    #expect(next.status.state == .outside)
  }

  @Test func aTornFileIsToldAndTheSwitchSetsTheWatchAnew() throws {
    let before = alarm()
    before.setAnchor(at: moment)
    sees(before, north: 0)
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
    let before = alarm()
    before.setAnchor(at: moment)
    sees(before, north: 0, 60, 60)
    let bytes = try Data(contentsOf: file)
    try makeUnreadable()
    let next = alarm()
    AnchorSwitch(of: next).record(
      Reading(sensor: SensorIndex(0), value: .boolean(true), time: moment.wallTime))
    sees(next, north: 0)
    #expect(next.status.state == .inside)
    #expect(sink.reports == ["anchor.watch: failed anchor.watch \(EIO)"])
    try FileManager.default.removeItem(at: file)
    try bytes.write(to: file)
    present = present + .seconds(10)
    next.sample(at: moment)
    #expect(next.status.state == .outside)
    #expect(next.status.setter == .command)
    #expect(sink.reports.last == "anchor.watch: recovered")
  }

  @Test(arguments: [true, false])
  func aCommandCountsAlthoughTheFileCannotBeRead(sets: Bool) throws {
    let before = alarm()
    before.setAnchor(at: moment)
    sees(before, north: 0, 60, 60)
    try makeUnreadable()
    let next = alarm()
    if sets { next.setAnchor(at: moment) } else { next.clearAnchor(at: moment) }
    #expect(
      sink.reports == ["anchor.watch: failed anchor.watch \(EIO)", "anchor.watch: recovered"])
    #expect(alarm().status.state == (sets ? .awaitingPlace : .unset))
    #expect(sink.reports.count == 2)
  }

  /// Reading it says EIO.
  private func makeUnreadable() throws {
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: "/proc/self/mem")
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
    try FileManager.default.removeItem(at: folder)
    alarm.setAnchor(at: moment)
    #expect(sink.reports == ["anchor.watch: missing anchor.watch"])
    sees(alarm, north: 0)
    #expect(value == .boolean(false), "it watches all the same")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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
