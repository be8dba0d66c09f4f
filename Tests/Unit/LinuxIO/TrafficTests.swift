import CLinux
import Testing

@testable import LinuxIO

/// What a data plan counts.
@Suite struct TrafficTests {
  /// A connection to a server here, which a test's own sockets make: where it begins, and where it
  /// ends.
  private func connection(_ family: Int32) throws -> (client: Int32, server: Int32) {
    let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 1) == 0)
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let client = Traffic.openSocket(family, Int32(SOCK_STREAM.rawValue), 0)
    let connected = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(listener, __SOCKADDR_ARG(__sockaddr__: address), &size) == 0
          && connect(client, __CONST_SOCKADDR_ARG(__sockaddr__: address), size) == 0
      }
    }
    try #require(connected)
    return (client, unsafe accept(listener, __SOCKADDR_ARG(__sockaddr__: nil), nil))
  }

  private func carry(_ count: Int, from sender: Int32, to receiver: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0x78, count: count)
    return unsafe send(sender, bytes, count, 0) == count
      && recv(receiver, &bytes, count, Int32(MSG_WAITALL)) == count
  }

  /// IP and TCP have heads of 52 bytes, or of 72.
  @Test(arguments: [(AF_INET, 52), (AF_INET6, 72)] as [(Int32, UInt64)])
  func bytesAndHeadsCount(family: Int32, head: UInt64) throws {
    let (client, server) = try connection(family)
    defer { close(server) }
    #expect(carry(1000, from: client, to: server) && carry(3000, from: server, to: client))
    let carried = clinux_traffic_of(client)
    #expect(carried.sent > 1000 && (carried.sent - 1000) % head == 0, "\(carried.sent)")
    #expect(
      carried.received > 3000 && (carried.received - 3000) % head == 0, "\(carried.received)")
    #expect(Traffic.closeSocket(client) == 0)
  }

  /// Other tests make connections at the same time, which carry less.
  @Test func whatWasCarriedIsInTheSumOnceAlsoAfterTheEnd() throws {
    let (client, server) = try connection(AF_INET)
    defer { close(server) }
    let (count, bulk) = (64 * 1024, Int64(64 << 20))
    let before = Traffic.ofThisProcess
    #expect((0..<1024).allSatisfy { _ in carry(count, from: client, to: server) })
    let open = Traffic.ofThisProcess.sentByteCount - before.sentByteCount
    #expect(Traffic.closeSocket(client) == 0)
    let closed = Traffic.ofThisProcess.sentByteCount - before.sentByteCount
    #expect((bulk..<bulk * 3 / 2).contains(open), "\(open)")
    #expect((bulk..<bulk * 3 / 2).contains(closed), "\(closed)")
  }

  @Test func whatIsNoConnectionOfTCPCarriesNothing() {
    let socket = Traffic.openSocket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    for descriptor in [socket, -1] {
      let carried = clinux_traffic_of(descriptor)
      #expect(carried.sent == 0 && carried.received == 0)
    }
    #expect(Traffic.closeSocket(socket) == 0)
    #expect(Traffic.closeSocket(-1) == -1)
  }

  @Test func moreThanAreCountedAreSocketsAllTheSame() {
    let sockets = (0..<80).map { _ in Traffic.openSocket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    #expect(sockets.allSatisfy { $0 >= 0 })
    #expect(sockets.allSatisfy { Traffic.closeSocket($0) == 0 })
  }
}
