import Foundation
import TestRun
import Testing

/// `homeward run` for as long as an expectation wants it: its events are waited for one by one.
final class AgentAtWork {
  /// Longer than anything that is waited for; only an agent that hangs gets here.
  private static let patience: DispatchTimeInterval = .seconds(420)

  struct Ended: Error, CustomStringConvertible {
    let awaited: String
    let events: [JSON]
    var description: String { "the agent ended before \(awaited); it said \(events)" }
  }

  private let process = Process()
  private var output: AsyncStream<Data>.Iterator
  private let watchdog: DispatchWorkItem
  private var events: [JSON] = []

  init(_ binary: URL, _ arguments: [String]) throws {
    let pipe = Pipe()
    process.executableURL = binary
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { TestRun.hasEnded($0.processIdentifier) }
    try process.run()
    TestRun.started(process.processIdentifier)
    output = lines(of: pipe.fileHandleForReading).makeAsyncIterator()
    let number = process.processIdentifier
    watchdog = DispatchWorkItem { kill(number, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
  }

  deinit {
    watchdog.cancel()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// The next event of this name; others are passed over.
  @discardableResult
  func event(_ name: String) async throws -> JSON {
    while let line = await output.next() {
      guard let event = JSON(parsing: line) else { continue }
      events.append(event)
      if event["event"] == .string(name) { return event }
    }
    throw Ended(awaited: name, events: events)
  }

  func stop() async {
    process.terminate()
    while await output.next() != nil {}
  }
}

/// The lines that come through a pipe, until its end; a thread of its own reads them.
private func lines(of pipe: FileHandle) -> AsyncStream<Data> {
  let (lines, continuation) = AsyncStream<Data>.makeStream()
  Thread.detachNewThread {
    var rest = Data()
    while case let bytes = pipe.availableData, !bytes.isEmpty {
      rest += bytes
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        continuation.yield(Data(rest[..<end]))
        rest = Data(rest[(end + 1)...])
      }
    }
    continuation.finish()
  }
  return lines
}
