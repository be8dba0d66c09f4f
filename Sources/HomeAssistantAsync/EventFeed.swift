import HomeAssistant

/// The end of an `EventSequence` where the events come in.
final class EventFeed<Event: Sendable> {
  private let continuation: EventSequence<Event>.Stream.Continuation
  private let isResubscribed: Bool
  private var hasStarted = false
  private var isOver = false

  init(_ continuation: EventSequence<Event>.Stream.Continuation, isResubscribed: Bool) {
    self.continuation = continuation
    self.isResubscribed = isResubscribed
  }

  /// Home Assistant accepted or refused the subscription, on this connection.
  func started(_ result: Result<NoContent, RequestError>) {
    switch result {
    case .success: hasStarted = true
    case .failure(let error):
      // The session asks again by itself; what it said no to once, or not at all, may come.
      if isResubscribed, hasStarted || error == .expired { return }
      end(because: error)
    }
  }

  /// An event came, or one that cannot be decoded.
  func received(_ result: sending Result<Event, RequestError>) {
    if isOver { return }
    if case .failure(let error) = result { return end(because: error) }
    if case .enqueued(let room) = continuation.yield(result), room <= 1 { end(because: .overrun) }
  }

  /// A subscription waits for another credential, and there will be none.
  func stateChanged(_ state: ConnectionState) {
    if case .down(.rejected) = state { end(because: .rejected) }
  }

  private func end(because error: RequestError) {
    if isOver { return }
    continuation.yield(.failure(error))
    end()
  }

  /// Nothing more comes.
  func end() {
    isOver = true
    continuation.finish()
  }
}
