import Foundation
import TestRun
import Testing

/// `homeward run` for as long as an expectation wants it: its events are waited for one by one.
final class AgentAtWork {
  struct Ended: Error, CustomStringConvertible {
    let awaited: String
    let events: [JSON]
    var description: String { "the agent ended before \(awaited); it said \(events)" }
  }

  private let process: ChildProcess
  private var output: AsyncStream<String>.Iterator
  private var events: [JSON] = []

  init(_ binary: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
    let pipe = Pipe()
    process = try ChildProcess(
      binary.path, arguments, environment: environment, output: .pipe(pipe), errors: .nothing,
      timeout: .seconds(420))
    output = pipe.lines().makeAsyncIterator()
  }

  deinit { process.send(signal: SIGKILL) }

  /// The next event of this name; others are passed over.
  @discardableResult
  func event(_ name: String) async throws -> JSON {
    while let line = await output.next() {
      guard let event = JSON(parsing: Data(line.utf8)) else { continue }
      events.append(event)
      if event["event"] == .string(name) { return event }
    }
    throw Ended(awaited: name, events: events)
  }

  /// Sends it a signal, such as `SIGSTOP`, with which it keeps its connections and says nothing.
  func send(signal: Int32) { process.send(signal: signal) }

  func stop() async {
    process.terminate()
    while await output.next() != nil {}
  }
}
