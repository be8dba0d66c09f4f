import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

@Suite final class BatchTests {
  private let batch = Batch()

  // MARK: Its sensors

  @Test func moreSensorsThanFitAreRefusedNotDropped() {
    for number in 0..<SensorTable.sensorsMax {
      #expect(batch.declare(.plain("sensor_of_the_bilge_\(number)")) != nil)
    }
    #expect(batch.declare(.plain("one_more")) == nil)
    #expect(batch.declare(.plain("sensor_of_the_bilge_0")) == SensorIndex(0))
  }

  /// The buffer that a message is written into has the size that the batch names.
  @Test func whateverTheSensorsAreCalledTheirMessageFits() throws {
    let hostile = String(repeating: "\"", count: 47)
    var sensors: [SensorIndex] = []
    while let sensor = batch.declare(.plain("\(hostile)\u{1}\u{2}\(sensors.count)")) {
      sensors.append(sensor)
      batch.setStatus(.registered, of: sensor)
      batch.record(sensor, .text(InlineText([UInt8](hostile.utf8).span)))
    }
    #expect(sensors.count > 100)
    var data = ByteBuffer(capacity: SensorTable.dataByteCountMax)
    batch.writeStates(.zeros, into: &data)
    let isOverflowed = data.isOverflowed
    #expect(!isOverflowed)
  }

  @Test func aSensorWhoseRegistrationIsLongerThanAMessageIsRefused() {
    var sensor = SensorDescription.plain("a")
    sensor.name = [UInt8](repeating: UInt8(ascii: "a"), count: SensorTable.dataByteCountMax)
    #expect(batch.declare(sensor) == nil)
    #expect(batch.sensors.count == 0)
  }

  // MARK: What is due

  @Test func aSensorWithoutAValueIsNotSent() throws {
    let door = try registered("door")
    #expect(states() == "[]")
    batch.record(door, .boolean(true))
    #expect(states().contains("door"))
  }

  @Test func onlyWhatChangedIsSent() throws {
    let door = try registered("door")
    let level = try registered("level")
    batch.record(door, .boolean(false))
    batch.record(level, .number(FixedPoint(1)))
    #expect(states() == "[\(element("door", "false")),\(element("level", "1"))]")
    batch.acknowledge(door)
    batch.acknowledge(level)
    batch.record(door, .boolean(false))
    batch.record(level, .number(FixedPoint(2)))
    #expect(states() == "[\(element("level", "2"))]")
    // Home Assistant has not acknowledged it.
    #expect(states() == "[\(element("level", "2"))]")
  }

  /// Home Assistant notes when it was told a state last, also where that is the same as before.
  @Test func aBoardOfWhichNothingChangesStillSaysOneThing() throws {
    let unknown = try #require(batch.declare(.plain("unknown")))
    let door = try registered("door")
    let level = try registered("level")
    for sensor in [unknown, door, level] { batch.record(sensor, .boolean(false)) }
    _ = states()
    #expect(states() == "[\(element("door", "false")),\(element("level", "false"))]")
    batch.refuse(door)
    batch.acknowledge(level)
    #expect(states() == "[\(element("level", "false"))]", "it did not want that of the door")
    #expect(batch.superseded == Batch.Superseded())
  }

  private func acknowledged(_ uniqueID: String) throws -> SensorIndex {
    let sensor = try registered(uniqueID)
    batch.record(sensor, .boolean(true))
    _ = states()
    batch.acknowledge(sensor)
    return sensor
  }

  /// And one that is not: of a state that it does not show Home Assistant notes nothing.
  @Test func ofWhatIsDisabledEachMessageRepeatsOne() throws {
    let (level, door, rain) = ("level", "door", "rain")
    _ = try acknowledged(level)
    let sensors = [try acknowledged(door), try acknowledged(rain)]
    for expected in [door, rain, door, rain] {
      for sensor in sensors { batch.disabled(sensor) }
      #expect(states() == "[\(element(expected, "true")),\(element(level, "true"))]")
    }
    #expect(batch.superseded == Batch.Superseded())
  }

  /// With its change the one whose turn it is stands there only once.
  @Test func whatIsDisabledAndChangesIsSentAsEverythingElse() throws {
    let (door, level) = (try acknowledged("door"), try acknowledged("level"))
    batch.disabled(door)
    batch.record(door, .boolean(false))
    batch.record(level, .boolean(false))
    #expect(states() == "[\(element("door", "false")),\(element("level", "false"))]")
  }

  @Test func whatIsNoLongerDisabledIsRepeatedForAWhile() throws {
    _ = try acknowledged("level")
    let door = try acknowledged("door")
    batch.disabled(door)
    for _ in 0..<Batch.repeatsMax { #expect(states().contains("door")) }
    #expect(states() == "[\(element("level", "true"))]")
    #expect(batch.fate(of: door) == .taken)
  }

  @Test func aBoardOfWhichEverythingIsDisabledSaysNothingTwice() throws {
    batch.disabled(try acknowledged("door"))
    #expect(states() == "[\(element("door", "true"))]")
  }

  @Test func aChangeWhileTheMessageIsUnderWayIsStillDue() throws {
    let level = try registered("level")
    batch.record(level, .number(FixedPoint(1)))
    _ = states()
    batch.record(level, .number(FixedPoint(2)))
    batch.acknowledge(level)
    #expect(states() == "[\(element("level", "2"))]")
    batch.acknowledge(level)
    #expect(batch.fate(of: level) == .taken)
  }

  @Test func aValueThatWentAwayAndCameBackMeanwhileIsSentAgain() throws {
    let door = try registered("door")
    batch.record(door, .boolean(true))
    _ = states()
    batch.record(door, .boolean(false))
    batch.record(door, .boolean(true))
    batch.acknowledge(door)
    #expect(states() == "[\(element("door", "true"))]")
  }

  @Test func everythingIsDueWhereHomeAssistantMayHaveForgotten() throws {
    let door = try registered("door")
    _ = try registered("silent")
    batch.record(door, .boolean(true))
    _ = states()
    batch.acknowledge(door)
    batch.forgetAcknowledgements()
    #expect(states() == "[\(element("door", "true"))]")
    batch.acknowledge(door)
    #expect(batch.fate(of: door) == .taken)
  }

  @Test func aSensorThatHomeAssistantDoesNotKnowIsRegisteredBeforeItIsSent() throws {
    let door = try #require(batch.declare(.plain("door")))
    #expect(batch.nextUnregistered == nil)
    batch.record(door, .boolean(true))
    #expect(batch.nextUnregistered == door)
    #expect(states() == "[]")
    batch.setStatus(.registered, of: door)
    #expect(batch.nextUnregistered == nil)
    #expect(states() == "[\(element("door", "true"))]")
  }

  @Test func aRefusedSensorIsOfferedAgainOnlyWhereHomeAssistantMayHaveForgotten() throws {
    let door = try #require(batch.declare(.plain("door")))
    batch.record(door, .boolean(true))
    batch.setStatus(.refused, of: door)
    #expect(batch.nextUnregistered == nil)
    #expect(states() == "[]")
    batch.forgetAcknowledgements()
    #expect(batch.nextUnregistered == door)
  }

  @Test func aNewRegistrationKnowsNoSensor() throws {
    let door = try registered("door")
    batch.record(door, .boolean(true))
    _ = states()
    batch.acknowledge(door)
    batch.forgetRegistrations()
    #expect(batch.nextUnregistered == door)
    batch.setStatus(.registered, of: door)
    #expect(states() == "[\(element("door", "true"))]")
  }

  @Test(arguments: [
    (Value.number(FixedPoint(-1250, decimals: 2)), "-12.50"), (.boolean(true), "true"),
    (.boolean(false), "false"), (.unknown, "null"), (.unavailable, #""unavailable""#),
    (.text(InlineText("say \"ah\"")), #""say \"ah\"""#),
  ])
  func everyValueIsWrittenAsHomeAssistantTakesIt(value: Value, json: String) throws {
    let sensor = try registered("a")
    batch.record(sensor, value)
    #expect(states() == "[\(element("a", json))]")
  }

  // MARK: What is urgent

  @Test func anUrgentChangeIsSeenUntilItIsSent() throws {
    let bilge = try #require(batch.declare(.plain("bilge", isUrgent: true)))
    let level = try registered("level")
    batch.record(level, .number(FixedPoint(1)))
    #expect(!batch.hasUrgentChange)
    batch.record(bilge, .boolean(true))
    #expect(batch.hasUrgentChange)
    _ = states()
    #expect(!batch.hasUrgentChange)
    batch.record(bilge, .boolean(true))
    #expect(!batch.hasUrgentChange)
    batch.record(bilge, .boolean(false))
    #expect(batch.hasUrgentChange)
  }

  // MARK: What was lost

  @Test func aReadingThatTheNextOneReplacedUnsentIsCounted() throws {
    let level = try registered("level")
    for number in 1...4 { batch.record(level, .number(FixedPoint(Int64(number)))) }
    #expect(batch.superseded == Batch.Superseded(readings: 3, fixes: 0))
    batch.forget(Batch.Superseded(readings: 2, fixes: 0))
    #expect(batch.superseded == Batch.Superseded(readings: 1, fixes: 0))
  }

  @Test func aReadingThatHomeAssistantHasIsNotCountedAsLost() throws {
    let level = try registered("level")
    batch.record(level, .number(FixedPoint(1)))
    _ = states()
    batch.acknowledge(level)
    // It is sent once more after an outage, and a newer one takes its place.
    batch.forgetAcknowledgements()
    batch.record(level, .number(FixedPoint(2)))
    #expect(batch.superseded == Batch.Superseded())
  }

  @Test func aReadingThatArrivedAfterItsPlaceWasTakenIsNotCountedAsLost() throws {
    let level = try registered("level")
    batch.record(level, .number(FixedPoint(1)))
    _ = states()
    batch.record(level, .number(FixedPoint(2)))
    batch.record(level, .number(FixedPoint(3)))
    batch.acknowledge(level)
    #expect(batch.superseded == Batch.Superseded(readings: 1, fixes: 0))
  }

  /// It was acknowledged before, so its place was nothing to lose; a loss elsewhere stays counted.
  @Test func aReadingThatIsSentOnceMoreAndReplacedMeanwhileHidesNoLoss() throws {
    let level = try registered("level")
    let depth = try registered("depth")
    batch.record(level, .number(FixedPoint(1)))
    _ = states()
    batch.acknowledge(level)
    batch.record(depth, .number(FixedPoint(1)))
    batch.record(depth, .number(FixedPoint(2)))
    #expect(batch.superseded == Batch.Superseded(readings: 1, fixes: 0))
    batch.doubtAcknowledgements()
    _ = states()
    batch.record(level, .number(FixedPoint(2)))
    batch.acknowledge(level)
    batch.acknowledge(depth)
    #expect(batch.superseded == Batch.Superseded(readings: 1, fixes: 0))
  }

  @Test func aFixThatArrivedAfterItsPlaceWasTakenIsNotCountedAsLost() {
    batch.record(.here(at: 1))
    batch.record(.here(at: 2))
    batch.acknowledgeFix(.here(at: 1))
    #expect(batch.superseded == Batch.Superseded())
    #expect(batch.fix == .here(at: 2))
    batch.acknowledgeFix(.here(at: 2))
    #expect(batch.fix == nil)
  }

  @Test func aReadingThatHomeAssistantDoesNotWantIsNotCountedAsLost() throws {
    let level = try registered("level")
    batch.setStatus(.refused, of: level)
    batch.record(level, .number(FixedPoint(1)))
    batch.record(level, .number(FixedPoint(2)))
    #expect(batch.superseded == Batch.Superseded())
  }

  @Test func aValueThatTheAnswerDoesNotNameIsUnanswered() throws {
    let level = try registered("level")
    batch.record(level, .number(FixedPoint(1)))
    #expect(!batch.hasUnanswered)
    _ = states()
    #expect(batch.hasUnanswered)
    batch.acknowledge(level)
    #expect(!batch.hasUnanswered)
  }

  @Test func fixesWhosePlaceWasTakenOrThatGrewOldAreCounted() {
    batch.record(.here(at: 1))
    batch.record(.here(at: 2))
    batch.dropFix()
    batch.dropFix()
    #expect(batch.fix == nil)
    #expect(batch.superseded == Batch.Superseded(readings: 0, fixes: 2))
  }

  // MARK: Tools

  private func registered(_ uniqueID: String) throws -> SensorIndex {
    let sensor = try #require(batch.declare(.plain(uniqueID)))
    batch.setStatus(.registered, of: sensor)
    return sensor
  }

  private func states() -> String {
    var data = ByteBuffer(capacity: 4096)
    batch.writeStates(.zeros, into: &data)
    return withoutChallenge(String(decoding: [UInt8](data.bytes), as: UTF8.self))
  }

  private func element(_ uniqueID: String, _ state: String) -> String {
    #"{"type":"sensor","unique_id":"\#(uniqueID)","icon":"mdi:eye","state":\#(state)}"#
  }
}
