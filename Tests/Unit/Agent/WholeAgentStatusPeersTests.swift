import Bytes
import Foundation
import LinuxIO
import PracticeHome
import Testing

extension WholeAgent.Status {
  /// The whole of an answer.
  private func answer(to peer: borrowing Descriptor) throws -> [UInt8] {
    var buffer = ByteBuffer(capacity: 64 * 1024)
    while case .bytes = try peer.read(into: &buffer) {}
    return [UInt8](buffer.bytes)
  }

  @Test func aHundredPeersAtOnceThatDoNotReadHoldTheAgentNotUp() async throws {
    let (home, board, agent) = try await provenAgent()
    var peers: [Peer] = []
    for _ in 0..<100 { peers.append(try Peer(connectingTo: board.socket)) }

    // They are there, and the agent goes on.
    try await agent.expectToDeliver(charge: 70, to: home)
    // The mark is there again.
    try await agent.hasReadEverything()
    #expect(try await AskedStatus(on: board).ending.status == 0)

    // Each got its own; half of them go without having read it.
    for peer in peers.suffix(50) {
      let answer = try answer(to: peer.connection)
      let document = try JSONDecoder().decode(StatusDocument.self, from: Data(answer))
      #expect(document.is_well)
    }
    peers = []
    #expect(try await AskedStatus(on: board).ending.status == 0)
    #expect(await agent.stop().status == 0)
  }

  @Test func whateverAPeerSendsIsNotRead() async throws {
    let (_, board, agent) = try await provenAgent()
    for _ in 0..<20 {
      let peer = try Peer(connectingTo: board.socket)
      let noise = [UInt8](repeating: 0xFF, count: 1024)
      // The agent may have hung up already.
      _ = try? peer.connection.send(noise.span)
    }
    #expect(try await AskedStatus(on: board).ending.status == 0)
    #expect(await agent.stop().status == 0)
  }

  @Test func anAgentThatIsOutOfDescriptorsAnswersWhenItHasSomeAgain() async throws {
    let (_, board, agent) = try await provenAgent()
    try agent.limitDescriptors(true)
    let peer = try Peer(connectingTo: board.socket)
    #expect(await agent.says("the agent cannot answer homeward status: Too many open files"))
    try agent.limitDescriptors(false)
    for _ in 0..<2 { try await agent.hasReadEverything() }
    try await agent.event("proven")
    #expect(try !answer(to: peer.connection).isEmpty)
    #expect(try await AskedStatus(on: board).ending.status == 0)
    let ending = await agent.stop()
    #expect(ending.lines(with: "cannot answer homeward status").count == 1)
  }
}

extension WholeAgent.Status {
  /// An agent that is scripted: it answers where it is asked, until it ends.
  private final class ScriptedAgent {
    private let listener: LocalListener

    init(on board: Board) throws {
      try board.makeFolder("state")
      listener = try LocalListener(at: board.socket, waitingMax: 8)
    }

    func isAsked() -> Bool {
      var ready = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&ready, 1, 20_000) == 1
    }

    func answer() throws {
      guard isAsked(), let client = try listener.accept() else {
        Issue.record("the agent is not asked")
        return
      }
      _ = try client.send([UInt8]("{\"is_well\":true}\n".utf8).span)
    }
  }

  @Test func watchingGoesOnWhereTheAgentDiesWithTheQuestionUnanswered() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    var first: ScriptedAgent? = try ScriptedAgent(on: board)
    let watch = try RunningAgent(
      on: board,
      ["status", "--watch", "--json", "--every", "1s", "--config", board.configuration])
    try first?.answer()
    try await watch.line(endingWith: "}")
    // With a question in its socket, as one that its watchdog kills.
    #expect(first?.isAsked() == true)
    first = nil
    let second = try ScriptedAgent(on: board)
    try second.answer()
    try await watch.line(endingWith: "}")
    #expect(await watch.interrupt().status == 0)
  }
}

/// Who has connected to the agent and does nothing.
private final class Peer {
  let connection: Descriptor

  init(connectingTo socket: Path) throws {
    connection = try connectLocal(to: socket, timeout: .seconds(60))
  }
}
