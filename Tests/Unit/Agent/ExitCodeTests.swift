import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// The same state of the board or of Home Assistant has the same exit code in every command.
  @Suite struct ExitCodes {}
}

extension WholeAgent.ExitCodes {
  /// How each command is typed, where it asks nothing.
  private static let typed = [
    "run": ["run", "--once"], "status": ["status"], "check": ["check"],
    "watch": ["watch", "--once"],
    "send": ["send", "get_config"], "spool": ["spool", "list"],
    "pair": ["pair", "--token-file", "-", "--yes"], "unpair": ["unpair", "--yes"],
  ]

  private func expect(_ code: Int32, of commands: [String], on board: Board) async throws {
    for command in commands {
      let words = try #require(Self.typed[command])
      let ending = try await board.run(options: words, input: "a-token\n")
      #expect(ending.status == code, "\(command): \(ending.log) \(ending.output)")
      #expect(!ending.log.isEmpty || !ending.output.isEmpty, "\(command) is silent")
    }
  }

  private static let readers = ["run", "status", "check", "watch", "send", "spool"]

  @Test func withoutAConfiguration() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.remove("homeward.yaml")
    try await expect(66, of: Self.readers, on: board)
  }

  @Test func withAWrongConfiguration() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.write("every: 10\n", to: "homeward.yaml")
    try await expect(78, of: Self.readers + ["pair", "unpair"], on: board)
  }

  @Test func withoutAPairing() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: nil, isTokenFileNamed: false)
    // Of status: no agent runs.
    try await expect(69, of: ["run", "status", "check", "watch", "send"], on: board)
  }

  @Test func withADamagedRegistration() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    try board.write("{}", to: "state/registration.json")
    try await expect(65, of: ["run", "check", "send"], on: board)
  }

  @Test func beneathAnotherHomeward() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let agent = try await RunningAgent.proven(on: board)
    try await expect(75, of: ["run", "pair", "unpair"], on: board)
    #expect(await agent.stop().status == 0)
  }

  @Test func withAHomeAssistantThatIsOff() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.stop()
    try await expect(75, of: ["run", "check", "watch", "send", "pair", "unpair"], on: board)
  }

  /// Home Assistant refuses the address, a proxy wants a login of its own, the board was deleted
  /// there, and Home Assistant holds another key.
  @Test(
    arguments: [
      (.status(403), 77, ["run", "check", "send", "watch", "pair", "unpair"]),
      (.status(407), 77, ["check", "send", "watch", "pair", "unpair"]),
      (.status(410), 69, ["run", "send"]), (.wrongKey, 76, ["run", "check", "send"]),
    ] as [(Fault, Int32, [String])])
  func withAFaultOfHomeAssistant(fault: Fault, code: Int32, commands: [String]) async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.fault = fault
    try await expect(code, of: commands, on: board)
  }

  @Test func withALoginThatIsRejected() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    try board.write(token: "wrong-\(UUID().uuidString)")
    try await expect(77, of: ["watch", "check"], on: board)
  }
}
