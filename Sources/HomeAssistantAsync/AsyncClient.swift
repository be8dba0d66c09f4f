import Bytes
public import HomeAssistant
import Synchronization

/// A `Client` for programs with tasks.
///
///     let home = try AsyncClient(address: "http://homeassistant.local:8123", token: token)
///     let user = try await home.send(.currentUser)
///     for try await event in await home.events(of: .events("tag_scanned")) { … }
///
/// It connects with its first request. A task that is cancelled ends its request with
/// `RequestError.cancelled`; a loop over events that ends unsubscribes. `close()` ends the
/// connection for good, and so does the end of the last reference.
public actor AsyncClient {
  private struct Waiting {
    let continuation: CheckedContinuation<Result<JSON, RequestError>, Never>
    var id: RequestID?
  }

  /// A request without its types.
  private enum Wish: Sendable {
    case command(RawRequest)
    case call(RawRESTRequest)
  }

  private let thread: any LoopExecutor
  private let client: Client
  private var isClosed = false
  private var waiting: [UInt64: Waiting] = [:]
  private var observations: [UInt64: ObservationBox] = [:]
  private nonisolated let lastTicket = Atomic<UInt64>(0)

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - thread: the one that the client's driver belongs to.
  ///   - client: nobody else uses it any more.
  init(on thread: any LoopExecutor, _ client: sending Client) {
    self.thread = thread
    self.client = client
  }

  deinit { thread.stop() }

  // MARK: The connection

  /// Connects, at once. A connection that stands or is on its way stays as it is.
  public func connect() { client.connect() }

  /// Ends the connection, and stays away until `connect()` or the next request.
  public func disconnect() { client.disconnect() }

  /// Ends the connection for good. Every request that waits, or is made later, ends with
  /// `RequestError.cancelled`.
  public func close() {
    isClosed = true
    client.disconnect()
    for ticket in waiting.keys { cancel(ticket) }
  }

  public var state: ConnectionState { client.state }

  /// The state as it is, and then every change of it.
  public var states: AsyncStream<ConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self)
    let ticket = makeTicket()
    continuation.yield(client.state)
    observations[ticket] = ObservationBox(client.observe { continuation.yield($0) })
    continuation.onTermination = { _ in Task { await self.stopObserving(ticket) } }
    return stream
  }

  private func stopObserving(_ ticket: UInt64) { observations[ticket] = nil }

  // MARK: Requests

  /// Sends a command and waits for what comes back.
  ///
  /// - Throws: `RequestError`; `.cancelled` where the task was cancelled.
  public nonisolated func send<R: Request>(_ request: R) async throws(RequestError) -> R.Response {
    let json = try await answer(
      .command(RawRequest(request.command, request.payload, retry: request.retry)))
    return try Self.decode(json)
  }

  /// Calls the REST API and waits for what comes back.
  ///
  /// - Throws: `RequestError`; `.cancelled` where the task was cancelled.
  public nonisolated func send<R: RESTRequest>(
    _ request: R
  ) async throws(RequestError) -> R.Response {
    let json = try await answer(
      .call(
        RawRESTRequest(
          request.method, request.path, query: request.query, body: request.body)))
    return try Self.decode(json)
  }

  private static func decode<Value: JSONDecodable>(
    _ json: JSON
  ) throws(RequestError) -> Value {
    do throws(JSONDecodingError) { return try Value(json: json) } catch { throw .decoding(error) }
  }

  private nonisolated func answer(_ wish: Wish) async throws(RequestError) -> JSON {
    let ticket = makeTicket()
    let result = await withTaskCancellationHandler {
      await perform(wish, ticket)
    } onCancel: {
      Task { await self.cancel(ticket) }
    }
    return try result.get()
  }

  private func perform(_ wish: Wish, _ ticket: UInt64) async -> Result<JSON, RequestError> {
    // A task that was cancelled before this has been told so already.
    if isClosed || Task.isCancelled { return .failure(.cancelled) }
    return await withCheckedContinuation { continuation in
      waiting[ticket] = Waiting(continuation: continuation)
      let id =
        switch wish {
        case .command(let request): client.send(request) { self.finish(ticket, $0) }
        case .call(let request): client.send(request) { self.finish(ticket, $0) }
        }
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

  private nonisolated func makeTicket() -> UInt64 {
    lastTicket.add(1, ordering: .relaxed).newValue
  }

  // MARK: Events

  /// Subscribes, on this connection and on every later one, until the loop over the events ends.
  ///
  /// The sequence throws where Home Assistant refuses the subscription, where an event cannot be
  /// decoded, and `RequestError.overrun` where `EventSequence.waitingMax` events wait.
  public func events<S: SubscriptionRequest>(of subscription: S) -> EventSequence<S.Event>
  where S.Event: Sendable {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<S.Event, RequestError>.self,
      // One more, for the word that there were too many.
      bufferingPolicy: .bufferingOldest(EventSequence<S.Event>.waitingMax + 1))
    let overrun = Overrun()
    let id = client.subscribe(
      subscription,
      onStart: { result in
        if case .failure(let error) = result, error != .disconnected {
          continuation.yield(.failure(error))
        }
      },
      onEvent: { result in overrun.yield(result, to: continuation) }
    ).detach()
    continuation.onTermination = { _ in Task { await self.end(id) } }
    return EventSequence(stream)
  }

  private func end(_ id: RequestID) { client.cancel(id) }
}

/// What belongs to the last value of its name and ends with it; a dictionary cannot hold it bare.
private final class ObservationBox {
  private let observation: Observation

  init(_ observation: consuming Observation) { self.observation = observation }
}
