import Testing

@testable import PracticeHome

/// However much devices say, the page stays as large as it may be.
@Suite struct PageBoundsTests {
  private let start = Moment(seconds: 1_795_000_000)

  private func entry(
    _ event: Event, device: String = "Boat", id: String? = "1", after seconds: Int = 0
  ) -> JournalEntry {
    JournalEntry(
      time: start + .seconds(seconds), device: device, deviceID: id, sealed: true, event: event)
  }

  private func reading(_ entityID: String, _ shown: String) -> Event {
    .readings([
      SensorReading(
        uniqueID: entityID, entityID: entityID, state: .string(shown), shown: shown, unit: nil,
        icon: nil, attributes: [:])
    ])
  }

  private func noted(_ entries: [JournalEntry]) -> JSON {
    var content = PageContent()
    for entry in entries { content.note(entry, Counters()) }
    return content.json(since: nil, now: start)
  }

  @Test func aTrackAndALineHaveAMost() throws {
    let entries = (0..<3000).flatMap { second in
      [
        entry(
          .located(["gps": [.float(52 + Double(second) / 1e5), 5], "gps_accuracy": 5]),
          after: second),
        entry(reading("sensor.boat_soil", "\(second)"), after: second),
      ]
    }
    let device = noted(entries)["devices"]?[0]
    let points = try #require(device?["track"]?["points"]?.array)
    #expect((PageTrack.pointsMax / 2...PageTrack.pointsMax).contains(points.count))
    #expect(device?["track"]?["count"] == 3000)
    let sensor = device?["sensors"]?[0]
    let values = try #require(sensor?["values"]?.array)
    #expect((PageSensor.valuesMax / 2...PageSensor.valuesMax).contains(values.count))
    #expect(values.first?[1] == 0.0)
    #expect(values.last?[1] == 2999.0)
    #expect(sensor?["highest"] == 2999.0)
  }

  @Test func changesHaveAMost() {
    let entries = (0..<1000).map { second in
      entry(
        reading("binary_sensor.boat_bilge", second.isMultiple(of: 2) ? "on" : "off"),
        after: second)
    }
    let changes = noted(entries)["devices"]?[0]?["sensors"]?[0]?["changes"]?.array
    #expect(changes?.count == PageSensor.changesMax)
    #expect(changes?.first?[0] == (start + .seconds(1000 - PageSensor.changesMax)).json)
    #expect(changes?.last?[1] == "off")
  }

  @Test func sensorsHaveAMostAndTheRestIsCounted() {
    let entries = (0..<200).map { entry(reading("sensor.boat_\($0)", "1"), after: $0) }
    let device = noted(entries)["devices"]?[0]
    #expect(device?["sensors"]?.array?.count == PageDevice.sensorsMax)
    #expect(device?["omitted"] == .count(200 - PageDevice.sensorsMax))
  }

  @Test func theDeviceThatIsSilentForTheLongestTimeMakesRoom() {
    var entries = (0..<PageContent.devicesMax).map { number in
      entry(.located([:]), device: "board \(number)", id: "\(number)", after: number)
    }
    entries.append(entry(.located([:]), device: "board 0", id: "0", after: 100))
    entries.append(entry(.located([:]), device: "late", id: "late", after: 101))
    let names = noted(entries)["devices"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(names.count == PageContent.devicesMax)
    #expect(names.contains("board 0"))
    #expect(!names.contains("board 1"))
    #expect(names.last == "late")
  }

  @Test func refusalsAndEventsHaveAMost() {
    let entries = (0..<500).flatMap { number in
      let refused = Refused(
        refusal: .schema("reason \(number)"), type: "x", status: 200, content: nil)
      return [
        entry(.refused(refused), after: number),
        entry(.eventFired(type: "event_\(number)", data: [:]), after: number),
      ]
    }
    let content = noted(entries)
    #expect(content["refusals"]?.array?.count == PageContent.refusalsMax)
    #expect(content["refusals"]?[0]?["reason"] == "reason 499 in x")
    let happenings = content["devices"]?[0]?["happenings"]?.array
    #expect(happenings?.count == PageDevice.happeningsMax)
    #expect(happenings?.last?["name"] == "event event_499")
  }

  @Test func foreignTextIsCut() {
    let long = String(repeating: "x", count: 100_000)
    let device = DeviceDescription(
      appID: long, appVersion: long, deviceID: "1", deviceName: long, manufacturer: long,
      model: long, osVersion: long, supportsEncryption: false)
    let sensor = SensorDescription(
      entityID: "sensor.x",
      content: [
        "name": .string(long), "unit_of_measurement": .string(long), "device_class": .string(long),
      ],
      shown: long, unit: long)
    let refused = Refused(refusal: .schema(long), type: long, status: 200, content: .string(long))
    let content = noted([
      entry(.registered(device, replaced: false), device: long),
      entry(.sensorRegistered(sensor)), entry(reading("sensor.y", long)),
      entry(reading("sensor.\(long)", "1")),
      entry(.located(["location_name": .string(long)])), entry(.tagScanned(long)),
      entry(.eventFired(type: long, data: [:])), entry(.refused(refused), device: long),
      // Of a device that the home knows by its name only, the last message.
      entry(.eventFired(type: long, data: [:]), device: long, id: "2"),
    ])
    #expect(content.text.utf8.count < 8_000)
  }
}

@Suite struct TrailTests {
  private struct Step: Timed, Equatable {
    var time: Moment
    var value = 0

    init(_ second: Int, _ value: Int = 0) {
      (time, self.value) = (Moment(seconds: Int64(second)), value)
    }
  }

  private func trail(
    _ capacity: Int, _ overflow: Trail<Step>.Overflow, _ steps: [Step]
  ) -> Trail<Step> {
    var trail = Trail<Step>(capacity: capacity, overflow: overflow)
    steps.forEach { trail.insert($0) }
    return trail
  }

  private func seconds(_ trail: Trail<Step>) -> [Int64] {
    trail.elements.map { $0.time.microseconds / 1_000_000 }
  }

  @Test func whatComesLateStandsWhereItBelongs() {
    let trail = trail(10, .thinned, [Step(10), Step(30), Step(20), Step(5)])
    #expect(seconds(trail) == [5, 10, 20, 30])
  }

  @Test func whatIsDeliveredTwiceIsThereOnceAndTheLaterWordCounts() {
    let trail = trail(10, .thinned, [Step(10, 1), Step(20, 2), Step(10, 3)])
    #expect(trail.elements == [Step(10, 3), Step(20, 2)])
  }

  @Test func aLongVoyageStaysVisibleFromItsStartAndIsNeverLargerThanItMayBe() {
    let trail = trail(16, .thinned, (0..<10_000).map { Step($0) })
    #expect(trail.elements.count <= 16)
    #expect(seconds(trail).first == 0)
    #expect(seconds(trail).suffix(8) == [9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999])
  }

  @Test func changesAreCutOffAtTheOldEndAndNeverThinned() {
    let trail = trail(4, .cutOff, (0..<9).map { Step($0) })
    #expect(seconds(trail) == [5, 6, 7, 8])
  }

  @Test func aValueHoldsUntilTheNextOne() {
    let trail = trail(4, .cutOff, [Step(10, 1), Step(20, 2)])
    #expect(trail.value(at: Moment(seconds: 9)) == nil)
    #expect(trail.value(at: Moment(seconds: 10))?.value == 1)
    #expect(trail.value(at: Moment(seconds: 19))?.value == 1)
    #expect(trail.value(at: Moment(seconds: 25))?.value == 2)
  }
}
