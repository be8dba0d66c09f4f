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

  /// Restarts the server with another clock than ours.
  static func restart(with clock: LaterClock) async throws {
    try await run("restart", environment: clock.environment)
  }

  private static func run(_ word: String, environment: [String: String] = [:]) async throws {
    let command = try #require(command, "nothing controls the server")
    let status = try await ChildProcess(command, [word], environment: environment).ending()
    try #require(status == 0, "\(word) failed")
  }
}

/// A clock that is ahead of ours, for programs that are started: Tests/Support/Lab/later.c, which
/// stands before libc in them. The clock that only goes on stays the kernel's.
struct LaterClock {
  private static let library = Result { try compiled() }

  let environment: [String: String]

  init(showing time: Date) throws {
    environment = [
      "LD_PRELOAD": try Self.library.get().path,
      "HOMEWARD_SECONDS_AHEAD": "\(Int(time.timeIntervalSinceNow.rounded()))",
    ]
  }

  private static func compiled() throws -> URL {
    let library = TestRun.newPlace()
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Support/Lab/later.c").standardized.path
    let arguments = ["-shared", "-fPIC", "-o", library.path, source]
    try #require(try ChildProcess.run("cc", arguments, errors: .inherited) == 0)
    return library
  }
}
