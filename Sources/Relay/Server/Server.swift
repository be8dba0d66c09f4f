import Bytes
import CHTTPServer
import CLinux

/// A relay that serves: HTTP in, operations for the worker, answers out.
@safe final class Server: @unchecked Sendable {
  private static let connectionCountMax: UInt32 = 1000
  private static let headByteCountMax = 8 * 1024

  /// Time for the last answers, which a client may not take.
  private static let endTimeout: Duration = .seconds(5)

  private enum Phase {
    case serving
    case stopping
    case ending(latest: Instant)
  }

  private let limits: Limits
  private let counters = Counters()
  private let connections: Connections
  private let bell = Bell()
  private let worker: Worker
  private let clocks: Clocks
  private let phase = Mutex(Phase.serving)
  // What follows is used by the thread that serves alone.
  private var daemon: OpaquePointer?
  private var isListening = true
  /// Exchanges for the worker, which gets all of a turn at once.
  private var arrived: [Exchange] = []

  /// Failure of libmicrohttpd, in its words.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(limits: Limits, timeouts: Connections.Timeouts = .init(), clocks: Clocks = .kernel) {
    self.limits = limits
    self.clocks = clocks
    connections = Connections(timeouts)
    worker = Worker(counters, bell)
  }

  /// Prepares to serve what listens on `descriptor`, which belongs to the server then.
  func listen(on descriptor: Int32) throws(Failure) {
    let settings = chttp_limits(
      connections: Self.connectionCountMax, connection_bytes: Self.headByteCountMax)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let started = unsafe chttp_serve(
      descriptor, settings, handleRequest, completeRequest, noteConnection, context)
    guard bell.descriptor >= 0, let daemon = unsafe started else {
      throw Failure(
        description: "libmicrohttpd does not begin: \(systemError())")
    }
    unsafe self.daemon = daemon
  }

  /// Serves in this thread, until `end`.
  func serve() {
    guard let daemon = unsafe daemon else { return }
    while let milliseconds = wait() {
      unsafe chttp_wait(daemon, bell.descriptor, milliseconds)
      for exchange in worker.takeAnswered() { unsafe MHD_resume_connection(exchange.connection) }
      unsafe MHD_run(daemon)
      handArrived()
    }
    unsafe MHD_stop_daemon(daemon)
    unsafe self.daemon = nil
  }

  /// Has the store in this thread, until `stop`.
  func work(_ store: any Store) { worker.run(store, clocks) }

  /// Takes no more connections, and has the worker end once it has performed what came.
  func stop() {
    worker.stop()
    enter(.stopping)
  }

  /// Ends `serve`, once the worker has ended and its answers are sent.
  func end() { enter(.ending(latest: clocks.monotonic() + Self.endTimeout)) }

  private func enter(_ next: Phase) {
    phase.withLock { $0 = next }
    bell.ring()
  }

  /// Milliseconds to wait for something to do; -1 without a limit, nil at the end.
  private func wait() -> Int32? {
    switch phase.withLock({ $0 }) {
    case .serving: return -1
    case .stopping:
      stopListening()
      return -1
    case .ending(let latest):
      stopListening()
      let left = (latest - clocks.monotonic()).nanoseconds / 1_000_000
      return isBusy && left > 0 ? Int32(clamping: left) : nil
    }
  }

  private func stopListening() {
    guard isListening, let daemon = unsafe daemon else { return }
    isListening = false
    let descriptor = unsafe MHD_quiesce_daemon(daemon)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether an answer is on the way.
  var isBusy: Bool { connections.isAnswering }

  /// Ends connections that are too slow.
  func endSlow() { counters.count(slow: connections.endSlow(at: second)) }

  private var second: Int64 { clocks.monotonic().nanoseconds / 1_000_000_000 }

  // MARK: One request

  /// Its head was read: what is wrong with that is answered without its body.
  fileprivate func begin(
    _ route: Route, _ head: Head, _ connection: OpaquePointer,
    _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    unsafe connections.requestBegan(connection, at: second)
    let exchange = unsafe Exchange(route, connection, bodyByteCountMax: limits.bodyByteCountMax)
    unsafe place.pointee = Unmanaged.passRetained(exchange).toOpaque()
    if head.isAmbiguous { return send(.isAmbiguous, to: exchange, closes: true) }
    if head.contentLength > Int64(limits.bodyByteCountMax) {
      return send(.isTooLarge, to: exchange, closes: true)
    }
    if case .wrong(let answer) = route { return send(answer, to: exchange, closes: true) }
    return .YES
  }

  /// Its body is complete: it is answered, or handed to the worker.
  fileprivate func complete(_ exchange: Exchange) -> MHD_Result {
    if exchange.isTooLarge { return send(.isTooLarge, to: exchange, closes: true) }
    if exchange.route == .metrics { return sendMetrics(to: exchange) }
    do {
      guard let operation = try exchange.route.operation(exchange.takeBody()) else {
        return send(
          counters.isStoreWell
            ? .isWell(notificationsADay: limits.notificationsADay) : .isIll, to: exchange)
      }
      hand(operation, of: exchange)
      return .YES
    } catch {
      // What follows may be the rest of its body, if its length was read wrongly.
      return send(error, to: exchange, closes: true)
    }
  }

  private func hand(_ operation: StoreOperation, of exchange: Exchange) {
    exchange.operation = operation
    exchange.state = .waiting
    unsafe connections.requestEnded(exchange.connection)
    unsafe MHD_suspend_connection(exchange.connection)
    arrived.append(exchange)
  }

  private func handArrived() {
    guard !arrived.isEmpty, !worker.take(arrived) else { return arrived.removeAll() }
    for exchange in arrived {
      exchange.state = .answered(.stops)
      unsafe MHD_resume_connection(exchange.connection)
    }
    arrived = []
  }

  fileprivate func send(_ answer: Answer, to exchange: Exchange, closes: Bool = false) -> MHD_Result
  {
    // The worker counts its own.
    if case .receiving = exchange.state, answer.status >= 400 { counters.countRefusal() }
    // Before the client can have it, so that a stop waits for its end.
    unsafe connections.answerBegan(exchange.connection, at: second)
    return unsafe chttp_answer(
      exchange.connection, answer.status, "application/json", answer.body, answer.body.count, closes
    )
  }

  private func sendMetrics(to exchange: Exchange) -> MHD_Result {
    let text = Array(counters.exposition(connections: connections.count).utf8)
    return unsafe chttp_answer(
      exchange.connection, 200, "text/plain; version=0.0.4", text, text.count, false)
  }

  // MARK: Connections

  fileprivate func requestEnded(_ connection: OpaquePointer) {
    unsafe connections.answerEnded(connection, at: second)
  }

  fileprivate func opened(_ connection: OpaquePointer) {
    unsafe connections.opened(connection, chttp_socket(connection), at: second)
  }

  fileprivate func closed(_ connection: OpaquePointer) { unsafe connections.closed(connection) }
}

private func header(_ name: StaticString, of connection: OpaquePointer) -> Text? {
  let value = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, name.utf8Start)
  return unsafe value.map { unsafe Text(cString: $0) }
}

// MARK: Functions that libmicrohttpd calls

private func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context = unsafe context, let connection = unsafe connection, let path = unsafe path,
    let method = unsafe method, let count = unsafe count, let place = unsafe place
  else { return .NO }
  let server = unsafe Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
  guard let kept = unsafe place.pointee else {
    let route = unsafe Route(
      method: Text(cString: method), path: Text(cString: path),
      authorization: header("Authorization", of: connection))
    return unsafe server.begin(route, Head(connection), connection, place)
  }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
  if unsafe count.pointee > 0 {
    unsafe exchange.receive(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
    unsafe count.pointee = 0
    return .YES
  }
  switch exchange.state {
  case .receiving: return server.complete(exchange)
  case .waiting: return .YES
  case .answered(let answer): return server.send(answer, to: exchange)
  }
}

private func completeRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context = unsafe context, let connection = unsafe connection, let place = unsafe place
  else { return }
  if let kept = unsafe place.pointee { unsafe Unmanaged<Exchange>.fromOpaque(kept).release() }
  unsafe place.pointee = nil
  unsafe Unmanaged<Server>.fromOpaque(context).takeUnretainedValue().requestEnded(connection)
}

private func noteConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let context = unsafe context, let connection = unsafe connection else { return }
  let server = unsafe Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
  if what == .CONNECTION_NOTIFY_STARTED {
    unsafe server.opened(connection)
  } else {
    unsafe server.closed(connection)
  }
}
