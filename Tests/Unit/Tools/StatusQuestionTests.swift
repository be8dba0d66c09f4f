import Board
import Bytes
import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Tools

/// What an agent's end is to who asks it.
@Suite struct StatusQuestionTests {
  private let folder = TestRun.newPlace()

  /// An agent that is asked and says `words`, or ends before it has taken the question.
  private func code(ofAnswer words: String?) throws -> ExitCode? {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = StatusClient(stateDirectory: Path([UInt8](folder.path.utf8)))
    let loop = try EventLoop()
    let question = try asked(client, loop, words)
    let end = Moment.now.instant + .seconds(20)
    while question.outcome == nil, Moment.now.instant < end { try loop.turn(until: end) }
    switch question.outcome {
    case .success(let status)?: return status.code
    case .failure(let failure)?: return failure.code
    case nil: return nil
    }
  }

  private func asked(
    _ client: StatusClient, _ loop: EventLoop, _ words: String?
  ) throws -> StatusQuestion {
    let listener = try LocalListener(at: client.socket, waitingMax: 1)
    let question = StatusQuestion(client, loop: loop, now: Moment.now.instant)
    if let words {
      guard let server = try listener.accept() else {
        Issue.record("the kernel has no connection")
        return question
      }
      if !words.isEmpty { _ = try server.send([UInt8](words.utf8).span) }
    }
    // Both ends of the agent's are closed here.
    return question
  }

  @Test(arguments: [nil, "", #"{"is_well":true,"home"#, #"{"is_well":true}"#] as [String?])
  func anAgentThatEndsBeforeItHasAnsweredMayBeStartedAgain(words: String?) throws {
    #expect(try code(ofAnswer: words) == .temporaryFailure)
  }

  @Test func whatIsNoAgentStaysNone() throws {
    #expect(try code(ofAnswer: "SSH-2.0-OpenSSH_9.2\r\n") == .dataError)
    #expect(try code(ofAnswer: "{}\n") == .dataError)
  }

  @Test func anAnswerIsWhole() throws {
    #expect(try code(ofAnswer: #"{"is_well":true}"# + "\n") == .success)
  }
}
