import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct SensorTableTests {
  private let sensors = SensorTable()

  private func index(of uniqueID: String) -> SensorIndex? {
    sensors.index(of: [UInt8](uniqueID.utf8).span)
  }

  @Test func aSensorIsFoundByItsWholeUniqueID() throws {
    let door = try #require(sensors.declare(.plain("door")))
    let doorbell = try #require(sensors.declare(.plain("doorbell")))
    #expect(index(of: "door") == door)
    #expect(index(of: "doorbell") == doorbell)
    #expect(index(of: "doo") == nil)
    #expect(index(of: "") == nil)
  }

  @Test func homeAssistantIsToldAllOfTheDescription() throws {
    let level = SensorDescription(
      uniqueID: [UInt8]("level".utf8), name: [UInt8]("Level".utf8), unit: [UInt8]("%".utf8),
      deviceClass: [UInt8]("battery".utf8), stateClass: [UInt8]("measurement".utf8),
      icon: [UInt8]("mdi:eye".utf8), isDiagnostic: true)
    let index = try #require(sensors.declare(level))
    var data = ByteBuffer(capacity: 1024)
    sensors[index].write(into: &data) { $0.appendJSON(7) }
    let json = String(decoding: [UInt8](data.bytes), as: UTF8.self)
    #expect(
      json == #"{"type":"sensor","unique_id":"level","name":"Level","state":7,"#
        + #""unit_of_measurement":"%","device_class":"battery","state_class":"measurement","#
        + #""icon":"mdi:eye","entity_category":"diagnostic"}"#)
  }

  @Test func aRowIsNeverChanged() throws {
    let door = try #require(sensors.declare(.plain("door")))
    var other = SensorDescription.plain("door")
    other.name = [UInt8]("Gate".utf8)
    #expect(sensors.declare(other) == door)
    #expect(sensors[door].name == SensorDescription.plain("door").name)
    #expect(sensors.count == 1)
  }

  @Test func whatDoesNotFitTakesNoRow() {
    var sensor = SensorDescription.plain("a")
    sensor.uniqueID = [UInt8](repeating: UInt8(ascii: "a"), count: Spool.uniqueIDByteCountMax + 1)
    #expect(sensors.declare(sensor) == nil)
    #expect(sensors.count == 0)
    #expect(index(of: String(decoding: sensor.uniqueID, as: UTF8.self)) == nil)
  }
}
