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
    for (index, north) in north.enumerated() {
      monitor.fixReported(
        TrackFilterTests.fix(at: second + Double(index) * 10, north: north, error: error))
    }
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
    monitor.set(by: .command)
    sees(north: [0])
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

  // MARK: Where the boat is

  @Test mutating func oneWildFixIsNoAlarm() {
    monitor.set(by: .line)
    sees(north: [0, 60, 5, 60, 5, 60, 5])
    #expect(monitor.state == .inside)
  }

  /// A receiver that has lost itself says that it is right, for two fixes.
  @Test mutating func aJumpThatNoBoatCanMakeIsNoAlarm() {
    monitor.set(by: .line)
    sees(north: [0, 5000, 9000, 3])
    #expect(monitor.state == .inside)
    #expect(monitor.status.distanceMeters.map { $0 < 10 } ?? false)
  }

  @Test mutating func aJumpThatAgreesWithItselfIsAnAlarm() {
    monitor.set(by: .line)
    sees(north: [0, 5000, 5000, 5000, 5000])
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

  @Test(arguments: [(10, 300), (600, 1800)])
  mutating func withoutAFixForLongTheBoatIsNeitherInsideNorOutside(cycle: Int64, lifetime: Double) {
    monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(cycle), now: Self.start)
    monitor.set(by: .line)
    sees(north: [0])
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
    monitor.set(by: .line)
    sees(north: [0, 60, 60])
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
    monitor.set(by: .line)
    sees(north: [0])
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
    monitor.set(by: .line)
    sees(north: [0])
    var next = try restarted(at: 100)
    next.lineSettled(.inactive)
    #expect(next.state == .unset)
    #expect(next.isToBeKept)
    monitor.set(by: .command)
    var other = try restarted(at: 100)
    other.lineSettled(.inactive)
    #expect(other.state == .awaitingPlace)
  }

  @Test mutating func theRadiusOfTheConfigurationCountsAfterARestart() throws {
    monitor.set(by: .line)
    sees(north: [0])
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

@Suite struct KeptAnchorTests {
  private static func kept(_ latitude: Double, _ longitude: Double) -> KeptAnchor {
    var kept = KeptAnchor()
    kept.setter = .line
    kept.isOutside = true
    var fix = TrackFilterTests.fix(at: 0)
    (fix.latitude, fix.longitude) = (latitude, longitude)
    kept.place = KeptAnchor.Place(fix)
    return kept
  }

  private func read(_ bytes: [UInt8]) -> KeptAnchor? { try? KeptAnchor(file: bytes.span) }

  @Test(arguments: [(53.4412345, -5.6254321), (90, 180), (-90, -180), (0, 0)])
  func whatIsKeptIsReadAgain(latitude: Double, longitude: Double) throws {
    let kept = Self.kept(latitude, longitude)
    let bytes = [UInt8](kept.file.bytes)
    #expect(bytes.count == KeptAnchor.fileByteCount)
    #expect(read(bytes) == kept)
    let place = try #require(read(bytes)?.place)
    let truth = EarthPoint(latitudeDegrees: latitude, longitudeDegrees: longitude)
    #expect(place.point.distanceMeters(to: truth) < 0.02)
  }

  @Test func theFormatIsThatOfItsTable() {
    #expect(
      [UInt8](Self.kept(1, -1).file.bytes).prefix(16) == [
        0x48, 0x57, 0x41, 0x4E, 1, 0, 1, 2, 0x80, 0x96, 0x98, 0, 0x80, 0x69, 0x67, 0xFF,
      ])
    #expect(read([UInt8](KeptAnchor().file.bytes)) == KeptAnchor())
  }

  @Test func aTornOrDamagedFileIsNone() {
    let bytes = [UInt8](Self.kept(53, 5).file.bytes)
    for count in 0..<bytes.count { #expect(read([UInt8](bytes.prefix(count))) == nil) }
    #expect(read(bytes + [0]) == nil)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(read(damaged) == nil)
      }
    }
  }

  /// The checksum is right, and what stands there is not.
  @Test(arguments: [(6, 3), (7, 3), (11, 0x7F), (15, 0x7F)])
  func whatCannotBeIsDamage(place: Int, byte: UInt8) {
    var bytes = [UInt8](Self.kept(53, 5).file.bytes.extracting(0..<16))
    bytes[place] = byte
    #expect(throws: KeptFrameError.damaged) {
      try KeptAnchor(file: checked(bytes).span)
    }
  }

  @Test func aNewerFileIsNotTakenForADamagedOne() {
    var bytes = [UInt8](Self.kept(53, 5).file.bytes.extracting(0..<16))
    bytes[4] = 2
    #expect(throws: KeptFrameError.unknownVersion(2)) {
      try KeptAnchor(file: checked(bytes + [1, 2, 3]).span)
    }
  }

  private func checked(_ bytes: [UInt8]) -> [UInt8] {
    var checksum = CRC32C()
    checksum.update(bytes.span)
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: checksum.value >> ($0 * 8)) }
  }
}
