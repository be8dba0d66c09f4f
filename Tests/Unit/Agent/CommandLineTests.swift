import Foundation
import Testing

extension WholeAgent {
  /// What is typed after `homeward`.
  @Suite struct CommandLine {}
}

extension WholeAgent.CommandLine {
  private func ending(_ arguments: [String]) async throws -> RunningAgent.Ending {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    return try await RunningAgent(on: board, arguments).ending()
  }

  @Test func aMistakeIsNamedWithWhereHelpIs() async throws {
    for (arguments, words, help) in [
      ([], "name a command", "Try: homeward --help"),
      (["fly"], "\"fly\" is not recognized", "Try: homeward --help"),
      (["run", "--fly"], "\"--fly\" is not recognized", "Try: homeward run --help"),
      (["run", "--config"], "--config needs the name of a file", "Try: homeward run --help"),
      (["run", "--log-level", "loud"], "\"loud\" is not a level", "Try: homeward run --help"),
      (["run", "--config", ""], "--config needs the name of a file", "Try: homeward run --help"),
    ] {
      let ending = try await ending(arguments)
      #expect(ending.status == 64)
      #expect(ending.lines(with: words).count == 1, "\(ending.log)")
      #expect(ending.log.last == help)
    }
  }

  @Test func helpIsNoMistake() async throws {
    for arguments in [["--help"], ["-h"], ["--version"], ["run", "--help"], ["run", "-h"]] {
      let ending = try await ending(arguments)
      #expect(ending.status == 0)
      #expect(ending.log == [])
    }
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGABRT])
  func aTrapLeavesOneLineAndTheSignal(signal: Int32) async throws {
    let (_, _, agent) = try await provenAgent(environment: ["SWIFT_BACKTRACE": "enable=no"])
    let ending = await agent.kill(with: signal)
    #expect(ending.status == signal)
    let lines = ending.lines(with: "ended by SIG")
    #expect(lines.count == 1 && ending.log.last == lines.first, "\(ending.log)")
    #expect(lines.first?.hasSuffix("; please report this line") == true)
  }
}
