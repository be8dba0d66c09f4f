import Bytes
import CLinux
import Testing

@testable import LinuxIO

@Suite struct MulticastSocketTests {
  /// A group for documentation and examples (RFC 5771, 6: MCAST-TEST-NET).
  private static let group: InlineArray<4, UInt8> = [233, 252, 0, 1]

  /// Answers the first that asks the group over the loopback interface.
  private final class Responder {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let port: UInt16

    init() throws {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      var membership = ip_mreqn()
      membership.imr_multiaddr.s_addr = UInt32(0xE9FC_0001).bigEndian
      membership.imr_ifindex = Int32(unsafe if_nametoindex("lo"))
      var timeout = timeval(tv_sec: 10, tv_usec: 0)
      let number = descriptor
      let isReady = unsafe withUnsafeMutablePointer(to: &name) { name in
        unsafe bind(number, __CONST_SOCKADDR_ARG(__sockaddr_in__: name), size) == 0
          && getsockname(number, __SOCKADDR_ARG(__sockaddr_in__: name), &size) == 0
          && setsockopt(
            number, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &membership,
            socklen_t(MemoryLayout<ip_mreqn>.size)) == 0
          && setsockopt(
            number, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size)) == 0
      }
      guard isReady else { throw Errno(code: clinux_errno()) }
      port = UInt16(bigEndian: name.sin_port)
    }

    deinit { close(descriptor) }

    /// Waits for a datagram, and sends it back with `greeting` before it.
    func answer(_ greeting: [UInt8]) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 2000)
      var sender = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let number = descriptor
      let count = unsafe withUnsafeMutablePointer(to: &sender) { sender in
        unsafe recvfrom(
          number, &bytes, bytes.count, 0, __SOCKADDR_ARG(__sockaddr_in__: sender), &size)
      }
      guard count >= 0 else { return [] }
      let asked = [UInt8](bytes[..<count])
      let answer = greeting + asked
      _ = unsafe withUnsafePointer(to: &sender) { sender in
        unsafe sendto(
          number, answer, answer.count, 0, __CONST_SOCKADDR_ARG(__sockaddr_in__: sender), size)
      }
      return asked
    }
  }

  @Test func aSenderInTheGroupIsHeard() throws {
    let responder = try Responder()
    let socket = try MulticastSocket()
    var buffer = ByteBuffer(capacity: 2000)
    let isEarly = try socket.receive(into: &buffer)
    #expect(!isEarly, "nothing was asked yet")
    let question = [UInt8]("who is there".utf8)
    try socket.send(question.span, to: Self.group, port: responder.port)
    #expect(responder.answer([UInt8]("me: ".utf8)) == question)

    try wait(for: .input, of: socket.number)
    let isThere = try socket.receive(into: &buffer)
    #expect(isThere)
    #expect([UInt8](buffer.bytes) == [UInt8]("me: who is there".utf8))
  }

  /// An index that no interface has, as of one that was unplugged meanwhile.
  private static let missing = UInt32(Int32.max)

  @Test(arguments: [false, true])
  func anInterfaceThatFailsHidesNoOther(isFirst: Bool) throws {
    let responder = try Responder()
    let socket = try MulticastSocket()
    let loopback = unsafe if_nametoindex("lo")
    let question = [UInt8]("who is there".utf8)
    let count = try socket.send(
      question.span, to: Self.group, port: responder.port,
      outOf: isFirst ? [Self.missing, loopback] : [loopback, Self.missing])
    #expect(count == 1)
    #expect(responder.answer([]) == question)
  }

  @Test func thatEveryInterfaceFailsIsAnError() throws {
    let socket = try MulticastSocket()
    #expect(throws: Errno.self) {
      try socket.send([1].span, to: Self.group, port: 9, outOf: [Self.missing])
    }
  }
}
