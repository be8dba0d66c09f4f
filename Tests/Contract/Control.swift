import Foundation
import TestRun
import Testing

/// What only the one who started the server can do to it.
///
/// `HOMEWARD_CONTRACT_CONTROL` is a command. It takes one word, and returns when that is done:
/// `restart` ends the server in an orderly way and starts it again with the same data on the same
/// port.
enum Control {
  private static let command = ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_CONTROL"]

  static let isNamed = command != nil

  static func restart() async throws { try await run("restart") }

  private static func run(_ word: String) async throws {
    let command = try #require(command, "nothing controls the server")
    let status = try await ChildProcess(command, [word]).ending()
    try #require(status == 0, "\(word) failed")
  }
}
