import Bytes
import CLinux
import LinuxIO
import Testing

/// A peer on a loopback socket that says what the test tells it to, in the loop of the driver.
final class FakeGPSD: Watcher {
  private let loop: EventLoop
  private var listener: Descriptor?
  private var listening: Watch?
  private var connection: Descriptor?
  private var watch: Watch?
  let port: UInt16
  /// What the driver has said on the present connection.
  private(set) var heard = ""
  private(set) var connectionCount = 0
  var isConnected: Bool { connection != nil }

  init(loop: EventLoop) throws {
    self.loop = loop
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    listener = Descriptor(owning: number)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &name) { name -> Int32 in
      let constant = unsafe __CONST_SOCKADDR_ARG(__sockaddr_in__: name)
      guard unsafe bind(number, constant, size) == 0, listen(number, 4) == 0 else { return -1 }
      return unsafe getsockname(number, __SOCKADDR_ARG(__sockaddr_in__: name), &size)
    }
    guard result == 0 else { throw Errno(code: clinux_errno()) }
    port = UInt16(bigEndian: name.sin_port)
    listening = try loop.watch(number, for: .input, telling: self)
  }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    if descriptor == listener?.number { accept() } else { hear() }
  }

  func say(_ text: String) throws {
    let number = connection?.number
    let connection = try #require(number)
    var rest = [UInt8](text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Errno(code: clinux_errno()) }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the connection in good order.
  func hangUp() {
    if let watch { loop.stop(watch) }
    watch = nil
    connection = nil
  }

  /// Ends the connection as a machine does that crashed and came back.
  func reset() throws {
    let number = connection?.number
    let connection = try #require(number)
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    try #require(unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, size) == 0)
    hangUp()
  }

  /// Leaves the port.
  func shutDown() {
    hangUp()
    if let listening { loop.stop(listening) }
    listener = nil
  }

  private func accept() {
    guard let listener = listener?.number else { return }
    let number = unsafe accept4(
      listener, __SOCKADDR_ARG(__sockaddr__: nil), nil,
      Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
    guard number >= 0 else { return }
    hangUp()
    connection = Descriptor(owning: number)
    // TCP_NODELAY of netinet/tcp.h: what is said has arrived when `say` returns.
    var option: Int32 = 1
    _ = unsafe setsockopt(number, Int32(IPPROTO_TCP), 1, &option, 4)
    heard = ""
    connectionCount += 1
    watch = try? loop.watch(number, for: .input, telling: self)
  }

  private func hear() {
    var buffer = ByteBuffer(capacity: 1024)
    guard case .bytes = try? connection?.read(into: &buffer) else { return hangUp() }
    heard += String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
  }
}

extension EventLoop {
  /// Turns until `condition` holds. The limit only ends a test that has failed.
  func turn(until condition: () -> Bool) throws {
    let limit = Moment.now.instant + .seconds(20)
    while !condition() {
      try #require(Moment.now.instant < limit, "what the test waits for does not come")
      try turn(until: limit)
    }
  }
}
