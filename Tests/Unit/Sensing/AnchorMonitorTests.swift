import Bytes
import Testing
import TrackTrials

@testable import Sensing

/// The anchor watch of a board, with its line, its receiver and what an earlier run kept.
@Suite struct AnchorMonitorTests {
  private static let start = TrackFilterTests.fix(at: 0).notBefore
  private var monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: start)

  private static func at(_ seconds: Double) -> Instant {
    TrackFilterTests.fix(at: seconds).notBefore
  }

  /// A fix each ten seconds, so many metres north.
  private mutating func sees(north: [Double], from second: Double = 0, error: Double? = 5) {
    for fix in TrackFilterTests.fixes(north: north, from: second, error: error) {
      monitor.fixReported(fix)
    }
  }

  /// The watch is set, and the anchor is at the first of these places.
  private mutating func drops(by setter: KeptAnchor.Setter = .line, north: [Double]) {
    monitor.set(by: setter)
    sees(north: north)
  }

  /// What another run makes of what this one keeps.
  private mutating func restarted(radius: Double = 40, at second: Double) throws -> AnchorMonitor {
    let kept = monitor.takeKept()
    var next = AnchorMonitor(radiusMeters: radius, cycle: .seconds(10), now: Self.at(second))
    next.restored(try KeptAnchor(file: kept.file.bytes), now: Self.at(second))
    return next
  }

  // MARK: Setting

  @Test mutating func withoutAWatchNoFixMeansAnything() {
    sees(north: [0, 500, 5000])
    monitor.cycleDue(now: Self.at(9000))
    #expect(monitor.state == .unset)
    #expect(!monitor.isToBeKept)
    #expect(monitor.status.distanceMeters == nil)
  }

  @Test mutating func theAnchorIsWhereTheNextFixIs() {
    sees(north: [0])
    monitor.set(by: .command)
    #expect(monitor.state == .awaitingPlace)
    #expect(monitor.isToBeKept)
    sees(north: [100, 130], from: 100)
    #expect(monitor.state == .inside)
    #expect(monitor.status.distanceMeters.map { (29...31).contains($0) } ?? false)
    sees(north: [160, 160], from: 200)
    #expect(monitor.state == .outside)
  }

  @Test mutating func aSwitchThatTurnsSetsAndClears() {
    monitor.lineSettled(.inactive)
    #expect(monitor.state == .unset)
    monitor.lineSettled(.active)
    #expect(monitor.state == .awaitingPlace)
    #expect(monitor.status.setter == .line)
    sees(north: [0])
    monitor.lineSettled(.active)
    #expect(monitor.state == .inside, "the same level again is no news")
    monitor.lineSettled(.inactive)
    #expect(monitor.state == .unset)
    #expect(monitor.status.setter == nil)
  }

  @Test mutating func aSwitchThatIsTurnedWhileACommandHasSetTheWatchCounts() {
    monitor.lineSettled(.inactive)
    drops(by: .command, north: [0])
    monitor.lineSettled(.active)
    #expect(monitor.state == .awaitingPlace)
    #expect(monitor.status.setter == .line)
    monitor.set(by: .command)
    monitor.lineSettled(.inactive)
    #expect(monitor.state == .unset)
  }

  @Test mutating func clearingTwiceIsOneChange() {
    monitor.clear()
    #expect(!monitor.isToBeKept)
    monitor.set(by: .command)
    monitor.clear()
    #expect(monitor.isToBeKept)
    #expect(monitor.takeKept() == KeptAnchor())
    #expect(!monitor.isToBeKept)
    monitor.keepingFailed()
    #expect(monitor.isToBeKept)
  }

  // MARK: The line

  @Test mutating func aLineThatIsLostLeavesTheBoatWatched() {
    monitor.lineSettled(.active)
    sees(north: [0])
    monitor.lineLost()
    sees(north: [60, 60], from: 10)
    #expect(monitor.state == .outside)
    monitor.lineSettled(.active)
    #expect(monitor.state == .outside, "it was held all the while")
    monitor.lineLost()
    monitor.lineSettled(.inactive)
    #expect(monitor.state == .unset, "it was turned meanwhile")
  }

  @Test mutating func aLineThatComesBackDoesNotClearWhatACommandHasSet() {
    monitor.set(by: .command)
    monitor.lineSettled(.inactive)
    #expect(monitor.state == .awaitingPlace)
    monitor.lineLost()
    monitor.lineSettled(.active)
    #expect(monitor.status.setter == .command)
  }

  @Test mutating func aSwitchThatWasLostAndIsStillOnDoesNotSetWhatACommandHasCleared() {
    monitor.lineSettled(.active)
    monitor.clear()
    monitor.lineLost()
    monitor.lineSettled(.active)
    #expect(monitor.state == .unset)
    monitor.lineLost()
    monitor.lineSettled(.inactive)
    monitor.lineLost()
    monitor.lineSettled(.active)
    #expect(monitor.state == .awaitingPlace, "it was turned off meanwhile, and on")
  }

  // MARK: Where the boat is

  /// A receiver that has lost itself says that it is right, for two fixes.
  @Test mutating func aJumpThatNoBoatCanMakeIsNoAlarm() {
    drops(north: [0, 5000, 9000, 3])
    #expect(monitor.state == .inside)
    #expect(monitor.status.distanceMeters.map { $0 < 10 } ?? false)
  }

  @Test mutating func aJumpThatAgreesWithItselfIsAnAlarm() {
    drops(north: [0, 5000, 5000, 5000, 5000])
    #expect(monitor.state == .outside)
  }

  @Test mutating func aFixThatSaysNothingIsNotTrusted() {
    monitor.set(by: .line)
    sees(north: [0], error: 101)
    #expect(monitor.state == .awaitingPlace)
    sees(north: [0], from: 10, error: 5)
    #expect(monitor.state == .inside)
    sees(north: Array(repeating: 0, count: 40), from: 20, error: 500)
    monitor.cycleDue(now: Self.at(420))
    #expect(monitor.state == .unknown)
  }

  @Test mutating func aLargeCircleBelievesALargerError() {
    monitor = AnchorMonitor(radiusMeters: 200, cycle: .seconds(10), now: Self.start)
    monitor.set(by: .line)
    sees(north: [0], error: 5)
    sees(north: Array(repeating: 0, count: 40), from: 10, error: 401)
    monitor.cycleDue(now: Self.at(420))
    #expect(monitor.state == .unknown)
    sees(north: [0], from: 430, error: 400)
    #expect(monitor.status.distanceMeters == 0)
  }

  /// A cold receiver is far off at first. Its first place would be the anchor's for ever.
  @Test(arguments: [(40.0, 25.0), (200, 100)])
  mutating func theAnchorIsNotWhereAColdReceiverThinksThatItIs(radius: Double, error: Double) {
    monitor = AnchorMonitor(radiusMeters: radius, cycle: .seconds(10), now: Self.start)
    monitor.set(by: .line)
    sees(north: [20, 20], error: error + 1)
    #expect(monitor.state == .awaitingPlace)
    sees(north: [0], from: 20, error: error)
    #expect(monitor.state == .inside)
    #expect(monitor.status.distanceMeters == 0)
  }

  @Test mutating func aFixCountsForLongerWhereCyclesBecomeLonger() {
    drops(north: [0])
    monitor.cycleChanged(to: .seconds(600))
    monitor.cycleDue(now: Self.at(1800))
    #expect(monitor.state == .inside)
  }

  @Test(arguments: [(10, 300), (600, 1800)])
  mutating func withoutAFixForLongTheBoatIsNeitherInsideNorOutside(cycle: Int64, lifetime: Double) {
    monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(cycle), now: Self.start)
    drops(north: [0])
    monitor.cycleDue(now: Self.at(lifetime))
    #expect(monitor.state == .inside)
    monitor.cycleDue(now: Self.at(lifetime + 1))
    #expect(monitor.state == .unknown)
    sees(north: [60], from: lifetime + 10)
    #expect(monitor.state == .unknown, "one fix outside is no alarm, and not all is well")
    sees(north: [60], from: lifetime + 20)
    #expect(monitor.state == .outside)
    monitor.cycleDue(now: Self.at(2 * lifetime + 30))
    #expect(monitor.state == .unknown)
    sees(north: [10], from: 2 * lifetime + 40)
    #expect(monitor.state == .outside, "the way back is not believed at once either")
    sees(north: [10], from: 2 * lifetime + 50)
    #expect(monitor.state == .inside)
  }

  // MARK: Restarts

  @Test mutating func aBoatThatDragsIsOutsideAfterARestart() throws {
    drops(north: [0, 60, 60])
    var next = try restarted(at: 100)
    #expect(next.state == .outside)
    next.lineSettled(.active)
    #expect(next.state == .outside, "the line has not moved")
    next.fixReported(TrackFilterTests.fix(at: 110, north: 70))
    #expect(next.state == .outside)
    #expect(next.status.distanceMeters.map { (69...71).contains($0) } ?? false)
    next.cycleDue(now: Self.at(500))
    #expect(next.state == .unknown)
  }

  @Test mutating func aBoatThatWasInsideMayHaveDrifted() throws {
    drops(north: [0])
    var next = try restarted(at: 100)
    #expect(next.state == .unknown)
    for second in [110.0, 120] { next.fixReported(TrackFilterTests.fix(at: second, north: 60)) }
    #expect(next.state == .outside)
    var other = try restarted(at: 100)
    other.fixReported(TrackFilterTests.fix(at: 110, north: 20))
    #expect(other.state == .inside)
  }

  @Test mutating func anAnchorWithoutAPlaceGetsOneAfterTheRestart() throws {
    monitor.set(by: .command)
    var next = try restarted(at: 100)
    #expect(next.state == .awaitingPlace)
    next.fixReported(TrackFilterTests.fix(at: 110, north: 300))
    #expect(next.state == .inside)
  }

  @Test mutating func aSwitchThatWasTurnedWhileTheBoardWasOffIsNoticed() throws {
    drops(north: [0])
    var next = try restarted(at: 100)
    next.lineSettled(.inactive)
    #expect(next.state == .unset)
    #expect(next.isToBeKept)
    monitor.set(by: .command)
    var other = try restarted(at: 100)
    other.lineSettled(.inactive)
    #expect(other.state == .awaitingPlace)
  }

  @Test mutating func whatACommandHasClearedStaysSoWhileTheSwitchIsOn() throws {
    monitor.lineSettled(.active)
    sees(north: [0])
    monitor.clear()
    var next = try restarted(at: 100)
    next.lineSettled(.active)
    #expect(next.state == .unset)
    #expect(!next.isToBeKept)
    next.lineSettled(.inactive)
    #expect(next.state == .unset)
    next.lineSettled(.active)
    #expect(next.state == .awaitingPlace, "the next turn of the switch counts again")
    #expect(next.status.setter == .line)
  }

  @Test mutating func aSwitchThatIsTurnedOffAfterACommandHasClearedTheWatchIsKeptSo() throws {
    monitor.lineSettled(.active)
    monitor.clear()
    monitor = try restarted(at: 100)
    monitor.lineSettled(.inactive)
    #expect(monitor.isToBeKept)
    var next = try restarted(at: 200)
    next.lineSettled(.active)
    #expect(next.state == .awaitingPlace)
  }

  @Test mutating func aCommandAfterTheSwitchCountsOverARestartUntilTheSwitchIsTurned() throws {
    monitor.lineSettled(.inactive)
    monitor.lineSettled(.active)
    drops(by: .command, north: [0])
    var next = try restarted(at: 100)
    next.lineSettled(.active)
    #expect(next.status.setter == .command)
    #expect(next.state == .unknown)
    next.lineSettled(.inactive)
    #expect(next.state == .unset)
  }

  // MARK: A file that becomes readable later

  /// What a run kept that had the switch on, and perhaps a command that has cleared the watch.
  private mutating func kept(isCleared: Bool = false) -> KeptAnchor {
    monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: Self.start)
    monitor.lineSettled(.active)
    if isCleared { monitor.clear() }
    sees(north: [0])
    defer { monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: Self.start) }
    return monitor.takeKept()
  }

  /// The switch is on and nothing says that it was before: the boat is watched from where it is.
  @Test mutating func theOldPlaceOfTheAnchorCountsWhereNothingWasDecidedSince() {
    let kept = kept()
    monitor.lineSettled(.active)
    sees(north: [30], from: 100)
    #expect(monitor.state == .inside)
    #expect(!monitor.isDecided)
    monitor.restored(kept, now: Self.at(110))
    #expect(monitor.state == .unknown)
    #expect(!monitor.isToBeKept)
    sees(north: [60, 60], from: 120)
    #expect(monitor.state == .outside)
  }

  @Test mutating func whatWasDecidedBeforeTheFileCouldBeReadCounts() {
    let kept = kept()
    let start = monitor
    monitor.set(by: .command)
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.status.setter == .command)
    monitor = start
    monitor.clear()
    #expect(monitor.isDecided)
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.state == .unset)
    monitor = start
    monitor.lineSettled(.inactive)
    monitor.lineSettled(.active)
    #expect(monitor.isDecided)
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.state == .awaitingPlace)
  }

  @Test mutating func theLevelOfTheLineIsHeldAgainstTheFileThatComesLate() {
    var kept = kept()
    monitor.lineSettled(.inactive)
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.state == .unset, "it was turned off meanwhile")
    #expect(monitor.isToBeKept)
    kept = self.kept(isCleared: true)
    monitor.lineSettled(.active)
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.state == .unset, "a command had cleared it")
    kept = self.kept()
    monitor.restored(kept, now: Self.at(100))
    #expect(monitor.state == .unknown, "a line that was not read says nothing")
  }

  @Test mutating func theRadiusOfTheConfigurationCountsAfterARestart() throws {
    drops(north: [0])
    var next = try restarted(radius: 100, at: 100)
    for second in [110.0, 120, 130] {
      next.fixReported(TrackFilterTests.fix(at: second, north: 60))
    }
    #expect(next.state == .inside)
  }

  @Test mutating func onlyWhatChangedIsWritten() {
    monitor.set(by: .line)
    _ = monitor.takeKept()
    sees(north: [0])
    #expect(monitor.isToBeKept)
    _ = monitor.takeKept()
    sees(north: [10, 20, 60], from: 10)
    #expect(!monitor.isToBeKept)
    sees(north: [60], from: 40)
    #expect(monitor.isToBeKept)
  }

  /// The boat swings within 35 m of its chain, for a night.
  @Test mutating func aNightAtAnchorWritesNothingAndAlarmsNever() {
    var boat = Traveller(latitude: 53.44, longitude: 5.62, seed: 5)
    boat.swing(radius: 18, seconds: 8 * 3600)
    monitor.set(by: .line)
    var count = 0
    for fix in boat.voyage("night").fixes(every: .seconds(10)) {
      monitor.fixReported(fix)
      monitor.cycleDue(now: fix.notBefore)
      #expect(monitor.state == .inside)
      if monitor.isToBeKept { count += 1 }
      _ = monitor.takeKept()
    }
    #expect(count == 1)
  }
}
