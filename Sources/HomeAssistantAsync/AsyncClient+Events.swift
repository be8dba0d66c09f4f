public import HomeAssistant

extension AsyncClient {
  /// Subscribes, on this connection and on every later one, until the loop over the events ends.
  ///
  /// Events are buffered from this call on, so an event that a later request causes is not missed.
  /// One loop reads them; the end of the loop or its task unsubscribes, and so does the release of
  /// a sequence that no loop reads.
  ///
  /// The loop throws
  /// - the refusal of Home Assistant. On a later connection Home Assistant may still be starting,
  ///   and the subscription is retried;
  /// - `RequestError.decoding` if an event has an unexpected form;
  /// - `RequestError.overrun` if more than `EventSequence.waitingMax` events wait;
  /// - `RequestError.rejected` if the credential is refused;
  /// - `RequestError.disconnected` if the connection is lost and the subscription is not repeated.
  ///
  /// It ends without an error if its task is cancelled or the client is closed.
  public func events<S: SubscriptionRequest>(of subscription: S) -> EventSequence<S.Event>
  where S.Event: Sendable {
    let ticket = makeTicket()
    let (sequence, feed) = EventSequence<S.Event>.make(
      isResubscribed: subscription.isResubscribed
    ) { Task { await self.forget(ticket) } }
    if isClosed {
      feed.end()
    } else {
      let observation = client.observe { [client] _ in feed.stateChanged(client.state) }
      let id = client.subscribe(
        subscription, onStart: { feed.started($0) }, onEvent: { feed.received($0) }
      ).detach()
      onlookers[ticket] = Onlooker(observation, id) { feed.end() }
      feed.stateChanged(client.state)
    }
    return sequence
  }

  /// Current state, and then every change of it, until the client is closed. A slow reader misses
  /// no change.
  public var states: AsyncStream<ConnectionState> {
    let ticket = makeTicket()
    let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self)
    continuation.onTermination = { _ in Task { await self.forget(ticket) } }
    continuation.yield(client.state)
    if isClosed {
      continuation.finish()
    } else {
      let observation = client.observe { continuation.yield($0) }
      onlookers[ticket] = Onlooker(observation) { continuation.finish() }
    }
    return stream
  }

  private func forget(_ ticket: UInt64) {
    if let id = onlookers.removeValue(forKey: ticket)?.id { client.cancel(id) }
  }
}

/// Source of a sequence that has not ended.
final class Onlooker {
  /// Identifier of the subscription, if it is one.
  let id: RequestID?
  let end: () -> Void
  private let observation: Observation

  init(
    _ observation: consuming Observation, _ id: RequestID? = nil, end: @escaping () -> Void
  ) {
    self.observation = observation
    self.id = id
    self.end = end
  }
}
