import Bytes
import Foundation
import LinuxIO
import PracticeHome
import Testing

/// What `homeward status --json` printed.
struct StatusDocument: Decodable {
  struct Moment: Decodable {
    let at: String
    let seconds: Int
  }

  struct Home: Decodable {
    let state: String
    let url: String
    let protection: String?
    let cause: String?
    let text: String?
    let since: Moment?
    let last_proof: Moment?
    let next_attempt: Moment?
  }

  struct Route: Decodable {
    let route: String
    let state: String
    let cause: String?
    let url: String?
  }

  struct Source: Decodable {
    let source: String
    let cause: String
  }

  struct Waiting: Decodable {
    let readings: Int
    let locations: Int
  }

  struct Counts: Decodable {
    let proven: Int
    let unproven: Int
  }

  struct WebSocket: Decodable {
    let state: String
    let version: String?
  }

  let is_well: Bool
  let home_assistant: Home
  let routes: [Route]
  let waiting: Waiting
  let counts: Counts
  let failing_sources: [Source]
  let websocket: WebSocket?
}

/// A `homeward status` that has ended.
struct AskedStatus {
  let ending: RunningAgent.Ending

  init(on board: Board, _ options: String...) async throws {
    ending = try await board.run("status", options: options)
  }

  var document: StatusDocument {
    get throws {
      #expect(ending.log == [])
      #expect(ending.output.count == 1)
      let line = try #require(ending.output.first)
      return try JSONDecoder().decode(StatusDocument.self, from: Data(line.utf8))
    }
  }

  func hasLine(_ words: String...) -> Bool {
    ending.output.contains { line in words.allSatisfy { line.contains($0) } }
  }
}

extension Board {
  var socket: Path { Path([UInt8](state.appending(path: "agent.socket").path.utf8)) }
}
