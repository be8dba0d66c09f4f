import Testing

// MARK: - What a batch answers

extension Contract.Sensors {
  @Test func aBatchAnswersForEachOfItsSensors() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    try await device.register("bilge", "binary_sensor", #""state":false"#)
    let answer = try await device.send(
      "update_sensor_states",
      #"[{"type":"sensor","unique_id":"soil","state":2},"#
        + #"{"type":"binary_sensor","unique_id":"bilge","state":true}]"#)
    #expect(answer == .sealed(200, ["soil": ["success": true], "bilge": ["success": true]]))
    #expect(try await device.reading("soil").state == "2")
    #expect(try await device.reading("bilge", "binary_sensor").state == "on")
  }

  @Test func anUnknownSensorIsNotRegisteredAndTheOthersAreStored() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let answer = try await device.send(
      "update_sensor_states",
      #"[{"type":"sensor","unique_id":"nope","state":1},"#
        + #"{"type":"sensor","unique_id":"soil","state":2}]"#)
    #expect(answer.content["nope"]["success"] == false)
    #expect(answer.content["nope"]["error"]["code"] == "not_registered")
    #expect(answer.content["soil"] == ["success": true])
    #expect(try await device.reading("soil").state == "2")
  }

  /// The proof of each cycle rests on it: the name comes back, and nothing else is needed.
  @Test func anUnknownSensorIsNamedInTheAnswerThoughItHasNoState() async throws {
    let device = try await Device.registered()
    let answer = try await device.send(
      "update_sensor_states", #"[{"type":"sensor","unique_id":"-_A9zz"}]"#)
    #expect(answer.content["-_A9zz"]["success"] == false)
    #expect(answer.content["-_A9zz"]["error"]["code"] == "not_registered")
    let template = try await device.send(
      "render_template", #"{"-_A9zz":{"template":"1"}}"#)
    #expect(template.content["-_A9zz"] == 1)
  }

  @Test func aKnownSensorUnderTheWrongTypeIsNotRegistered() async throws {
    let device = try await Device.registered()
    try await device.register("soil")
    let answer = try await device.update("soil", #""state":true"#, type: "binary_sensor")
    #expect(answer["error"]["code"] == "not_registered")
  }

  @Test(arguments: [
    #""state":2,"name":"x""#, #""state":2,"unit_of_measurement":"%""#, #""state":2,"foo":1"#,
    #""state":2,"attributes":null"#, #""state":2,"attributes":[]"#, #""state":2,"icon":"no-colon""#,
    #""state":[]"#, #""attributes":{}"#,
  ])
  func oneElementInAnInvalidFormatIsRefusedAndTheOthersAreStored(more: String) async throws {
    let device = try await Device.withSoil(#""state":1"#)
    try await device.register("mast", "sensor", #""state":1"#)
    let answer = try await device.send(
      "update_sensor_states",
      #"[{"type":"sensor","unique_id":"soil",\#(more)},"#
        + #"{"type":"sensor","unique_id":"mast","state":2}]"#)
    #expect(answer.content["soil"]["success"] == false)
    #expect(answer.content["soil"]["error"]["code"] == "invalid_format")
    #expect(answer.content["mast"] == ["success": true])
    #expect(try await device.reading("soil").state == "1")
    #expect(try await device.reading("mast").state == "2")
  }

  @Test(arguments: [
    #"{"unique_id":"mast","state":2}"#, #"{"type":"sensor","state":2}"#,
    #"{"type":"switch","unique_id":"mast","state":2}"#,
    #"{"type":null,"unique_id":"mast","state":2}"#,
    #"{"type":"sensor","unique_id":null,"state":2}"#, "5", "null",
  ])
  func oneElementWithoutTypeOrUniqueIDDropsTheWholeBatch(element: String) async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let good = #"{"type":"sensor","unique_id":"soil","state":2}"#
    for batch in ["[\(good),\(element)]", "[\(element),\(good)]"] {
      #expect(try await device.send("update_sensor_states", batch) == .emptyObject)
    }
    #expect(try await device.prove() == Device.proof)
    #expect(try await device.reading("soil").state == "1")
  }

  @Test func aSingleObjectIsTakenAsABatchOfOne() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let answer = try await device.send(
      "update_sensor_states", #"{"type":"sensor","unique_id":"soil","state":2}"#)
    #expect(answer == .sealed(200, ["soil": ["success": true]]))
    #expect(try await device.reading("soil").state == "2")
  }

  @Test func ofDuplicatesInABatchTheLastWinsAndThereIsOneAnswer() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let batch = [2, 3, 4].map { #"{"type":"sensor","unique_id":"soil","state":\#($0)}"# }
    let answer = try await device.send(
      "update_sensor_states", "[\(batch.joined(separator: ","))]")
    #expect(answer == .sealed(200, ["soil": ["success": true]]))
    #expect(try await device.reading("soil").state == "4")
  }
}

// MARK: - What is stored

extension Contract.Sensors {
  @Test func anUpdateWithoutAnIconResetsItAndWithoutAttributesWipesThem() async throws {
    let device = try await Device.registered()
    try await device.register(
      "soil", "sensor", #""state":1,"icon":"mdi:sprout","attributes":{"depth":3}"#)
    #expect(try await device.update("soil", #""state":2"#) == ["success": true])
    let soil = try await device.reading("soil")
    #expect(soil.attributes["icon"] == "mdi:cellphone")
    #expect(soil.attributes["depth"] == .absent)
  }

  @Test func anUpdateKeepsTheIconAndTheAttributesThatItBrings() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    let more = #""state":2,"icon":"mdi:sprout","attributes":{"depth":4}"#
    #expect(try await device.update("soil", more) == ["success": true])
    let soil = try await device.reading("soil")
    #expect(soil.attributes["icon"] == "mdi:sprout")
    #expect(soil.attributes["depth"] == 4)
  }

  @Test func aNullIconIsNoIcon() async throws {
    let device = try await Device.withSoil(#""state":1,"icon":"mdi:sprout""#)
    #expect(try await device.update("soil", #""state":2,"icon":null"#) == ["success": true])
    #expect(try await device.reading("soil").attributes["icon"] == .absent)
  }

  /// What a sensor without unit or class shows for a state that is sent.
  @Test(arguments: [
    ("2", "2"), ("2.50", "2.5"), (#""2.50""#, "2.50"), (#""wet""#, "wet"), (#""""#, ""),
    ("null", "unknown"), (#""unknown""#, "unknown"), (#""unavailable""#, "unavailable"),
    ("true", "True"), ("18446744073709551615", "18446744073709551615"),
  ])
  func aTextSensorShows(sent: String, shown: String) async throws {
    let device = try await Device.withSoil(#""state":"first""#)
    #expect(try await device.update("soil", #""state":\#(sent)"#) == ["success": true])
    #expect(try await device.reading("soil").state == shown)
  }

  /// What a sensor with a unit shows for a state that is sent: text that is no number is answered
  /// with success, and the old value stays.
  @Test(arguments: [
    ("2", "2"), (#""2.5""#, "2.5"), ("null", "unknown"), (#""unknown""#, "unknown"),
    (#""""#, "1"), (#""unavailable""#, "unavailable"), ("true", "True"),
    (#""wet""#, "1"), (#""n/a""#, "1"), (#""1,5""#, "1"),
  ])
  func aNumericSensorShows(sent: String, shown: String) async throws {
    let device = try await Device.withSoil(#""state":1,"unit_of_measurement":"%""#)
    #expect(try await device.update("soil", #""state":\#(sent)"#) == ["success": true])
    #expect(try await device.reading("soil").state == shown)
  }

  @Test(arguments: [
    ("true", "on"), ("false", "off"), ("null", "unknown"), ("1", "on"), ("0", "off"),
    (#""""#, "off"), (#""on""#, "on"), (#""off""#, "on"), (#""false""#, "on"),
    (#""unknown""#, "on"),
  ])
  func aBinarySensorTakesAnythingThatIsNotEmptyForOn(sent: String, shown: String) async throws {
    let device = try await Device.registered()
    try await device.register("bilge", "binary_sensor", #""state":null"#)
    let answer = try await device.update("bilge", #""state":\#(sent)"#, type: "binary_sensor")
    #expect(answer == ["success": true])
    #expect(try await device.reading("bilge", "binary_sensor").state == shown)
  }

  @Test(arguments: [(255, true), (256, false)])
  func aStateOfMoreThan255CharactersBecomesUnknown(count: Int, isKept: Bool) async throws {
    let device = try await Device.withSoil(#""state":"first""#)
    let text = String(repeating: "x", count: count)
    #expect(try await device.update("soil", #""state":"\#(text)""#) == ["success": true])
    #expect(try await device.reading("soil").state == (isKept ? text : "unknown"))
  }

  @Test func theSameValueAgainMovesNoTimestamp() async throws {
    let device = try await Device.withSoil(#""state":1,"icon":"mdi:sprout""#)
    let before = try await device.reading("soil")
    let more = #""state":1,"icon":"mdi:sprout""#
    #expect(try await device.update("soil", more) == ["success": true])
    #expect(try await device.reading("soil") == before)
  }
}
