import Bytes
import HomeAssistant
import Testing

@testable import Board
@testable import Tools

@Suite struct WrittenMessageTests {
  private func message(_ words: [String], data: String? = nil) throws(UsageError) -> WrittenMessage
  {
    try WrittenMessage(
      words.map { Array($0.utf8) }, data: data.map { DataArgument(Array($0.utf8)) })
  }

  private func data(_ words: [String], _ data: String? = nil) throws -> String? {
    try message(words, data: data).data.map { String(decoding: $0, as: UTF8.self) }
  }

  private func mistake(_ words: [String], data: String? = nil) -> String? {
    do throws(UsageError) {
      _ = try message(words, data: data)
      return nil
    } catch {
      guard case .mistake(let text) = error else { return nil }
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  private let everyLocationKey =
    #"{"location_name":"x","gps":[1,2],"gps_accuracy":3,"battery":4,"speed":5,"altitude":6,"#
    + #""course":7,"vertical_accuracy":8}"#

  @Test func eachTypeIsWrittenAsHomeAssistantWantsIt() throws {
    let table: [(words: [String], data: String?, expected: String?)] = [
      (["get_config"], nil, "{}"),
      (["get_zones"], nil, "{}"),
      (["enable_encryption"], nil, "{}"),
      (["update_registration"], nil, nil),
      (["render_template", "{{ x }}"], nil, #"{"result":{"template":"{{ x }}"}}"#),
      (
        ["render_template", "{{ x }}"], #"{ "x": 1.50 }"#,
        #"{"result":{"template":"{{ x }}","variables":{"x":1.50}}}"#
      ),
      (["fire_event", "arrived"], nil, #"{"event_type":"arrived","event_data":{}}"#),
      (
        ["fire_event", "arrived"], #"{"at":"Oudeschild"}"#,
        #"{"event_type":"arrived","event_data":{"at":"Oudeschild"}}"#
      ),
      (
        ["call_service", "light.turn_on"], #"{"entity_id":"light.cabin"}"#,
        #"{"domain":"light","service":"turn_on","service_data":{"entity_id":"light.cabin"}}"#
      ),
      (["scan_tag", "a\"b"], nil, #"{"tag_id":"a\"b"}"#),
      (["conversation_process", "turn on"], nil, #"{"text":"turn on"}"#),
      (["stream_camera", "camera.deck"], nil, #"{"camera_entity_id":"camera.deck"}"#),
      (
        ["update_location", "52.5", "-5"], nil,
        #"{"gps":[52.5000000,-5.0000000],"gps_accuracy":10}"#
      ),
      (
        ["update_location", "52.5", "-5", "3.2"], nil,
        #"{"gps":[52.5000000,-5.0000000],"gps_accuracy":4}"#
      ),
      (["update_location"], #"{"location_name":"home"}"#, #"{"location_name":"home"}"#),
      (["update_location"], everyLocationKey, everyLocationKey),
      (["register_sensor"], #"{"name":"X"}"#, #"{"name":"X"}"#),
      (["update_sensor_states"], #"[{"state":4}]"#, #"[{"state":4}]"#),
    ]
    for (words, data, expected) in table {
      let written = try self.data(words, data)
      let json = try written.map { try JSON(parsing: Array($0.utf8).span) }
      #expect(
        try json == expected.map { try JSON(parsing: Array($0.utf8).span) },
        "\(words): \(written ?? "nothing")")
    }
    let types = Set(table.map { $0.words[0] })
    #expect(
      types == Set(MessageType.allCases.map { String(describing: $0.name) }))
  }

  @Test func whatHomeAssistantWouldDropIsNotSent() {
    for (words, data, mistake) in [
      ([], nil, "name a type, such as get_config"),
      (["fly"], nil, "\"fly\" is not a message type of Home Assistant"),
      (
        ["Get_Config"], nil,
        "\"Get_Config\" is not a message type of Home Assistant; did you mean \"get_config\"?"
      ),
      (["get_config", "all"], nil, "get_config takes no words"),
      (["get_zones"], "{}", "get_zones takes no --data here"),
      (["update_registration"], "{}", "update_registration takes no --data here"),
      (["render_template"], nil, "render_template needs a template, such as '{{ now() }}'"),
      (
        ["fire_event", "a", "b"], nil,
        "fire_event needs the type of an event, such as harbour_reached"
      ),
      (["fire_event", "a"], "[]", "--data must be a JSON object: write it in braces"),
      (["fire_event", "a"], "{'a':1}", "--data is not JSON: the error is at byte 2"),
      (["fire_event", "a"], "{\"a\":1", "--data is not JSON: it ends too early"),
      (
        ["fire_event", "a"], "{\"a\":1e999}",
        "--data holds a number that is too large for Home Assistant"
      ),
      (
        ["fire_event", String(repeating: "a", count: 65)], nil,
        "an event's type can have at most 64 characters, not 65"
      ),
      (["call_service", "light"], nil, "\"light\" is not a service, such as light.turn_on"),
      (["call_service", ".on"], nil, "\".on\" is not a service, such as light.turn_on"),
      (["call_service", "light."], nil, "\"light.\" is not a service, such as light.turn_on"),
      (["scan_tag"], nil, "scan_tag needs the id of a tag"),
      (["scan_tag", "a"], "{}", "scan_tag takes no --data here"),
      (
        ["conversation_process", "turn", "on"], nil,
        "conversation_process needs a sentence, in quotes"
      ),
      (["stream_camera"], nil, "stream_camera needs the id of an entity, such as camera.deck"),
      (["update_location"], nil, "update_location needs --data"),
      (
        ["update_location"], #"{"gps":[1,2],"gps_accuracy":3,"fly":1}"#,
        "Home Assistant drops a location with \"fly\" in it"
      ),
      (
        ["update_location"], #"{"gps":[1,2],"gps_accuracy":3,"in_zones":["zone.home"]}"#,
        "Home Assistant before 2026.6 drops a location with \"in_zones\" in it; leave it out"
      ),
      (["update_location", "north", "1"], nil, "\"north\" is not a number"),
      (["update_location", "1", "2"], "{}", "update_location takes no --data here"),
      (["register_sensor"], nil, "register_sensor needs --data"),
      (["register_sensor"], "[]", "--data must be a JSON object: write it in braces"),
      (["update_sensor_states"], "{}", "--data must be a JSON array: write it in brackets"),
      (
        ["update_sensor_states"], "[1e999]",
        "--data holds a number that is too large for Home Assistant"
      ),
    ] as [([String], String?, String)] {
      #expect(self.mistake(words, data: data) == mistake)
    }
  }

  @Test func aPlaceIsOnEarth() {
    for words in [["91", "0"], ["0", "181"], ["0", "0", "-1"], ["1e999", "0"]] {
      let mistake = mistake(["update_location"] + words)
      #expect(mistake?.hasPrefix("that is nowhere on Earth: ") == true, "\(words)")
    }
    for words in [["1"], ["1", "2", "3", "4"]] {
      let mistake = mistake(["update_location"] + words)
      #expect(mistake?.hasPrefix("update_location needs a latitude, a longitude") == true)
    }
  }

  @Test func aMessageIsNeverSentCutOff() throws {
    // Each of these bytes becomes three, a mark for what is no text.
    let noText = [UInt8](repeating: 0xFF, count: WrittenMessage.dataByteCountMax / 3 + 1)
    #expect(throws: UsageError.self) {
      _ = try WrittenMessage([Array("scan_tag".utf8), noText], data: nil)
    }
  }
}

@Suite struct SendReportTests {
  private func outcome(_ answer: HomeAssistant.Answer, to type: MessageType) -> String {
    let report = SendReport(type, answer, body: [UInt8](repeating: 0x20, count: 9), challenge: nil)
    return "\(report.outcome)"
  }

  @Test(arguments: MessageType.allCases)
  func anAnswerIsWhatItMeansForItsType(type: MessageType) {
    #expect(outcome(.opened(3..<9), to: type) == "sealed")
    #expect(outcome(.content(0..<9), to: type) == "answered")
    #expect(outcome(.refused(3..<9), to: type) == "refused")
    let silent: [MessageType] = [.updateLocation, .callService, .fireEvent, .scanTag]
    #expect(outcome(.unproven, to: type) == (silent.contains(type) ? "accepted" : "dropped"))
    // The one type whose failure Home Assistant tells, by saying nothing at all.
    #expect(outcome(.notLive, to: type) == (type == .callService ? "failed" : "not_live"))
    #expect(outcome(.otherKey, to: type) == "other_key")
    #expect(outcome(.gone, to: type) == "gone")
  }
}
