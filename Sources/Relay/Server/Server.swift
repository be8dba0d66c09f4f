import Bytes
import CHTTPServer
import Glibc

/// A relay that serves: HTTP in, operations for the worker, answers out.
@safe public final class Server: @unchecked Sendable {
  /// Limits of what a stranger may take.
  struct Patience {
    var connections: UInt32 = 1000
    /// Time after which a connection ends that has no request, or one that is not complete.
    var seconds: UInt32 = 60
    var headerByteCountMax = 16 * 1024
  }

  let limits: Limits
  let counters = Counters()
  let connections = Connections()
  private let worker: Worker
  private let patience: Patience
  private var daemon: OpaquePointer?

  /// Failure of a server to begin.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  init(limits: Limits, patience: Patience = Patience()) {
    self.limits = limits
    self.patience = patience
    worker = Worker(counters)
  }

  /// Serves what listens on `descriptor`.
  func begin(on descriptor: Int32, threads: Int) throws(Failure) {
    let settings = chttp_limits(
      threads: UInt32(threads), connections: patience.connections,
      idle_seconds: patience.seconds, connection_bytes: patience.headerByteCountMax)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let started = unsafe chttp_serve(
      descriptor, settings, handleRequest, completeRequest, noteConnection, context)
    guard let daemon = unsafe started else {
      throw Failure(
        description: "libmicrohttpd does not begin: \(unsafe String(cString: strerror(errno)))")
    }
    unsafe self.daemon = daemon
  }

  /// Has the store in this thread, until `stop`.
  func work(_ store: any Store, clock: () -> WallTime) { worker.run(store, clock: clock) }

  /// Takes no more connections, answers what has come, and ends.
  func stop() {
    guard let daemon = unsafe daemon else { return }
    unsafe MHD_quiesce_daemon(daemon)
    worker.stop()
  }

  /// Ends the server's threads, once the worker has ended.
  func end() {
    if let daemon = unsafe daemon { unsafe MHD_stop_daemon(daemon) }
    unsafe daemon = nil
  }

  /// Ends what is too slow.
  func endSlow() {
    counters.count(slow: connections.endSlow(at: monotonicSecond(), after: Int64(patience.seconds)))
  }

  // MARK: One request

  fileprivate func begin(_ route: Route, _ connection: OpaquePointer) -> Exchange {
    unsafe Exchange(route, connection, bodyByteCountMax: limits.bodyByteCountMax)
  }

  /// Its body is complete: answers it, or hands it to the worker.
  fileprivate func complete(_ exchange: Exchange) -> MHD_Result {
    if exchange.isTooLarge { return send(.isTooLarge, to: exchange, closes: true) }
    if exchange.route == .metrics { return sendMetrics(to: exchange) }
    switch exchange.route.operation(exchange.body) {
    case .failure(let refusal): return send(refusal.answer, to: exchange)
    case .success(let operation):
      exchange.operation = operation
      exchange.state = .waiting
      unsafe MHD_suspend_connection(exchange.connection)
      guard !worker.take(exchange) else { return .YES }
      // It stops: what would not be performed is not accepted.
      unsafe MHD_resume_connection(exchange.connection)
      return .NO
    }
  }

  fileprivate func send(_ answer: Answer, to exchange: Exchange, closes: Bool = false) -> MHD_Result
  {
    unsafe chttp_answer(
      exchange.connection, answer.status, "application/json", answer.body, answer.body.count, closes
    )
  }

  private func sendMetrics(to exchange: Exchange) -> MHD_Result {
    let text = Array(counters.exposition(connections: connections.count).utf8)
    return unsafe chttp_answer(
      exchange.connection, 200, "text/plain; version=0.0.4", text, text.count, false)
  }
}

// MARK: What libmicrohttpd calls

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
    let header = unsafe MHD_lookup_connection_value(
      connection, MHD_ValueKind.HEADER_KIND, "Authorization")
    let route = unsafe Route(
      method: String(cString: method), path: String(cString: path),
      authorization: unsafe header.map { unsafe String(cString: $0) })
    let exchange = unsafe server.begin(route, connection)
    unsafe place.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return .YES
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
  let server = unsafe Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
  unsafe server.connections.completed(connection, at: monotonicSecond())
}

private func noteConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let context = unsafe context, let connection = unsafe connection else { return }
  let server = unsafe Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
  if what == .CONNECTION_NOTIFY_STARTED {
    let descriptor = unsafe chttp_socket(connection)
    unsafe server.connections.opened(connection, descriptor, at: monotonicSecond())
  } else {
    unsafe server.connections.closed(connection)
  }
}

private func monotonicSecond() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec)
}
