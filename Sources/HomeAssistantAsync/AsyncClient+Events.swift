public import HomeAssistant

extension AsyncClient {
  /// Subscribes, on this connection and on every later one, until the loop over the events ends.
  ///
  /// From now on events are kept for the loop, so what is asked for after this and causes one is
  /// not missed. One loop reads them; its end, the end of its task, and the end of a sequence that
  /// no loop reads unsubscribe.
  ///
  /// The loop throws
  /// - what Home Assistant says where it refuses the subscription. Where it does so on a later
  ///   connection it may not be up again yet, and is asked again;
  /// - `RequestError.decoding` where an event is not what was expected;
  /// - `RequestError.overrun` where more than `EventSequence.waitingMax` events wait;
  /// - `RequestError.rejected` where the credential is refused;
  /// - `RequestError.disconnected` where the connection is lost and the subscription is one that is
  ///   not made again.
  ///
  /// It ends without an error where its task is cancelled or the client is closed.
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

  /// The state as it is, and then every change of it, until the client is closed. None is left
  /// out, however slowly they are read.
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

/// What stands behind a sequence that is not over yet.
final class Onlooker {
  /// The name of the subscription, where it is one.
  let id: RequestID?
  /// Ends the sequence.
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
