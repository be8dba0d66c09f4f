import Bytes
import LinuxIO
import Outbox
import Testing
import Transport

@testable import Agent

/// The requests that show a token.
@Suite struct SecretTransfersTests {
  private final class Asker: SecretTransfersOwner {
    var results: [TransferResult] = []
    func secretTransferEnded(_ result: TransferResult, of channel: Uplink.Channel) {
      if case .login = channel { results.append(result) }
    }
  }

  /// As a board does that leaves home while Home Assistant is slow, and comes back.
  @Test func whatIsGivenUpIsHeardOfNoMoreAndTheNextOneIsAnswered() throws {
    let loop = try EventLoop()
    let server = try TokenServer(loop: loop)
    defer { server.stop() }
    let endpoint = Endpoint(
      address: [UInt8]("http://127.0.0.1:\(server.port)".utf8), path: [UInt8]("/x".utf8),
      bearerToken: [UInt8]("token".utf8))
    let transfers = SecretTransfers(
      .login, settings: .system, loop: loop, requestByteCountMax: 1024)
    let asker = Asker()
    /// Asks, and waits until the server has so many requests, or there is an answer.
    func register(untilRequest number: Int) throws {
      transfers.send(to: endpoint, telling: asker) {
        $0.removeAll()
        $0.append("{}")
      }
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
