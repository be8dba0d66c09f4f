import Bytes
import Testing

@testable import HomeAssistant

@Suite struct SensorMessagesTests {
  private func registration(_ sensor: SensorRegistration, state: StaticString = "1") -> String {
    written { buffer in sensor.write(into: &buffer) { $0.append(state) } }
  }

  private func update(_ sensor: SensorRegistration, state: StaticString = "1") -> String {
    written { buffer in sensor.writeUpdate(into: &buffer) { $0.append(state) } }
  }

  private let door = SensorRegistration(
    uniqueID: [UInt8]("door"), name: [UInt8]("Door"), kind: .binarySensor,
    deviceClass: [UInt8]("door"), stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:door"))

  @Test func aSensorIsRegisteredWithAllThatIsKnownOfIt() {
    let sensor = SensorRegistration(
      uniqueID: [UInt8]("soil"), name: [UInt8]("Soil \"deep\""), kind: .sensor,
      unit: [UInt8]("°C"), deviceClass: [UInt8]("temperature"),
      stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:sprout"), isDiagnostic: true)
    #expect(
      registration(sensor, state: "12.50")
        == #"{"type":"sensor","unique_id":"soil","name":"Soil \"deep\"","state":12.50,"#
        + #""unit_of_measurement":"°C","device_class":"temperature","#
        + #""state_class":"measurement","icon":"mdi:sprout","entity_category":"diagnostic"}"#)
  }

  @Test func whatIsNotKnownIsLeftOut() {
    let sensor = SensorRegistration(
      uniqueID: [UInt8]("a"), name: [UInt8]("A"), kind: .sensor, icon: [UInt8]("mdi:water"))
    #expect(
      registration(sensor)
        == #"{"type":"sensor","unique_id":"a","name":"A","state":1,"icon":"mdi:water"}"#)
  }

  /// Without the key Home Assistant shows a phone, and with null what goes with the class.
  @Test func theIconOfTheClassIsNull() {
    let sensor = SensorRegistration(
      uniqueID: [UInt8]("a"), name: [UInt8]("A"), kind: .binarySensor,
      deviceClass: [UInt8]("door"))
    #expect(registration(sensor).hasSuffix(#""device_class":"door","icon":null}"#))
    #expect(
      update(sensor) == #"{"type":"binary_sensor","unique_id":"a","icon":null,"state":1}"#)
  }

  /// Home Assistant drops a binary sensor that has a `state_class`, even one that is null.
  @Test func aBinarySensorNeverHasAStateClass() {
    #expect(
      registration(door, state: "true")
        == #"{"type":"binary_sensor","unique_id":"door","name":"Door","state":true,"#
        + #""device_class":"door","icon":"mdi:door"}"#)
  }

  @Test func aNameOfNothingButEscapesFitsIntoAnUpdate() {
    let controls = [UInt8](repeating: 1, count: 100)
    let sensor = SensorRegistration(
      uniqueID: controls, name: [], kind: .binarySensor, icon: controls)
    let escaped = String(repeating: #"\u0001"#, count: 100)
    #expect(
      update(sensor)
        == #"{"type":"binary_sensor","unique_id":"\#(escaped)","icon":"\#(escaped)","state":1}"#)
  }

  /// A null can make Home Assistant drop the message; only the state and the icon may be one.
  @Test func noKeyIsEverNull() {
    for bits in 0..<16 {
      func optional(_ bit: Int) -> [UInt8]? { bits & 1 << bit != 0 ? [UInt8]("x") : nil }
      for kind in [SensorKind.sensor, .binarySensor] {
        let sensor = SensorRegistration(
          uniqueID: [UInt8]("a"), name: [UInt8]("A"), kind: kind, unit: optional(0),
          deviceClass: optional(1), stateClass: optional(2), icon: [UInt8]("mdi:x"),
          isDiagnostic: bits & 8 != 0)
        #expect(!registration(sensor).contains("null"))
        #expect(registration(sensor, state: "null").contains(#""state":null,"#))
      }
    }
  }

  /// One key more and Home Assistant refuses the element; without its icon it loses it.
  @Test func anUpdateHasExactlyTheKeysThatHomeAssistantTakes() {
    #expect(
      update(door, state: "false")
        == #"{"type":"binary_sensor","unique_id":"door","icon":"mdi:door","state":false}"#)
  }
}

@Suite struct SensorVerdictTests {
  private struct Judged: Equatable {
    let uniqueID: String
    let verdict: SensorVerdict
  }

  private func judged(_ answer: String) throws(JSONError) -> [Judged] {
    var all: [Judged] = []
    try forEachVerdict(in: [UInt8](answer.utf8).span) { uniqueID, verdict in
      let text = String(decoding: [UInt8](uniqueID.raw), as: UTF8.self)
      all.append(Judged(uniqueID: text, verdict: verdict))
    }
    return all
  }

  @Test(arguments: [
    (#"{"success":true}"#, SensorVerdict.accepted),
    (#"{"success":true,"is_disabled":false}"#, .accepted),
    (#"{"success":true,"is_disabled":true}"#, .disabled),
    (#"{"is_disabled":true,"success":true}"#, .disabled),
    (#"{"success":true,"new":{"success":false}}"#, .accepted),
    (#"{"success":false,"error":{"code":"not_registered","message":"…"}}"#, .notRegistered),
    (#"{"error":{"message":"…","code":"not_registered"},"success":false}"#, .notRegistered),
    (#"{"success":false,"error":{"code":"invalid_format","message":"extra keys"}}"#, .refused),
    (#"{"success":false,"error":{"code":"a_code_to_come"}}"#, .refused),
    (#"{"success":false,"error":{"code":null}}"#, .refused),
    (#"{"success":false,"error":"not_registered"}"#, .refused),
    (#"{"success":false}"#, .refused),
    ("{}", .refused),
  ])
  func everyVerdictIsRead(answer: String, verdict: SensorVerdict) throws {
    #expect(try judged(#"{"cpu":\#(answer)}"#) == [Judged(uniqueID: "cpu", verdict: verdict)])
  }

  @Test func theVerdictOfOneSensorIsNotThatOfTheNext() throws {
    let answer =
      #"{"a":{"success":true,"is_disabled":true},"#
      + #""b":{"success":false,"error":{"code":"not_registered","message":""}},"#
      + #""c":{"success":false,"error":{"code":"invalid_format","message":""}},"#
      + #""d":{"success":true}}"#
    #expect(
      try judged(answer) == [
        Judged(uniqueID: "a", verdict: .disabled), Judged(uniqueID: "b", verdict: .notRegistered),
        Judged(uniqueID: "c", verdict: .refused), Judged(uniqueID: "d", verdict: .accepted),
      ])
  }

  @Test func anAnswerToNothingHasNoVerdicts() throws {
    #expect(try judged("{}").isEmpty)
    #expect(try judged(" { } \n").isEmpty)
  }

  @Test(arguments: [
    "", "null", "[]", "5", "{\"cpu\":true}", "{\"cpu\":null}", #"{"cpu":{"success":1}}"#,
    #"{"cpu":{"success":"true"}}"#, #"{"cpu":{"success":null}}"#, #"{"cpu":[]}"#,
    #"{"cpu":{"success":true}}x"#, #"{"cpu":{"success":true},}"#, "<html>",
  ])
  func anAnswerOfAnotherShapeIsNoVerdict(answer: String) {
    #expect(throws: JSONError.self) { try judged(answer) }
  }

  @Test func anAnswerCutAtAnyByteIsSeen() {
    let answer = #"{"a":{"success":false,"error":{"code":"not_registered"}},"b":{"success":true}}"#
    for cut in truncations(of: [UInt8](answer.utf8)) {
      #expect(throws: JSONError.self) { try judged(String(decoding: cut, as: UTF8.self)) }
    }
  }

  @Test(arguments: [
    (#"{"success":true}"#, true), (#"{"success":true,"is_disabled":true}"#, true),
    (#"{"success":false}"#, false), ("{}", false),
    (#"{"success":false,"error":{"code":"not_registered"}}"#, false),
  ])
  func aSensorIsRegisteredWhereTheAnswerSaysSo(answer: String, isRegistered: Bool) throws {
    #expect(try isSuccess([UInt8](answer.utf8).span) == isRegistered)
  }

  @Test(arguments: ["", "null", "[]", "true", #"{"success":true}{}"#, #"{"success":true"#])
  func anAnswerOfAnotherShapeRegistersNothing(answer: String) {
    #expect(throws: JSONError.self) { try isSuccess([UInt8](answer.utf8).span) }
  }
}
