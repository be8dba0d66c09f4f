import Bytes
import CLinux
import LinuxIO

/// A TCP server on the loopback that does what a test says. It lives on the event loop of the test,
/// so there is no second thread and nothing to wait for.
final class StreamServer: Watcher {
  final class Peer {
    let descriptor: Descriptor
    /// What came and was not taken.
    var input: [UInt8] = []
    fileprivate var watch: Watch?
    fileprivate var output: [UInt8] = []
    /// Sent again and again once `output` is.
    fileprivate var refill: [UInt8] = []
    fileprivate var isClosing = false
    fileprivate var isReading = true

    fileprivate init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  let port: UInt16
  private(set) var peers: [Int32: Peer] = [:]
  private(set) var connectionCount = 0
  /// Connections that the other side closed.
  private(set) var hangUpCount = 0
  private(set) var sentByteCount = 0
  /// Called when there is more in a peer's `input`.
  var received: (Peer) -> Void = { _ in }

  private let loop: EventLoop
  private let listener: Descriptor
  private var watch: Watch?

  /// Takes a free port, which refuses every connection where `isListening` is false.
  init(loop: EventLoop, isListening: Bool = true) throws(Errno) {
    self.loop = loop
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw Errno(code: clinux_errno()) }
    listener = Descriptor(owning: number)
    port = try Self.bind(number)
    guard isListening else { return }
    guard listen(number, 8) == 0 else { throw Errno(code: clinux_errno()) }
    watch = try loop.watch(number, for: .input, telling: self)
  }

  /// The loop keeps its watchers, so a test ends its server.
  func stop() {
    closeAllConnections()
    if let watch { loop.stop(watch) }
    received = { _ in }
  }

  // MARK: What a test says

  func send(_ bytes: [UInt8], to peer: Peer) {
    peer.output += bytes
    write(to: peer)
  }

  func sendEndlessly(_ bytes: [UInt8], to peer: Peer) {
    peer.refill = bytes
    write(to: peer)
  }

  /// Closes the connection once all is sent.
  func close(_ peer: Peer) {
    peer.isClosing = true
    write(to: peer)
  }

  func closeAllConnections() { for number in [Int32](peers.keys) { forget(number) } }

  /// Whether what comes is read; otherwise it stays where it is until the other side is stuck.
  func setReading(_ isReading: Bool, from peer: Peer) {
    peer.isReading = isReading
    updateWatch(of: peer)
  }

  // MARK: The event loop's side

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    guard let peer = peers[descriptor] else { return accept() }
    if readiness.contains(.output) { write(to: peer) } else { read(from: peer) }
  }

  private func accept() {
    let number = unsafe accept4(
      listener.number, __SOCKADDR_ARG(), nil, Int32(SOCK_NONBLOCK.rawValue))
    guard number >= 0 else { return }
    connectionCount += 1
    let peer = Peer(Descriptor(owning: number))
    peers[number] = peer
    peer.watch = try? loop.watch(number, for: .input, telling: self)
  }

  private func read(from peer: Peer) {
    var buffer = ByteBuffer(capacity: 64 * 1024)
    guard case .bytes? = try? peer.descriptor.read(into: &buffer) else {
      hangUpCount += 1
      return forget(peer.descriptor.number)
    }
    peer.input += [UInt8](buffer.bytes)
    received(peer)
  }

  private func write(to peer: Peer) {
    let number = peer.descriptor.number
    guard peers[number] === peer else { return }
    if peer.output.isEmpty { peer.output = peer.refill }
    // Without a signal where the other side has gone, which would end the test.
    let sent = unsafe CLinux.send(number, peer.output, peer.output.count, Int32(MSG_NOSIGNAL))
    guard sent >= 0 || clinux_errno() == EAGAIN else {
      hangUpCount += 1
      return forget(number)
    }
    sentByteCount += max(sent, 0)
    peer.output.removeFirst(max(sent, 0))
    if peer.output.isEmpty, peer.isClosing { return forget(number) }
    updateWatch(of: peer)
  }

  private func updateWatch(of peer: Peer) {
    guard let watch = peer.watch else { return }
    var readiness = Readiness()
    if peer.isReading { readiness.insert(.input) }
    if !peer.output.isEmpty || !peer.refill.isEmpty { readiness.insert(.output) }
    try? loop.change(watch, to: readiness)
  }

  private func forget(_ number: Int32) {
    guard let peer = peers.removeValue(forKey: number) else { return }
    if let watch = peer.watch { loop.stop(watch) }
    peer.watch = nil
    // Others may hold the peer; the connection ends here.
    shutdown(number, Int32(SHUT_RDWR))
  }

  /// Binds a socket to an address of the loopback. Returns the port.
  static func bind(
    _ number: Int32, to host: UInt32 = 0x7F00_0001, port: UInt16 = 0
  ) throws(Errno) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe CLinux.bind(
        number, __CONST_SOCKADDR_ARG(__sockaddr_in__: UnsafePointer(address)), size) == 0
        && getsockname(number, __SOCKADDR_ARG(__sockaddr_in__: address), &size) == 0
    }
    guard isBound else { throw Errno(code: clinux_errno()) }
    return UInt16(bigEndian: address.sin_port)
  }
}
