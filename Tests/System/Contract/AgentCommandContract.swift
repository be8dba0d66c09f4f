import Testing

// What Home Assistant asks of a board, and is told of it.

extension Agent {
  /// The environment in which it has a GPIO chip with this line: the fake one, as a library that
  /// stands before libc.
  func environment(withLine line: String) throws -> [String: String] {
    let library = try compiledLibrary(of: "FakeGPIO/fakegpio.c")
    return ["LD_PRELOAD": library, "FAKEGPIO": "/dev/gpiochip0 pinctrl-fake \(line) 22"]
  }

  fileprivate var notifyAction: String {
    "mobile_app_" + entityID("mobile_app", "").dropFirst("mobile_app.".count)
  }

  /// Has a command or another notification sent to the board.
  func command(_ message: String, _ data: String) async throws {
    let answer = try await server.post(
      "/api/services/notify/\(notifyAction)", #"{"message":"\#(message)","data":\#(data)}"#,
      token: server.token)
    #expect(answer.status == 200)
  }
}

extension Contract.WholeAgent {
  private static let settings = """
    commands: [command_gpio, command_update_sensors]
    outputs: [{ gpio: GPIO22, name: Pump }]
    """

  @Test func aBoardDoesWhatItIsAskedForAndSaysSo() async throws {
    let agent = try Agent(settings: Self.settings)
    defer { agent.remove() }
    let (socket, _, events) = try await WebSocket.listening(to: "homeward_command")
    let work = try agent.start(environment: try agent.environment(withLine: "GPIO22"))
    try await work.event("notifications_open")
    let pump = agent.entityID("binary_sensor", "pump")
    _ = try await agent.server.entity(pump) { $0?.state == "off" }

    try await agent.command("command_gpio", #"{"output":"Pump","command":"turn_on","id":"1"}"#)
    let done = try await socket.event(events)["data"]
    #expect(done["command"] == "command_gpio" && done["id"] == "1" && done["output"] == "Pump")
    #expect(done["result"] == "done" && done["device"] == .string(agent.deviceName))
    #expect(try await agent.server.entity(pump) { $0?.state == "on" } != nil)

    try await agent.command("command_gpio", #"{"output":"Pump","command":"turn_on","id":"1"}"#)
    #expect(try await socket.event(events)["data"]["reason"] == "repeated")
    try await agent.command("command_reboot", "{}")
    #expect(try await socket.event(events)["data"]["reason"] == "not_allowed")
    try await agent.command("command_update_sensors", "{}")
    #expect(try await socket.event(events)["data"]["result"] == "done")
    await work.stop()
  }

  /// Whether the server runs scripts, and so knows blueprints.
  static func hasScripts() async throws -> Bool {
    try await WebSocket.opened().result("get_services")["script"]["reload"] != .absent
  }

  @Test(.enabled("the server has no scripts", hasScripts))
  func aScriptOfTheBlueprintTellsWhereTheBoardDoesNotDoIt() async throws {
    let agent = try Agent(settings: Self.settings)
    defer { agent.remove() }
    let work = try agent.start(environment: try agent.environment(withLine: "GPIO22"))
    try await work.event("notifications_open")
    for (name, output) in [("pump", "Pump"), ("horn", "Horn")] {
      let script: JSON = [
        "alias": .string("Boat \(name)"),
        "use_blueprint": [
          "path": "homeward/output.yaml",
          "input": ["notify": .string("notify.\(agent.notifyAction)"), "output": .string(output)],
        ],
      ]
      let made = try await agent.server.post(
        "/api/config/script/config/contract_\(name)", script.encoded(), token: agent.server.token)
      #expect(made.status == 200, "\(made)")
    }
    let socket = try await WebSocket.opened()
    func run(_ script: String) async throws -> JSON {
      try await socket.ask(
        "call_service",
        [
          "domain": "script", "service": .string(script),
          "service_data": ["command": "turn_on"],
        ])
    }
    #expect(try await run("contract_pump")["success"] == true)
    _ = try await run("contract_horn")
    let told = try await socket.result("persistent_notification/get").elements
      .compactMap { $0["title"].text }
    #expect(told.contains("Horn did not do turn_on") && !told.contains("Pump did not do turn_on"))
    await work.stop()
  }
}
