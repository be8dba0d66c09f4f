import HomeAssistant

/// Input side of an `EventSequence`.
final class EventFeed<Event: Sendable> {
  private let continuation: EventSequence<Event>.Stream.Continuation
  private let isResubscribed: Bool
  private var hasStarted = false
  private var isOver = false

  init(_ continuation: EventSequence<Event>.Stream.Continuation, isResubscribed: Bool) {
    self.continuation = continuation
    self.isResubscribed = isResubscribed
  }

  /// Handles Home Assistant's verdict on the subscription, on this connection.
  func started(_ result: Result<NoContent, RequestError>) {
    switch result {
    case .success: hasStarted = true
    case .failure(let error):
      // The session retries; a subscription that was accepted before, or not answered, may succeed.
      if isResubscribed, hasStarted || error == .expired { return }
      end(because: error)
    }
  }

  /// Handles an event, or a decoding error.
  func received(_ result: sending Result<Event, RequestError>) {
    if isOver { return }
    if case .failure(let error) = result { return end(because: error) }
    if case .enqueued(let room) = continuation.yield(result), room <= 1 { end(because: .overrun) }
  }

  /// Ends a subscription that waits for another credential, since none will come.
  func stateChanged(_ state: ConnectionState) {
    if case .down(.rejected) = state { end(because: .rejected) }
  }

  private func end(because error: RequestError) {
    if isOver { return }
    continuation.yield(.failure(error))
    end()
  }

  func end() {
    isOver = true
    continuation.finish()
  }
}
