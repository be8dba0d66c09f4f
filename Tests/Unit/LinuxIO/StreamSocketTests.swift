import Bytes
import CLinux
import LinuxIO
import Testing

@Suite struct StreamSocketTests {
  /// A socket that listens on a loopback address, or nil where the machine has none of the kind.
  private final class Listener {
    let descriptor: Int32
    let port: UInt16

    init?(_ family: Int32) throws {
      descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(family)
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      if family == AF_INET6 {
        name.sin6_addr = in6addr_loopback
      } else {
        // The fields of sockaddr_in: the address stands where the flow information is.
        name.sin6_flowinfo = UInt32(0x7F00_0001).bigEndian
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
      }
      let number = descriptor
      let isListening = unsafe withUnsafeMutablePointer(to: &name) { name in
        unsafe bind(number, __CONST_SOCKADDR_ARG(__sockaddr_in6__: name), size) == 0
          && listen(number, 4) == 0
          && getsockname(number, __SOCKADDR_ARG(__sockaddr_in6__: name), &size) == 0
      }
      port = UInt16(bigEndian: name.sin6_port)
      guard isListening else { return nil }
    }

    deinit { close(descriptor) }
  }

  /// How the attempt to connect has ended.
  private func outcome(_ host: String, _ port: UInt16) throws -> Errno? {
    let descriptor: Descriptor
    do throws(Errno) {
      guard let connecting = try connectStream(host: [UInt8](host.utf8), port: port) else {
        throw .invalidArgument
      }
      descriptor = connecting
    } catch {
      return error
    }
    try wait(for: .output, of: descriptor.number)
    return descriptor.connectionError()
  }

  @Test(arguments: ["127.0.0.1", "localhost", "::ffff:127.0.0.1"])
  func aNumericAddressIsConnectedTo(host: String) throws {
    let listener = try #require(try Listener(AF_INET))
    #expect(try outcome(host, listener.port) == nil)
  }

  @Test func anAddressOfIPv6IsConnectedTo() throws {
    guard let listener = try Listener(AF_INET6) else {
      try Test.cancel("this machine has no IPv6")
    }
    #expect(try outcome("::1", listener.port) == nil)
  }

  @Test func aPortWithoutAListenerIsRefused() throws {
    let port = try #require(try Listener(AF_INET)).port
    #expect(try outcome("127.0.0.1", port) == .connectionRefused)
  }

  @Test func aPeerThatSaysNothingIsQuietAndOneThatSpeaksIsNot() throws {
    let (own, peer) = try makeSocketPair()
    defer { close(own) }
    defer { close(peer) }
    #expect(isQuiet(socket: own))
    #expect(unsafe write(peer, "a", 1) == 1)
    #expect(!isQuiet(socket: own))
    #expect(!isQuiet(socket: own), "what it said is still there")
  }

  @Test(arguments: [false, true])
  func aPeerThatEndedTheConnectionIsNotQuiet(isReset: Bool) throws {
    let (own, peer) = try makeSocketPair()
    defer { close(own) }
    // What the peer leaves unread makes the end a reset.
    if isReset { #expect(unsafe write(own, "a", 1) == 1) }
    close(peer)
    #expect(!isQuiet(socket: own))
  }

  @Test(arguments: [
    "gpsd.local", "boat", "", " ", "127.0.0.1:2947", "[::1]", "127.0.0.256", "::1::", "LOCALHOST",
  ])
  func aNameIsNotLookedUp(host: String) throws {
    let isRefused = try connectStream(host: [UInt8](host.utf8), port: 2947) == nil
    #expect(isRefused)
  }
}
