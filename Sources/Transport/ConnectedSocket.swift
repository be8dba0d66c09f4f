import Bytes
import CCurl
import LinuxIO

/// Connection that a CONNECT_ONLY transfer has opened, including TLS and proxies.
///
/// The loop keeps this object alive while it watches it, but not its owner, who calls `stop`.
@safe final class ConnectedSocket {
  enum Progress {
    case bytes(Int)
    /// Nothing can be read or written now.
    case wouldBlock
    /// The peer closed the connection.
    case end
    case failed(InlineText)
  }

  private let loop: EventLoop
  private let easy: EasyHandle
  private unowned(unsafe) var owner: WebSocketConnection?
  private var watch: Watch?
  private var readiness = Readiness.input

  init(
    _ descriptor: Int32, of easy: EasyHandle, loop: EventLoop, owner: WebSocketConnection
  ) throws(Errno) {
    self.loop = loop
    self.easy = easy
    unsafe self.owner = owner
    watch = try loop.watch(descriptor, for: readiness, telling: self)
  }

  /// Ends the watch. Must be called before the connection is closed.
  func stop() {
    unsafe owner = nil
    if let watch { loop.stop(watch) }
    watch = nil
  }

  /// Reads once into the free part of `buffer`, which must not be full. TLS may hold bytes that the
  /// kernel does not know, so only `wouldBlock` means that nothing is left.
  func read(into buffer: inout ByteBuffer) -> Progress {
    precondition(buffer.freeCapacity > 0, "a full buffer would look like the end")
    var result = CURLE_OK
    var count = 0
    buffer.fill { free in
      unsafe free.withUnsafeMutableBytes { free in
        unsafe result = curl_easy_recv(easy.handle, free.baseAddress, free.count, &count)
      }
      return result == CURLE_OK ? count : 0
    }
    return result == CURLE_OK && count == 0 ? .end : Self.progress(result, count)
  }

  func write(_ bytes: Span<UInt8>) -> Progress {
    var result = CURLE_OK
    var count = 0
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe result = curl_easy_send(easy.handle, bytes.baseAddress, bytes.count, &count)
    }
    return Self.progress(result, count)
  }

  private static func progress(_ result: CURLcode, _ count: Int) -> Progress {
    switch result {
    case CURLE_OK: .bytes(count)
    case CURLE_AGAIN: .wouldBlock
    default: .failed(words(for: result))
    }
  }

  /// Sets whether the owner is also called when more can be written.
  func waitForOutput(_ isWaiting: Bool) {
    let wanted: Readiness = isWaiting ? [.input, .output] : .input
    guard wanted != readiness, let watch else { return }
    // The descriptor is registered, so only a lack of memory can fail, and the next call tries
    // again.
    guard (try? loop.change(watch, to: wanted)) != nil else { return }
    readiness = wanted
  }
}

extension ConnectedSocket: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    unsafe owner?.socketReady(readiness)
  }
}
