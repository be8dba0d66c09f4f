import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// `homeward send`: what a person at the shell sees of each message.
  @Suite struct Sending {}
}

extension Board {
  /// A board that `homeward pair` made a device of `home`.
  static func pairedByToken(with home: PracticeServer) async throws -> Board {
    let board = try Board(reportingTo: home)
    let ending = try await board.run(
      "pair", "--token-file", board.path("token"), "--yes", "--json")
    #expect(ending.status == 0, "\(ending.log)")
    return board
  }

  /// Runs a command with the configuration of this board.
  func run(
    _ words: String..., options: [String] = [], input: String = "",
    environment: [String: String] = [:], startedBy starter: [String] = []
  ) async throws -> RunningAgent.Ending {
    try await RunningAgent(
      on: self, words + options + ["--config", configuration], input: input,
      environment: environment, startedBy: starter
    ).ending()
  }

  /// Sends a reading of a sensor that is called `X` in Home Assistant.
  func send(state: Int, attributes: String = "{}") async throws {
    let reading =
      #"{"unique_id":"x","type":"sensor","state":\#(state),"attributes":\#(attributes)}"#
    let ending = try await run("send", "update_sensor_states", "--data", "[\(reading)]")
    #expect(ending.status == 0, "\(ending.log)")
  }

  func registerSensor() async throws {
    let ending = try await run(
      "send", "register_sensor", "--data",
      #"{"name":"X","unique_id":"x","type":"sensor","state":1,"unit_of_measurement":"%"}"#)
    #expect(ending.status == 0, "\(ending.log)")
  }
}

/// The sensor of `Board.registerSensor`.
let sensorX = "sensor.boat_x"

extension WholeAgent.Sending {
  struct Attempt: Sendable, CustomTestStringConvertible {
    let words: [String]
    var data: String?
    var status: Int32 = 0
    /// The beginning of a line of the answer, or nil for none.
    let answer: String?
    let verdict: String
    /// What the home noted, which only the home can know.
    let isNoted: @Sendable (PracticeHome.Event) -> Bool
    var testDescription: String { words[0] }
  }

  private static let done = "Home Assistant opened the message and carried it out."
  private static let sealed = "Home Assistant sealed this answer with this board's key."
  private static let accepted =
    "received the message; if it dropped the message, its answer is the same."

  static let attempts = [
    Attempt(words: ["get_config"], answer: #"  "latitude": 52.0"#, verdict: sealed) {
      $0 == .asked("get_config")
    },
    Attempt(words: ["get_zones"], answer: #"    "entity_id": "zone.home""#, verdict: sealed) {
      $0 == .asked("get_zones")
    },
    Attempt(
      words: ["render_template", "{{ states('zone.home') }}"], answer: "0", verdict: done
    ) { $0 == .asked("render_template") },
    Attempt(
      words: ["fire_event", "harbour_reached"], data: #"{"harbour":"Oudeschild"}"#, answer: nil,
      verdict: accepted
    ) { $0 == .eventFired(type: "harbour_reached", data: ["harbour": "Oudeschild"]) },
    Attempt(
      words: ["call_service", "notify.notify"], data: #"{"message":"hello"}"#, answer: nil,
      verdict: "Home Assistant called the service, or dropped the message"
    ) { $0 == .serviceCalled(domain: "notify", service: "notify", data: ["message": "hello"]) },
    Attempt(words: ["scan_tag", "ab-12"], answer: nil, verdict: accepted) {
      $0 == .tagScanned("ab-12")
    },
    Attempt(
      words: ["conversation_process", "how are you?"], answer: "This is only practice.",
      verdict: sealed
    ) { $0 == .asked("conversation_process") },
    Attempt(
      words: ["stream_camera", "camera.practice"],
      answer: #"  "mjpeg_path": "/api/camera_proxy_stream/camera.practice""#, verdict: sealed
    ) { $0 == .asked("stream_camera") },
    Attempt(words: ["update_location", "52.9", "-5.03", "4"], answer: nil, verdict: accepted) {
      if case .located(let location) = $0 {
        location["gps"] == [52.9, -5.03] && location["gps_accuracy"] == 4
      } else {
        false
      }
    },
    Attempt(
      words: ["register_sensor"],
      data: #"{"name":"X","unique_id":"x","type":"sensor","state":3}"#,
      answer: #"  "success": true"#,
      verdict: sealed
    ) { if case .sensorRegistered(let sensor) = $0 { sensor.name == "X" } else { false } },
    Attempt(
      words: ["update_sensor_states"],
      data: #"[{"unique_id":"unheard_of","type":"sensor","state":3}]"#, status: 65,
      answer: #"  "unheard_of": {"#, verdict: "refuses the message or a part of it"
    ) {
      if case .refused(let refused) = $0 { refused.type == "update_sensor_states" } else { false }
    },
    Attempt(words: ["update_registration"], answer: #"  "app_data": {}"#, verdict: sealed) {
      if case .registrationUpdated(let device) = $0 { device.deviceName == "Boat" } else { false }
    },
    Attempt(
      words: ["enable_encryption"], status: 65, answer: nil,
      verdict: "This registration is sealed already."
    ) {
      if case .refused(let refused) = $0 { refused.type == "enable_encryption" } else { false }
    },
  ]

  @Test func thereAreThirteenTypes() {
    #expect(Set(Self.attempts.map { $0.words[0] }).count == 13)
  }

  @Test(arguments: attempts)
  func aMessageOfEachTypeArrivesAndItsAnswerIsShown(_ attempt: Attempt) async throws {
    let (home, board) = try await pairedHomeAndBoard()
    var words = ["send"] + attempt.words
    if attempt.data != nil { words += ["--data", "-"] }
    let ending = try await board.run(options: words, input: attempt.data ?? "")
    #expect(ending.status == attempt.status)
    if let answer = attempt.answer {
      #expect(ending.output.contains { $0.hasPrefix(answer) }, "\(ending.output)")
    } else {
      #expect(ending.output.isEmpty, "\(ending.output)")
    }
    #expect(ending.lines(with: attempt.verdict).count == 1, "\(ending.log)")
    #expect(ending.log.count == 1)
    #expect(home.journal.contains { attempt.isNoted($0.event) }, "\(home.journal)")
    #expect(home.counters.plain == 0)
  }

  /// An on-path attacker gives what was answered to the message before.
  @Test func anOldAnswerIsNotShownAsThatToThisMessage() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    let words = ["send", "render_template", "{{ states('zone.home') }}"]
    #expect(try await board.run(options: words).status == 0)
    home.fault = .replay
    let second = try await board.run(options: words)
    #expect(second.status == 75)
    #expect(second.output == [])
    #expect(second.lines(with: "repeats old answers").count == 1, "\(second.log)")
  }

  @Test func aScriptGetsTheAnswerAsItCame() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let zones = try await board.run("send", "get_zones", "--json")
    #expect(zones.status == 0)
    #expect(zones.log == [])
    let line = try #require(zones.output.first)
    #expect(zones.output.count == 1)
    #expect(line.hasPrefix(#"{"type":"get_zones","outcome":"sealed","answer":[{"entity_id":"#))
    // A number that is read and written again would be 52.
    #expect(line.contains(#""latitude":52.0,"#))
    let event = try await board.run("send", "fire_event", "x", "--json")
    #expect(event.output == [#"{"type":"fire_event","outcome":"accepted"}"#])
  }

  @Test func whatAHomeSaysCannotCommandTheTerminal() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let ending = try await board.run("send", "render_template", "red \u{1B}[31m\u{7}")
    #expect(ending.output == ["red \\u001b[31m\\u0007"])
  }

  @Test func whatHomeAssistantRefusesIsShown() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    for (words, name) in [
      (["stream_camera", "camera.none"], "refused"),
      (["render_template", "{{ nonsense() }}"], "refused"),
      (["call_service", "light.fly"], "failed"),
      (["register_sensor", "--data", #"{"extra":1}"#], "dropped"),
    ] {
      let ending = try await board.run("send", options: words + ["--json"])
      #expect(ending.status == 65)
      #expect(ending.output.first?.contains(#""outcome":"\#(name)""#) == true, "\(ending.output)")
    }
    let ending = try await board.run("send", "register_sensor", "--data", "{}")
    #expect(ending.lines(with: "it rejects the content, or cannot open the message").count == 1)
  }

  @Test func aHomeThatHoldsAnotherKeyIsToldFromOneThatDislikesTheMessage() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.suffer(.changeKeys)
    let ending = try await board.run("send", "get_config")
    #expect(ending.status == 76)
    #expect(
      ending.lines(with: "Pair the board again: sudo homeward pair").count == 1, "\(ending.log)")
  }

  @Test(
    arguments: [
      (.status(403), 77, "forbidden", "refuses this address (403)"),
      (.status(404), 75, "not_found", "not ready (404)"),
      (.status(410), 69, "gone", "has deleted this device (410)"),
      (.status(503), 75, "unavailable", "not available (503)"),
      (.starting, 75, "not_live", "sends empty answers"),
      (.captivePortal, 75, "not_home_assistant", "is there a login page?"),
      (.wrongKey, 76, "other_key", "answers with another key"),
    ] as [(Fault, Int32, String, String)])
  func whatIsWrongWithHomeAssistantIsNamed(
    fault: Fault, status: Int32, outcome: String, words: String
  ) async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.fault = fault
    let ending = try await board.run("send", "get_config")
    #expect(ending.status == status)
    #expect(ending.output == [])
    #expect(ending.lines(with: words).count == 1, "\(ending.log)")
    let script = try await board.run("send", "get_config", "--json")
    #expect(script.status == status)
    #expect(script.output == [#"{"type":"get_config","outcome":"\#(outcome)"}"#])
  }

  @Test func aHomeThatIsSwitchedOffIsNamedWithItsAddress() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.stop()
    let ending = try await board.run("send", "get_config", "--json")
    #expect(ending.status == 75)
    #expect(ending.output == [])
    #expect(ending.lines(with: "cannot be reached at \(home.url): ").count == 1, "\(ending.log)")
  }

  @Test func aBoardThatIsNotPairedIsToldHow() async throws {
    let (home, board) = try homeAndBoard()
    let ending = try await board.run("send", "get_config")
    #expect(ending.status == 69)
    #expect(ending.lines(with: "pair it with: sudo homeward pair").count == 1, "\(ending.log)")
    #expect(home.requestCount == 0)
  }

  @Test func aMistakeIsNamedBeforeAnythingIsSent() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    let requestCount = home.requestCount
    for (words, mistake) in [
      ([], "name a type, such as get_config"),
      (["get_confg"], "did you mean \"get_config\"?"),
      (["get_config", "--fly"], "\"--fly\" is not recognized"),
      (["get_config", "-x"], "\"-x\" is not recognized"),
      (["fire_event", "a", "--data"], "--data needs JSON, or - for standard input"),
      (["fire_event", "a", "--data", "{oops}"], "--data is not JSON: the error is at byte 2"),
      (["update_location", "-91", "-181"], "nowhere on Earth"),
    ] {
      let ending = try await RunningAgent(on: board, ["send"] + words).ending()
      #expect(ending.status == 64)
      #expect(ending.lines(with: mistake).count == 1, "\(ending.log)")
      #expect(ending.log.last == "Try: homeward send --help")
    }
    #expect(home.requestCount == requestCount)
  }

  @Test func helpNamesEveryTypeAndHasExamples() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    let ending = try await RunningAgent(on: board, ["send", "--help"]).ending()
    #expect(ending.status == 0)
    for attempt in Self.attempts {
      #expect(ending.output.contains { $0.hasPrefix("  \(attempt.words[0])") })
    }
    #expect(ending.output.contains("Examples:"))
  }
}
