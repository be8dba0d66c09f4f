import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// Sampling and uploading are two paces: what goes with an upload, and what does not wait for one.
@Suite struct UploadTests {
  private static let uploadEvery: Duration = .seconds(120)

  private func rig(
    _ durability: Durability = .batch, uploadEvery: Duration = uploadEvery
  ) -> UplinkRig {
    .proven(
      .init(durability: durability, commands: CommandTests.all, uploadEvery: uploadEvery))
  }

  /// A cycle of 30 s in which the sensor says another number.
  private func cycle(_ rig: UplinkRig, _ sensor: SensorIndex, _ number: Int64) {
    rig.wait(.seconds(30))
    rig.record(sensor, number)
    rig.cycle()
  }

  private func numbers(_ rig: UplinkRig, _ kind: String) -> [[String]] {
    rig.messages.filter { $0.contains(kind) }.map { message in
      message.split(separator: ":").map { String($0.prefix(3)) }.filter { $0.hasPrefix("70") }
    }
  }

  private func writes(_ rig: UplinkRig) -> Int {
    rig.spoolActions.count { if case .append = $0 { true } else { false } }
  }

  @Test func nothingIsSentBetweenTwoUploads() throws {
    let rig = rig()
    let load = try rig.declare("load")
    let (messages, samples) = (rig.messages.count, rig.sampleCount)
    for number in 701...703 { cycle(rig, load, Int64(number)) }
    #expect(rig.messages.count == messages)
    #expect(rig.sampleCount == samples + 3)
    #expect(rig.uplink.nextUploadAt == rig.now + .seconds(30))
    cycle(rig, load, 704)
    #expect(rig.messages.count > messages)
  }

  /// The newest as the state, and what lies between as history with its times.
  @Test func anUploadTakesTheNewestStateAndWhatLiesBetweenAsHistory() throws {
    let rig = rig()
    let load = try rig.declare("load")
    for number in 701...704 { cycle(rig, load, Int64(number)) }
    rig.proveAll(["load"])
    #expect(numbers(rig, "update_sensor_states").last == ["704"])
    // The chunk is due at once, and a proof follows it.
    rig.wait(.zero)
    rig.proveAll(["load"])
    let chunk = try #require(rig.messages.last { $0.contains("homeward_history") })
    for number in 701...703 { #expect(chunk.contains("\(number)")) }
    let start = UplinkRig.firstHour * 3600
    for second in [30, 60, 90] { #expect(chunk.contains("\(start + Int64(second))")) }
    #expect(rig.uplink.delivery.history.entryCount == 0)
    #expect(writes(rig) == 0, "it was proven before it had to be written")
  }

  @Test func anUrgentChangeGoesAtOnceAndTakesWhatWaits() throws {
    let rig = rig()
    let load = try rig.declare("load")
    let bilge = try rig.declare("bilge", isUrgent: true)
    cycle(rig, load, 701)
    rig.wait(.seconds(3))
    let messages = rig.messages.count
    rig.record(bilge, 1)
    rig.cycle()
    #expect(rig.messages.count > messages)
    rig.proveAll(["load", "bilge"])
    #expect(numbers(rig, "update_sensor_states").last == ["701"])
    // Counted from the cycle before it.
    #expect(rig.uplink.nextUploadAt == rig.now + .seconds(117))
  }

  /// A receiver that wakes up may take a minute.
  @Test func anUrgentChangeWaitsNoLongerThanAMomentForSourcesThatTakeTheirTime() throws {
    let rig = rig(uploadEvery: .seconds(3600))
    let bilge = try rig.declare("bilge", isUrgent: true)
    rig.wait(.seconds(30))
    let messages = rig.messages.count
    rig.record(bilge, 1)
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    #expect(rig.messages.count == messages, "most sources answer in a moment")
    #expect(rig.uplink.deadline == rig.now + CyclePlan.urgentWaitMax)
    rig.wait(CyclePlan.urgentWaitMax)
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    #expect(rig.messages.count == messages + 1)
    #expect(rig.uplink.deadline > rig.now, "what is past wakes the loop no more")
  }

  /// With `--once` no other cycle follows, and a tracker would stay where it was.
  @Test func anUrgentChangeDoesNotTakeThePlaceOfTheUploadOfItsCycle() throws {
    let rig = rig(uploadEvery: .seconds(30))
    let bilge = try rig.declare("bilge", isUrgent: true)
    let load = try rig.declare("load")
    rig.wait(.seconds(30))
    rig.record(bilge, 1)
    rig.wait(CyclePlan.urgentWaitMax)
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    rig.proveAll(["bilge"])
    let messages = rig.messages.count
    rig.wait(.seconds(20))
    rig.record(load, 701)
    rig.cycle()
    #expect(rig.messages.count > messages)
    rig.proveAll(["load"])
    #expect(numbers(rig, "update_sensor_states").last == ["701"])
  }

  /// The kernel announces a plug that is pulled, and its battery answers a moment later.
  @Test func anUrgentChangeBetweenTwoCyclesTakesWithItWhatTheSourcesWereAskedMeanwhile() throws {
    let rig = rig(uploadEvery: .seconds(3600))
    let mains = try rig.declare("mains", isUrgent: true)
    let battery = try rig.declare("battery")
    cycle(rig, battery, 700)
    rig.wait(.seconds(20))
    let messages = rig.messages.count
    rig.record(mains, 0)
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    #expect(rig.messages.count == messages)
    #expect(rig.uplink.deadline == rig.now + CyclePlan.urgentWaitMaxBetweenCycles)
    rig.wait(.milliseconds(300))
    rig.record(battery, 701)
    rig.event { $0.sourcesReady(isConnectionKept: true, now: $1) }
    rig.proveAll(["mains", "battery"])
    #expect(numbers(rig, "update_sensor_states").last == ["701"])
  }

  @Test func anUrgentChangeBetweenTwoCyclesWaitsNoLongerThanASecond() throws {
    let rig = rig(uploadEvery: .seconds(3600))
    let bilge = try rig.declare("bilge", isUrgent: true)
    rig.wait(.seconds(30))
    rig.cycle()
    rig.wait(.seconds(20))
    let messages = rig.messages.count
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    rig.wait(.milliseconds(700))
    rig.record(bilge, 1)
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    #expect(rig.messages.count == messages)
    rig.wait(.milliseconds(300))
    rig.event { $0.sourcesReady(isGathering: true, isConnectionKept: true, now: $1) }
    #expect(rig.messages.count == messages + 1)
  }

  @Test func whoLeavesAZoneIsToldBeforeTheUpload() {
    let rig = UplinkRig.proven(
      .init(track: .init(every: .seconds(3600)), uploadEvery: .seconds(3600)),
      zones: UplinkTrackTests.zones())
    let counts = [52, 52.0005, 52.002, 52.003].map { latitude in
      rig.wait(.seconds(30))
      rig.locate(latitude: latitude, speed: 5)
      rig.cycle()
      rig.prove()
      return rig.uplink.counts.locations
    }
    #expect(counts == [0, 0, 1, 1])
  }

  // MARK: The disk

  @Test func whatWaitsLongForItsUploadIsWrittenOnceAndProvenAllTheSame() throws {
    let rig = rig(uploadEvery: .seconds(3600))
    let load = try rig.declare("load")
    for number in 0..<30 { cycle(rig, load, Int64(700 + number % 10)) }
    #expect(writes(rig) == 0)
    cycle(rig, load, 709)
    #expect(writes(rig) == 1, "15 min after the first of them")
    for number in 0..<29 { cycle(rig, load, Int64(700 + number % 10)) }
    #expect(writes(rig) == 1)
    for number in 0..<60 where rig.uplink.nextUploadAt != rig.now + .seconds(3600) {
      cycle(rig, load, Int64(700 + number % 10))
    }
    rig.proveAll(["load"])
    for _ in 0..<4 {
      rig.wait(.zero)
      rig.proveAll(["load"])
    }
    #expect(rig.uplink.delivery.history.entryCount == 0)
  }

  /// The power goes between two uploads.
  @Test func withEachReadingWrittenNoneWaitsForAnUploadInMemory() throws {
    let rig = rig(.reading)
    let load = try rig.declare("load")
    for number in 701...703 { cycle(rig, load, Int64(number)) }
    #expect(writes(rig) == 3)
  }

  // MARK: Outages

  /// The attempts of an outage have a pace of their own.
  @Test func anUploadThatFailsIsTriedAgainBeforeTheNextIsDue() throws {
    let rig = rig(uploadEvery: .seconds(3600))
    let load = try rig.declare("load")
    rig.wait(.seconds(3600))
    rig.record(load, 701)
    rig.cycle()
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
    #expect(writes(rig) == 1)
    let messages = rig.messages.count
    rig.wait(.seconds(20))
    #expect(rig.messages.count > messages)
  }
}
