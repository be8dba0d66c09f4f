import Bytes
import Drivers
import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Agent
@testable import Board

@Suite struct StatusServerTests {
  private let folder = TestRun.newPlace()

  private final class WellAgent: StatusServerOwner {
    func writeStatus(at moment: Moment, into document: inout ByteBuffer) {
      document.removeAll()
      document.append("well")
    }
  }

  private final class Client {
    private let connection: Descriptor
    private var answer: [UInt8] = []

    /// Nil where the client would have to wait for its place.
    init?(of state: StateDirectory) {
      do throws(Errno) {
        connection = try connectLocal(
          to: state.path / StateDirectory.statusSocketName, timeout: .milliseconds(1))
      } catch { return nil }
    }

    var isAnswered: Bool {
      var buffer = ByteBuffer(capacity: 16)
      _ = try? connection.read(into: &buffer)
      answer += [UInt8](buffer.bytes)
      return answer == [UInt8]("well".utf8)
    }
  }

  /// The agent has other work between two turns of its loop.
  @Test func aCrowdOfClientsIsAnsweredInPartsAndToTheLast() throws {
    let state = StateDirectory(Path([UInt8](folder.path.utf8)))
    try #require(state.open() == .open)
    let loop = try EventLoop()
    let agent = WellAgent()
    let server = StatusServer(
      in: state, loop: loop, owner: agent, reporter: .withoutEvents(try .least()))
    defer { server.close() }
    var clients: [Client] = []
    while let client = Client(of: state) { clients.append(client) }
    let past = Instant(nanoseconds: 0)
    try loop.turn(until: past)
    let answeredCount = clients.count { $0.isAnswered }
    #expect((1...Int(StatusServer.clientsWaitingMax)).contains(answeredCount))
    // There is room again.
    clients.append(try #require(Client(of: state)))
    for _ in 0..<2 { try loop.turn(until: past) }
    #expect(clients.allSatisfy { $0.isAnswered })
  }
}
