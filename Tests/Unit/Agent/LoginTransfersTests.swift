import Bytes
import LinuxIO
import Testing
import Transport

@testable import Agent
@testable import Board

/// The requests that show a token.
@Suite struct LoginTransfersTests {
  private final class Asker: LoginTransfersOwner {
    var results: [TransferResult] = []
    func loginEnded(_ result: TransferResult) { results.append(result) }
  }

  /// As a board does that leaves home while Home Assistant is slow, and comes back.
  @Test func whatIsGivenUpIsHeardOfNoMoreAndTheNextOneIsAnswered() throws {
    let loop = try EventLoop()
    let server = try TokenServer(loop: loop)
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)"
    let configuration = try Configuration.parse([UInt8]("home_assistant: { url: \"\(url)\" }".utf8))
    let transfers = LoginTransfers(settings: configuration.homeAssistant, loop: loop)
    let asker = Asker()
    /// Asks, and waits until the server has so many requests, or there is an answer.
    func register(untilRequest number: Int) throws {
      transfers.register(with: [UInt8]("token".utf8), telling: asker) { $0.append("{}") }
      while server.requests.count < number, asker.results.isEmpty {
        try loop.turn(until: transfers.deadline)
        transfers.deadlineReached(now: Moment.now.instant)
      }
    }

    server.isSilent = true
    try register(untilRequest: 1)
    transfers.cancel()
    try #require(transfers.deadline == nil, "nothing is waited for any more")
    server.isSilent = false
    try register(untilRequest: .max)
    #expect(asker.results == [.answered(status: 201)])
    #expect(server.requests.count == 2)
  }
}
