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
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw Errno(code: clinux_errno()) }
    listener = Descriptor(owning: number)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe bind(number, __CONST_SOCKADDR_ARG(__sockaddr_in__: UnsafePointer(address)), size) == 0
        && getsockname(number, __SOCKADDR_ARG(__sockaddr_in__: address), &size) == 0
    }
    guard isBound, listen(number, 8) == 0 else { throw Errno(code: clinux_errno()) }
    port = UInt16(bigEndian: address.sin_port)
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
