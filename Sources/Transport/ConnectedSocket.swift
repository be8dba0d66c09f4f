import Bytes
import CCurl
import LinuxIO

/// Who is told about a `ConnectedSocket`.
protocol ConnectedSocketOwner: AnyObject {
  func socketReady(_ readiness: Readiness)
}

/// The connection that a CONNECT_ONLY transfer has made, TLS and proxies included.
///
/// The loop keeps this object as long as it watches it, and not its owner, who calls `stop`.
@safe final class ConnectedSocket {
  enum Progress {
    case bytes(Int)
    /// Not now.
    case wouldBlock
    /// The other side ended the connection.
    case end
    case failed(InlineText)
  }

  private let loop: EventLoop
  private let easy: EasyHandle
  private unowned(unsafe) var owner: (any ConnectedSocketOwner)?
  private var watch: Watch?
  private var readiness = Readiness.input

  init(
    _ descriptor: Int32, of easy: EasyHandle, loop: EventLoop, owner: any ConnectedSocketOwner
  ) throws(Errno) {
    self.loop = loop
    self.easy = easy
    unsafe self.owner = owner
    watch = try loop.watch(descriptor, for: readiness, telling: self)
  }

  /// Before the connection is closed.
  func stop() {
    unsafe owner = nil
    if let watch { loop.stop(watch) }
    watch = nil
  }

  /// Reads once into the free part of `buffer`, which has one. TLS may hold more than the kernel
  /// knows of: only `wouldBlock` says that nothing is left.
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

  /// Whether the owner is also told when more can be written.
  func waitForOutput(_ isWaiting: Bool) {
    let wanted: Readiness = isWaiting ? [.input, .output] : .input
    guard wanted != readiness, let watch else { return }
    // The descriptor is in the set: what remains is out of memory, and then the next call tries
    // it again.
    guard (try? loop.change(watch, to: wanted)) != nil else { return }
    readiness = wanted
  }
}

extension ConnectedSocket: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    unsafe owner?.socketReady(readiness)
  }
}
