import Bytes
import CLinux
import LinuxIO
import Testing

/// Questions to the kernel of this machine about its loopback interface, which every machine has.
@Suite struct NetlinkSocketTests {
  private static let getLink: UInt8 = 18
  private static let newLink: UInt8 = 16

  /// `RTM_GETLINK` for interface 1.
  private func question(sequence: UInt8) -> ByteBuffer {
    var question = ByteBuffer(capacity: 32)
    question.append([32, 0, 0, 0, Self.getLink, 0, 1, 0, sequence, 0, 0, 0, 0, 0, 0, 0])
    question.append([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    return question
  }

  @Test func theKernelAnswersAtOnceToWhoAsked() throws {
    let socket = try NetlinkSocket.route()
    let other = try NetlinkSocket.route()
    #expect(socket.port != 0)
    #expect(socket.port != other.port)
    var buffer = ByteBuffer(capacity: 16 * 1024)
    #expect(try socket.receive(into: &buffer) == .wouldBlock, "nothing was asked yet")

    try socket.send(question(sequence: 7))
    #expect(try socket.receive(into: &buffer) == .datagram)
    let answer = [UInt8](buffer.bytes)
    #expect(answer[4] == Self.newLink)
    #expect(answer[8] == 7)
    #expect(answer[12..<16].reversed().reduce(0) { $0 << 8 | UInt32($1) } == socket.port)
    let name: [UInt8] = [7, 0, 3, 0] + [UInt8]("lo".utf8) + [0]
    #expect(answer.indices.contains { answer[$0...].starts(with: name) })
    #expect(try socket.receive(into: &buffer) == .wouldBlock)
    #expect(try other.receive(into: &buffer) == .wouldBlock)
  }

  @Test func aDatagramThatDoesNotFitIsNotTakenForAWholeOne() throws {
    let socket = try NetlinkSocket.route()
    var buffer = ByteBuffer(capacity: 64)
    try socket.send(question(sequence: 1))
    #expect(try socket.receive(into: &buffer) == .truncated)
    let count = buffer.count
    #expect(count == 64)
    #expect(try socket.receive(into: &buffer) == .wouldBlock, "the rest is gone")
  }

  @Test func whatTheSocketCouldNotKeepIsSaid() throws {
    let socket = try NetlinkSocket.route()
    for _ in 0..<2000 { try socket.send(question(sequence: 1)) }
    var buffer = ByteBuffer(capacity: 16 * 1024)
    #expect(try socket.receive(into: &buffer) == .overrun)
    #expect(try socket.receive(into: &buffer) == .datagram, "what it kept is still there")
  }

  @Test func aGroupThatThereIsNotCannotBeJoined() throws {
    let route = try NetlinkSocket.route()
    try route.join(group: 1)
    try route.leave(group: 1)
    #expect(throws: Errno.invalidArgument) { try route.join(group: 1_000_000) }
    let generic = try NetlinkSocket.generic()
    #expect(throws: Errno.invalidArgument) { try generic.join(group: 1_000_000) }
  }

  // Only root may announce anything.
  @Test(.enabled(if: geteuid() == 0)) func aGroupIsHeardFromJoiningToLeaving() throws {
    let socket = try NetlinkSocket.route()
    let stranger = try NetlinkSocket.route()
    // RTNLGRP_PHONET_IFADDR: of a network that no machine has any more.
    let group: UInt32 = 21
    var buffer = ByteBuffer(capacity: 1024)
    for (isMember, heard) in [
      (false, NetlinkSocket.Received.wouldBlock), (true, .nothingOfTheKernel), (false, .wouldBlock),
    ] {
      try isMember ? socket.join(group: group) : socket.leave(group: group)
      try Self.lie(from: stranger.number, port: 0, groups: 1 << (group - 1))
      #expect(try socket.receive(into: &buffer) == heard)
    }
  }

  /// Sends what the kernel would send, from a socket that is not the kernel's.
  private static func lie(from stranger: Int32, port: UInt32, groups: UInt32) throws {
    // struct sockaddr_nl: family, padding, port, groups.
    let address: [UInt32] = [UInt32(AF_NETLINK), port, groups]
    let lie = [UInt8](repeating: 0, count: 20)
    let sent = unsafe address.withUnsafeBytes { address in
      unsafe sendto(
        stranger, lie, lie.count, 0,
        __CONST_SOCKADDR_ARG(
          __sockaddr__: address.baseAddress?.assumingMemoryBound(to: sockaddr.self)),
        socklen_t(address.count))
    }
    guard sent == lie.count else { throw Errno(code: clinux_errno()) }
  }

  // Only root may write to the sockets of others.
  @Test(.enabled(if: geteuid() == 0)) func onlyTheKernelIsBelieved() throws {
    let socket = try NetlinkSocket.route()
    let stranger = try NetlinkSocket.route()
    try Self.lie(from: stranger.number, port: socket.port, groups: 0)
    var buffer = ByteBuffer(capacity: 1024)
    #expect(try socket.receive(into: &buffer) == .nothingOfTheKernel)
    #expect(try socket.receive(into: &buffer) == .wouldBlock)
  }
}
