import Bytes
public import HomeAssistant
import Synchronization

/// `Client` for programs with tasks.
///
///     let home = try AsyncClient(
///       address: "http://homeassistant.local:8123", accessToken: token)
///     let user = try await home.send(.currentUser)
///     for try await event in await home.events(of: .events("tag_scanned")) { … }
///
/// It connects with its first request. A cancelled task ends its request with
/// `RequestError.cancelled`; a loop over events unsubscribes at its end. `close()` ends the
/// connection permanently, and so does the release of the last reference. A waiting request and a
/// loop over events are references, too.
public actor AsyncClient {
  private struct Waiting {
    let continuation: CheckedContinuation<Result<JSON, RequestError>, Never>
    var id: RequestID?
  }

  /// Sends a request with a client; the completion is called once.
  private typealias Sending =
    @Sendable (Client, @escaping (Result<JSON, RequestError>) -> Void) -> RequestID

  private let thread: any LoopExecutor
  let client: Client
  private(set) var isClosed = false
  private var waiting: [UInt64: Waiting] = [:]
  /// Sequences that a loop reads, or may read.
  var onlookers: [UInt64: Onlooker] = [:]
  private nonisolated let lastTicket = Atomic<UInt64>(0)

  /// Thread of the connection, on which this actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Creates a client on the thread of its driver; only this object uses `client` from now on.
  init(on thread: any LoopExecutor, _ client: sending Client) {
    self.thread = thread
    self.client = client
  }

  deinit { thread.stop() }

  // MARK: The connection

  /// Connects at once. An open or pending connection is not changed, and a closed client stays
  /// closed.
  public func connect() {
    if !isClosed { client.connect() }
  }

  /// Ends the connection until `connect()` or, if the policy connects automatically, until the next
  /// request.
  public func disconnect() { client.disconnect() }

  /// Handles a change of network: a pending reconnection starts at once, and an open connection is
  /// checked.
  public func networkChanged() { client.networkChanged() }

  /// Ends the connection permanently. Every waiting or later request ends with
  /// `RequestError.cancelled`; every sequence ends as if its reader had been cancelled.
  public func close() {
    isClosed = true
    for ticket in waiting.keys { cancel(ticket) }
    client.disconnect()
    for onlooker in onlookers.values { onlooker.end() }
  }

  /// State of the connection.
  public var state: ConnectionState { client.state }

  /// Time that Home Assistant took to answer the last ping, or nil before the first.
  public var latency: Duration? { client.latency }

  // MARK: Requests

  /// Sends a command and waits for its answer.
  ///
  /// - Throws: `RequestError`; `.cancelled` if the task was cancelled or the client is closed. A
  ///   message that was already sent may still have an effect.
  @discardableResult
  public nonisolated func send<R: Request>(_ request: R) async throws(RequestError) -> R.Response {
    let raw = RawRequest(request.command, request.payload, retry: request.retry)
    return try Self.decode(try await answer { $0.send(raw, $1) })
  }

  /// Calls the REST API and waits for its answer.
  ///
  /// - Throws: `RequestError`; `.cancelled` if the task was cancelled or the client is closed. A
  ///   message that was already sent may still have an effect.
  @discardableResult
  public nonisolated func send<R: RESTRequest>(
    _ request: R
  ) async throws(RequestError) -> R.Response {
    let raw = RawRESTRequest(
      request.method, request.path, query: request.query, body: request.body)
    return try Self.decode(try await answer { $0.send(raw, $1) })
  }

  /// Sends a binary message, such as a piece of sound. Returns false if there is no connection.
  @discardableResult
  public func sendBinary(_ bytes: [UInt8]) -> Bool { client.sendBinary(bytes.span) }

  private static func decode<Value: JSONDecodable>(
    _ json: JSON
  ) throws(RequestError) -> Value {
    do throws(JSONDecodingError) { return try Value(json: json) } catch { throw .decoding(error) }
  }

  private nonisolated func answer(
    _ send: @escaping Sending
  ) async throws(RequestError) -> JSON {
    let ticket = makeTicket()
    let result = await withTaskCancellationHandler {
      await perform(send, ticket)
    } onCancel: {
      Task { await self.cancel(ticket) }
    }
    return try result.get()
  }

  private func perform(
    _ send: @escaping Sending, _ ticket: UInt64
  ) async -> Result<JSON, RequestError> {
    // The cancellation handler of an earlier cancelled task ran before, and found nothing to end.
    if isClosed || Task.isCancelled { return .failure(.cancelled) }
    return await withCheckedContinuation { continuation in
      waiting[ticket] = Waiting(continuation: continuation)
      let id = send(client) { self.finish(ticket, $0) }
      // The request may have ended by now.
      waiting[ticket]?.id = id
    }
  }

  private func finish(_ ticket: UInt64, _ result: Result<JSON, RequestError>) {
    waiting.removeValue(forKey: ticket)?.continuation.resume(returning: result)
  }

  private func cancel(_ ticket: UInt64) {
    if let id = waiting[ticket]?.id { client.cancel(id) }
    finish(ticket, .failure(.cancelled))
  }

  nonisolated func makeTicket() -> UInt64 {
    lastTicket.add(1, ordering: .relaxed).newValue
  }
}
