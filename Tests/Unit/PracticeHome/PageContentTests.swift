import Testing

@testable import PracticeHome

/// What the page is told, as JSON.
@Suite struct PageContentTests {
  // MARK: Devices and sensors

  @Test func aDeviceIsShownWithItsLastMessage() throws {
    let reader = Reader()
    reader.visitor.sensor("soil", ["name": "Soil", "unit_of_measurement": "%", "state": 40])
    reader.read("soil", 41)
    let device = try #require(reader.device())
    #expect(device["name"] == "Boat")
    #expect(device["about"] == "RPi Zero, homeward 0.1")
    #expect(device["sealed"] == true)
    #expect(device["last"] == "1 reading")
    #expect(device["time"] == reader.visitor.now.json)
    #expect(device["messages"] == 3)
    let sensor = try #require(reader.sensor("sensor.boat_soil"))
    #expect(sensor["shown"] == "41")
    #expect(sensor["unit"] == "%")
    #expect(sensor["lowest"] == 40.0)
    #expect(sensor["highest"] == 41.0)
    #expect(sensor["values"]?.array?.map { $0[1]?.number } == [40, 41])
  }

  @Test func aGapOfASensorIsToldOnceAndNoNumber() throws {
    let reader = Reader()
    reader.visitor.sensor("soil", ["unit_of_measurement": "%", "state": 40])
    for state: JSON in ["unavailable", "unavailable", 42] { reader.read("soil", state) }
    let values = reader.sensor("sensor.boat_soil")?["values"]?.array
    #expect(values?.map { $0[1] } == [40.0, .null, 42.0])
    #expect(reader.sensor("sensor.boat_soil")?["lowest"] == 40.0)
  }

  @Test func aBinarySensorHasItsChangesAndNoDoubles() {
    let reader = Reader()
    reader.visitor.sensor("bilge", ["type": "binary_sensor", "state": false])
    for state: JSON in [false, true, true, false] {
      reader.read("bilge", state, ["type": "binary_sensor"])
    }
    let changes = reader.sensor("binary_sensor.boat_bilge")?["changes"]?.array
    #expect(changes?.map { $0[1] } == ["off", "on", "off"])
  }

  @Test func devicesOfTheSameNameAreNotMixed() {
    let reader = Reader()
    reader.locate(52, 5)
    reader.visitor.register(changes: ["device_id": "board-2"])
    reader.locate(10, 20)
    #expect(reader.all()["devices"]?.array?.map { $0["name"] } == ["Boat", "Boat"])
    for index in 0..<2 {
      #expect(reader.device(index)?["track"]?["points"]?.array?.count == 1)
    }
  }

  @Test func aDeviceThatGetsAnotherNameStaysTheSame() {
    let reader = Reader()
    reader.locate(52, 5)
    reader.visitor.send(
      "update_registration",
      ["app_version": "2", "device_name": "Van", "manufacturer": "RPi", "model": "4"])
    reader.locate(53, 5)
    #expect(reader.all()["devices"]?.array?.map { $0["name"] } == ["Van"])
    #expect(reader.device()?["track"]?["points"]?.array?.count == 2)
  }

  @Test func aDeviceThatWasDeletedSaysSo() {
    let reader = Reader()
    #expect(reader.device()?["deleted"] == false)
    let entry = reader.visitor.home.registrations[0].entryID
    _ = reader.visitor.home.answer(
      Request(
        method: "DELETE", path: "/api/config/config_entries/entry/\(entry)",
        headers: [(name: "Authorization", value: "Bearer practice")]), now: reader.visitor.now)
    #expect(reader.device()?["deleted"] == true)
  }

  @Test func eventsActionsAndNotificationsAreCounted() {
    let reader = Reader()
    for _ in 0..<2 { reader.visitor.send("fire_event", ["event_type": "homeward_command"]) }
    reader.visitor.send("scan_tag", ["tag_id": "hatch"])
    let happenings = reader.device()?["happenings"]?.array
    #expect(happenings?.map { $0["name"] } == ["event homeward_command", "tag hatch"])
    #expect(happenings?.map { $0["count"] } == [2, 1])
  }

  // MARK: Tracks

  @Test func aTrackHasEveryPositionWithItsAccuracy() {
    let reader = Reader()
    reader.locate(52.5, 4, accuracy: 12)
    reader.locate(52.6, 4, accuracy: 8)
    let points = reader.device()?["track"]?["points"]?.array ?? []
    #expect(points.map { $0[1]?.number } == [52.5, 52.6])
    #expect(points.map { $0[3]?.number } == [12, 8])
    #expect(points.map { $0[4] } == [false, false])
  }

  @Test func aLocationWithoutAPositionLeavesTheTrackAlone() {
    let reader = Reader()
    reader.locate(52.5, 4)
    reader.visitor.now = reader.visitor.now + .seconds(1)
    reader.visitor.send("update_location", ["location_name": "Harbour"])
    #expect(reader.device()?["track"]?["points"]?.array?.map { $0[1]?.number } == [52.5])
    #expect(reader.device()?["track"]?["latest"] == ["location_name": "Harbour"])
  }

  // MARK: History

  @Test func whatCameLateIsDrawnWhereItBelongs() {
    let reader = Reader()
    reader.visitor.sensor("soil", ["unit_of_measurement": "%", "state": 40])
    reader.visitor.sensor("bilge", ["type": "binary_sensor", "state": false])
    reader.locate(52.5, 4)
    reader.tell(
      readings: [(60, 0, 30), (50, 0, .null), (40, 1, true)], points: [(70, 52.4, 4)])
    let soil = reader.sensor("sensor.boat_soil")
    #expect(soil?["values"]?.array?.map { $0[1] } == [30.0, .null, 40.0])
    #expect(soil?["lowest"] == 30.0)
    #expect(soil?["shown"] == "40", "what is shown now is not what came late")
    let changes = reader.sensor("binary_sensor.boat_bilge")?["changes"]?.array
    #expect(changes?.map { $0[1] } == ["on", "off"])
    let points = reader.device()?["track"]?["points"]?.array
    #expect(points?.map { $0[1]?.number } == [52.4, 52.5])
    #expect(points?.map { $0[4] } == [true, false])
    #expect(reader.device()?["late"] == ["readings": 3, "points": 1])
  }

  @Test func historyOfAWrongClockIsCountedAndNotDrawn() {
    let reader = Reader()
    reader.visitor.sensor("soil", ["unit_of_measurement": "%", "state": 40])
    reader.tell(readings: [(60, 0, 30)], points: [(70, 52.4, 4)], clock: "unset")
    #expect(reader.sensor("sensor.boat_soil")?["values"]?.array?.count == 1)
    #expect(reader.device()?["track"] == nil)
    #expect(reader.device()?["late"] == ["readings": 1, "points": 1])
  }

  @Test(arguments: [
    #"{"readings":[[1,0,1],[1e300,0,1],[-1,0,1],["x",0,1],[1,7,1],[1,-1,1],[1,0.5,1],[1],5]}"#,
    #"{"points":[[1,91,0,1],[1,0,181,1],[1,0,0,-1],[1e300,0,0,1],[1,"x",0,1],[],null]}"#,
    #"{"readings":{},"points":7,"sensors":"soil"}"#, #"{}"#,
  ])
  func historyFromAnEnemyIsLeftOut(text: String) throws {
    var data: JSONObject = [
      "clock": "set", "sensors": ["soil"],
      "point_columns": ["time", "latitude", "longitude", "accuracy"],
    ]
    data.merge(try #require(JSONParser.parse(Array(text.utf8)).object))
    let now = Moment(seconds: 1_795_000_000)
    let history = try #require(
      LateHistory(eventType: "homeward_history", data, receivedAt: now))
    #expect(history.readings.allSatisfy { $0.time == Moment(seconds: 1) })
    #expect(history.readings.count <= 1)
    #expect(history.points.isEmpty)
  }

  @Test func aTimeInTheFutureIsNotDrawn() {
    let reader = Reader()
    reader.visitor.sensor("soil", ["unit_of_measurement": "%", "state": 40])
    reader.tell(readings: [(-3600, 0, 30)])
    #expect(reader.sensor("sensor.boat_soil")?["values"]?.array?.count == 1)
  }

  // MARK: Refusals

  @Test func whatIsRefusedIsCountedByReason() throws {
    let reader = Reader()
    for _ in 0..<3 { reader.read("water", 1) }
    reader.visitor.send("open_hatch", [:])
    let refusals = try #require(reader.all()["refusals"]?.array)
    #expect(refusals.map { $0["count"] } == [1, 3], "the latest first")
    #expect(refusals[1]["device"] == "Boat")
    #expect(refusals[1]["status"] == 200)
    #expect(refusals[1]["manner"] == "refused in the answer")
    #expect(
      refusals[1]["reason"] == "sensor water is not registered: register_sensor first")
    #expect(refusals[1]["time"] == reader.visitor.now.json)
  }

  @Test func aRefusedStrangerHasNoDevice() {
    let reader = Reader()
    _ = reader.visitor.home.answer(
      Request(method: "POST", path: "/api/webhook/0123"), now: reader.visitor.now)
    #expect(reader.all()["refusals"]?[0]?["device"] == .null)
    #expect(reader.all()["devices"]?.array?.count == 1)
  }

  @Test func thePageIsToldNoWebhookIDAndNoSecret() throws {
    let reader = Reader()
    reader.locate(52.5, 4)
    reader.read("water", 1)
    reader.visitor.send(raw: "{")
    let text = reader.all().text
    #expect(!text.contains(reader.visitor.webhookID))
    #expect(!text.contains(try #require(reader.visitor.secret)))
  }

  // MARK: News

  @Test func aPageIsToldOnlyWhatIsNewToIt() {
    let reader = Reader()
    reader.visitor.sensor("soil", ["unit_of_measurement": "%", "state": 40])
    reader.visitor.sensor("water", ["unit_of_measurement": "%", "state": 50])
    reader.locate(52.5, 4)
    #expect(reader.news()["begin"] == true)
    reader.read("soil", 41)
    let news = reader.news()
    #expect(news["begin"] == false)
    #expect(news["devices"]?.array?.count == 1)
    #expect(news["devices"]?[0]?["track"] == nil)
    #expect(
      news["devices"]?[0]?["sensors"]?.array?.map { $0["id"] } == ["sensor.boat_soil"])
    #expect(news["refusals"] == nil)
    #expect(reader.news()["devices"] == [])
  }
}
