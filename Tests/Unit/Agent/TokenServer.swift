import Bytes
import CLinux
import Foundation
import LinuxIO

/// A home on the loop of the test that gives access tokens and registrations.
final class TokenServer: Watcher {
  let port: UInt16
  /// The first line of each request, in order.
  private(set) var requests: [String] = []
  /// Takes requests and answers none.
  var isSilent = false
  /// The status of every answer; nil for what suits the request.
  var status: Int?
  /// Called after each answer.
  var answered: () -> Void = {}

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
    answered = {}
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
    let line = String(peer.input.prefix { $0 != "\r\n" })
    peer.input = ""
    requests.append(line)
    guard !isSilent else { return }
    let body =
      line.contains("/auth/token")
      ? #"{"access_token":"access","token_type":"Bearer","expires_in":1800}"#
      : #"{"webhook_id":"0f33","secret":"\#(String(repeating: "ab", count: 32))"}"#
    let status = status ?? (line.contains("/auth/token") ? 200 : 201)
    let head =
      "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
    let bytes = [UInt8]("\(head)\r\n\r\n\(body)".utf8)
    _ = unsafe CLinux.send(peer.descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    answered()
  }
}
