import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// The configuration file, as it can be found on a board.
  @Suite struct ConfigurationFiles {}
}

extension WholeAgent.ConfigurationFiles {
  /// What a user pasted where it does not belong.
  private static let token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\(UUID().uuidString)"

  private func ending(of board: Board, configuration: String) async throws -> RunningAgent.Ending {
    try await RunningAgent(on: board, ["run", "--config", configuration, "--json"]).ending()
  }

  @Test func aConfigurationThatCannotBeReadIsNamed() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    for (name, status, words) in [
      ("missing.yaml", 66, "cannot be read: No such file or directory; to create it, run"),
      ("sys", 66, "cannot be read: Is a directory; name the file in it with --config"),
    ] as [(String, Int32, String)] {
      let ending = try await ending(of: board, configuration: board.path(name))
      #expect(ending.status == status)
      let line = "homeward run: \(board.path(name)) \(words)"
      #expect(ending.log.count == 1)
      #expect(ending.log.first?.hasPrefix(line) == true, "\(ending.log)")
    }
  }

  @Test func aConfigurationThatIsNoneIsDescribedNotRepeated() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    board.keepSecret(Self.token)
    let binary = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 97) })
    for (contents, words) in [
      (Data(), "the file has no settings"),
      (binary, "there is a NUL byte here; is this the right file?"),
      (Data([0x7F, 0x45, 0x4C, 0x46, 0x02]), "there is an invisible control character here"),
      (Data(repeating: 0x23, count: 10 << 20), "is larger than 64 KiB; is it the right file?"),
      (Data("home_assistant: { token: \(Self.token) }\n".utf8), "token_file"),
      (Data("\(Self.token)\n".utf8), "keys and values are expected here"),
    ] {
      try board.write(contents, to: "homeward.yaml")
      let ending = try await ending(of: board, configuration: board.configuration)
      #expect(ending.status == 78)
      #expect(ending.lines(with: words).count == 1, "\(ending.log)")
      #expect(ending.lines(with: board.configuration).count == ending.log.count)
      #expect(!FileManager.default.fileExists(atPath: board.state.path))
    }
  }

  @Test func aKeyOfAFormerVersionKeepsNoAgentFromReporting() async throws {
    let (home, board) = try homeAndBoard(settings: "after_upload: { run: [/bin/false] }")
    let ending = try await board.run("run", "--once")
    #expect(ending.status == 0, "\(ending.log)")
    #expect(ending.lines(with: "\"after_upload\" has no effect").count == 1, "\(ending.log)")
    #expect(shownCharge(in: home) == "83")
  }
}
