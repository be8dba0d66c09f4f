import Bytes
import CHTTPServer
import CLinux

/// A relay that serves: HTTP in, transactions of the store, answers out, all in one thread.
///
/// libmicrohttpd asks for the answer to a complete request in each turn, until it has one. So a
/// turn collects requests, the store performs them together, and the next turn sends the answers.
@safe final class Server {
  private static let connectionCountMax: UInt32 = 1000
  private static let headByteCountMax = 4 * 1024

  /// Time for the last answers, which a client may not take.
  private static let endTimeout: Duration = .seconds(5)

  private let limits: Limits
  private let counters = Counters()
  private let connections: Connections
  private let transactions: Transactions
  private let clocks: Clocks
  private var daemon: OpaquePointer?
  /// Time at which a server that ends waits for no further answer; nil while it serves.
  private var end: Instant?
  /// Whether requests got answers, which the next turn sends.
  private var hasAnswers = false

  /// Failure of libmicrohttpd, in its words.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(
    _ store: any Store, limits: Limits, timeouts: Connections.Timeouts = .init(),
    clocks: Clocks = .kernel
  ) {
    self.limits = limits
    self.clocks = clocks
    connections = Connections(timeouts)
    transactions = Transactions(store, clocks, counters)
  }

  /// Prepares to serve what listens on `descriptor`, which belongs to the server then.
  func listen(on descriptor: Int32) throws(Failure) {
    let settings = chttp_limits(
      connections: Self.connectionCountMax, connection_bytes: Self.headByteCountMax)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let started = unsafe chttp_serve(
      descriptor, settings, handleRequest, completeRequest, noteConnection, context)
    guard let daemon = unsafe started else {
      throw Failure(description: "libmicrohttpd does not begin: \(systemError())")
    }
    unsafe self.daemon = daemon
  }

  /// Serves until `ending` is readable, and then until the requests that are complete have their
  /// answers.
  func serve(until ending: Int32) {
    guard let daemon = unsafe daemon else { return }
    while !isOver {
      if unsafe chttp_wait(daemon, end == nil ? ending : -1, wait) { unsafe beginEnd(of: daemon) }
      unsafe takeRequests(daemon)
      hasAnswers = transactions.commit()
      counters.slow += connections.endSlow(at: second)
    }
    unsafe MHD_stop_daemon(daemon)
    unsafe self.daemon = nil
  }

  /// Sends the answers, and takes requests until no more come: those of one transaction share a
  /// wait for the disk.
  private func takeRequests(_ daemon: OpaquePointer) {
    var count: Int
    repeat {
      count = transactions.count
      unsafe MHD_run(daemon)
    } while transactions.count > count && transactions.count < Transactions.requestCountMax
  }

  /// Takes no more connections.
  private func beginEnd(of daemon: OpaquePointer) {
    end = clocks.monotonic() + Self.endTimeout
    let descriptor = unsafe MHD_quiesce_daemon(daemon)
    if descriptor >= 0 { close(descriptor) }
  }

  private var isOver: Bool {
    guard let end else { return false }
    return !connections.isAnswering || clocks.monotonic() >= end
  }

  /// Milliseconds to wait for something to do.
  private var wait: Int32 {
    if hasAnswers || transactions.count > 0 { return 0 }
    return connections.isEmpty ? Int32(Transactions.pause.components.seconds) * 1000 : 1000
  }

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

  /// Its body is complete: it is answered, or waits for the next transaction.
  fileprivate func complete(_ exchange: Exchange) -> MHD_Result {
    if exchange.isTooLarge { return send(.isTooLarge, to: exchange, closes: true) }
    if exchange.route == .metrics { return sendMetrics(to: exchange) }
    do {
      guard let operation = try exchange.route.operation(exchange.takeBody()) else {
        return send(
          counters.isStoreWell
            ? .isWell(notificationsADay: limits.notificationsADay) : .isIll, to: exchange)
      }
      if end != nil { return send(.stops, to: exchange, closes: true) }
      exchange.state = .waiting
      unsafe connections.requestEnded(exchange.connection)
      transactions.add(exchange, operation)
      return .YES
    } catch {
      // What follows may be the rest of its body, if its length was read wrongly.
      return send(error, to: exchange, closes: true)
    }
  }

  fileprivate func send(_ answer: Answer, to exchange: Exchange, closes: Bool = false) -> MHD_Result
  {
    // The outcomes of the store are counted with their transaction.
    if case .receiving = exchange.state, answer.status >= 400 { counters.refused += 1 }
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
