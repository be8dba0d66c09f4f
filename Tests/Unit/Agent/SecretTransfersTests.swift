import Bytes
import CLinux
import Foundation
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
    let server = try SlowServer(loop: loop)
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
      while server.requestCount < number, asker.results.isEmpty {
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
    #expect(server.requestCount == 2)
  }
}

/// A server on the loop of the test that answers 201.
private final class SlowServer: Watcher {
  let port: UInt16
  private(set) var requestCount = 0
  /// Takes requests and answers none.
  var isSilent = false

  private let loop: EventLoop
  private let listener: Descriptor
  private var watches: [Int32: Watch] = [:]
  private var peers: [Int32: Peer] = [:]

  private final class Peer {
    let descriptor: Descriptor
    var input = ""

    init(owning number: Int32) { descriptor = Descriptor(owning: number) }
  }

  init(loop: EventLoop) throws {
    self.loop = loop
    let (number, port) = boundSocket(isShared: false)
    self.port = port
    listener = Descriptor(owning: number)
    guard fcntl(number, F_SETFL, O_NONBLOCK) == 0, listen(number, 8) == 0 else {
      throw Errno(code: clinux_errno())
    }
    watches[number] = try loop.watch(number, for: .input, telling: self)
  }

  /// The loop keeps its watchers, so a test ends its server.
  func stop() {
    for watch in watches.values { loop.stop(watch) }
    watches = [:]
    peers = [:]
  }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    guard let peer = peers[descriptor] else { return accept() }
    var buffer = ByteBuffer(capacity: 64 * 1024)
    guard case .bytes? = try? peer.descriptor.read(into: &buffer) else {
      if let watch = watches.removeValue(forKey: descriptor) { loop.stop(watch) }
      peers[descriptor] = nil
      return
    }
    peer.input += String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
    answer(peer)
  }

  private func accept() {
    let number = unsafe accept4(
      listener.number, __SOCKADDR_ARG(), nil, Int32(SOCK_NONBLOCK.rawValue))
    guard number >= 0 else { return }
    peers[number] = Peer(owning: number)
    watches[number] = try? loop.watch(number, for: .input, telling: self)
  }

  /// Answers a request that is whole: each of them has a body.
  private func answer(_ peer: Peer) {
    guard let end = peer.input.range(of: "\r\n\r\n"), end.upperBound < peer.input.endIndex else {
      return
    }
    peer.input = ""
    requestCount += 1
    guard !isSilent else { return }
    let bytes = [UInt8](
      "HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".utf8)
    _ = try? peer.descriptor.send(bytes.span)
  }
}
