import CHTTPServer
import Synchronization

/// Request and its answer. The server's threads hand it to the worker and take it back: it
/// belongs to one of them at a time.
@safe final class Exchange: @unchecked Sendable {
  enum State {
    /// Its body comes in.
    case receiving
    /// The worker has it.
    case waiting
    case answered(Answer)
  }

  let route: Route
  let connection: OpaquePointer
  private let bodyByteCountMax: Int
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  var state = State.receiving
  /// Work for the store; nil while the body comes in.
  var operation: StoreOperation?

  init(_ route: Route, _ connection: OpaquePointer, bodyByteCountMax: Int) {
    self.route = route
    unsafe self.connection = connection
    self.bodyByteCountMax = bodyByteCountMax
  }

  /// Takes a part of the body. Of one that is too large nothing is kept.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isTooLarge, bytes.count <= bodyByteCountMax - body.count else {
      isTooLarge = true
      body = []
      return
    }
    unsafe body += bytes
  }
}

/// Connections that are open, and since when each has a request that is not complete. What comes a
/// byte at a time would keep its place for ever: the library sees only that something comes.
final class Connections: Sendable {
  private struct Open {
    let descriptor: Int32
    /// Second in which its request began.
    var began: Int64
  }

  private let open = Mutex<[UInt: Open]>([:])

  func opened(_ connection: OpaquePointer, _ descriptor: Int32, at second: Int64) {
    let place = UInt(bitPattern: connection)
    open.withLock { $0[place] = Open(descriptor: descriptor, began: second) }
  }

  func closed(_ connection: OpaquePointer) {
    let place = UInt(bitPattern: connection)
    open.withLock { _ = $0.removeValue(forKey: place) }
  }

  /// The next request of a connection may begin.
  func completed(_ connection: OpaquePointer, at second: Int64) {
    let place = UInt(bitPattern: connection)
    open.withLock { $0[place]?.began = second }
  }

  var count: Int { open.withLock { $0.count } }

  /// Ends connections whose request takes longer than `seconds`; returns their number. A descriptor
  /// is not closed here, so that it cannot belong to another connection yet.
  func endSlow(at second: Int64, after seconds: Int64) -> Int {
    open.withLock { open in
      var ended = 0
      for (place, connection) in open where second - connection.began > seconds {
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        open[place]?.began = second
        ended += 1
      }
      return ended
    }
  }
}
