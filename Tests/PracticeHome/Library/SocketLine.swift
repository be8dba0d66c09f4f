import CMicroHTTPD
import Synchronization

/// The connection under one WebSocket. Any thread may send; one thread runs it.
final class SocketLine: Sendable {
  /// How long a client may take to close its side, once it was told goodbye.
  static let farewellLimit = Duration.milliseconds(500)
  /// More than this waiting to be taken means that the client does not read.
  static let backlogByteCountMax = 64 << 20

  private enum End: Equatable {
    /// Everything goes out first.
    case afterLastByte
    case atOnce
  }

  private struct Outgoing {
    var bytes: [UInt8] = []
    var end: End?
  }

  private let descriptor: Int32
  private let bell = Bell()
  private let outgoing = Mutex(Outgoing())
  /// Given when the connection is closed and its thread is free.
  let ended = StopSignal()

  init(descriptor: Int32) {
    self.descriptor = descriptor
    practice_prepare_socket(descriptor)
  }

  // MARK: Sending

  func send(_ dispatch: Dispatch) {
    switch dispatch {
    case .message(let message): write(FrameWriter.frame(.text, message.bytes))
    case .ping: write(FrameWriter.frame(.ping))
    case .close(let code):
      write(FrameWriter.close(code))
      end(.afterLastByte)
    case .drop: end(.atOnce)
    }
  }

  func write(_ frame: [UInt8]) {
    outgoing.withLock { outgoing in
      guard outgoing.end == nil else { return }
      outgoing.bytes += frame
      if outgoing.bytes.count > Self.backlogByteCountMax { outgoing.end = .atOnce }
    }
    bell.ring()
  }

  private func end(_ end: End) {
    outgoing.withLock { $0.end = end }
    bell.ring()
  }

  /// Hands over as much as the connection takes now.
  private func flush() {
    outgoing.withLock { outgoing in
      let count = unsafe outgoing.bytes.withUnsafeBytes { bytes in
        unsafe practice_send(descriptor, bytes.baseAddress, bytes.count)
      }
      if count > 0 { outgoing.bytes.removeFirst(count) }
      if count < 0 { outgoing.end = .atOnce }
    }
  }

  // MARK: Running

  /// Carries frames to and fro until one of the sides had enough.
  ///
  /// - Parameters:
  ///   - host: whose home this is.
  ///   - early: what the client sent before it was answered.
  func run(_ host: Host, early: [UInt8]) {
    guard let id = host.join(self) else { return }
    defer { host.left(id) }
    var reader = FrameReader()
    reader.append(early)
    take(&reader, host, id)
    while true {
      let (isPending, end) = outgoing.withLock { (!$0.bytes.isEmpty, $0.end) }
      if end == .atOnce { return }
      if end == .afterLastByte && !isPending { return sayFarewell() }
      let (canRead, canWrite) = wait(isPending: isPending, atMost: host.rest)
      if canWrite { flush() }
      if canRead {
        guard let bytes = read() else { return }
        reader.append(bytes)
        take(&reader, host, id)
      }
      host.advance()
    }
  }

  private func take(_ reader: inout FrameReader, _ host: Host, _ id: Int) {
    do throws(FrameReader.Violation) {
      while outgoing.withLock({ $0.end }) == nil, let incoming = try reader.next() {
        host.received(incoming, on: id)
      }
    } catch { host.violated(error, on: id) }
  }

  private func wait(
    isPending: Bool, atMost limit: Duration?
  ) -> (canRead: Bool, canWrite: Bool) {
    let wish = POLLIN | (isPending ? POLLOUT : 0)
    var entries = [
      pollfd(fd: descriptor, events: Int16(wish), revents: 0),
      pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map(StopSignal.milliseconds) ?? -1
    guard unsafe poll(&entries, 2, milliseconds) > 0 else { return (false, false) }
    if entries[1].revents != 0 { bell.silence() }
    let events = Int32(entries[0].revents)
    return (events & ~POLLOUT != 0, events & POLLOUT != 0)
  }

  /// What is here, perhaps nothing; nil at the end.
  private func read() -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe practice_receive(descriptor, &buffer, buffer.count)
    return count < 0 ? nil : buffer.prefix(count)
  }

  /// Reads on until the client closes: to close first would lose it what was just sent.
  private func sayFarewell() {
    shutdown(descriptor, Int32(SHUT_WR))
    let end = ContinuousClock.now + Self.farewellLimit
    while case let rest = end - ContinuousClock.now, rest > .zero {
      if wait(isPending: false, atMost: rest).canRead, read() == nil { return }
    }
  }
}
