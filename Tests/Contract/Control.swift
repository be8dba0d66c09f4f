import Foundation
import Glibc
import Testing

/// What only the one who started the server can do to it.
///
/// `HOMEWARD_CONTRACT_CONTROL` is a command; it is run with one word, and returns when that is done:
/// `restart` ends the server in an orderly way and starts it again with the same data on the same
/// port.
enum Control {
  private static let command = ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_CONTROL"]

  static let isNamed = command != nil

  static func restart() async throws { try await run("restart") }

  private static func run(_ word: String) async throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(command, "nothing controls the server"))
    process.arguments = [word]
    try withSignals { try process.run() }
    while process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
    try #require(process.terminationStatus == 0, "\(word) failed")
  }

  /// Runs without a blocked signal: the threads of a test block them all, and a server that is begun
  /// by one of them would inherit that, and could never be ended in an orderly way.
  private static func withSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}
