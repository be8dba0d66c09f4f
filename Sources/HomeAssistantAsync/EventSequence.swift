public import HomeAssistant

/// Events of a subscription, for one loop, whose end unsubscribes.
public struct EventSequence<Event: Sendable>: AsyncSequence, Sendable {
  /// Event of Home Assistant.
  public typealias Element = Event
  /// Reason that there are no further events.
  public typealias Failure = RequestError

  /// Maximum number of waiting events. One more ends the sequence with `RequestError.overrun`: a
  /// silently missing event would give a wrong view of all later ones.
  public static var waitingMax: Int { 4096 }

  typealias Stream = AsyncStream<Result<Event, RequestError>>

  private let stream: Stream
  private let continuation: Stream.Continuation

  /// Creates the two sides of a sequence; `whenOver` is called once, on any thread, when neither
  /// side is in use.
  static func make(
    isResubscribed: Bool, whenOver: @escaping @Sendable () -> Void
  ) -> (EventSequence, EventFeed<Event>) {
    let (stream, continuation) = Stream.makeStream(
      // One more for the overrun, and one for its error.
      bufferingPolicy: .bufferingOldest(waitingMax + 2))
    continuation.onTermination = { _ in whenOver() }
    return (
      EventSequence(stream: stream, continuation: continuation),
      EventFeed(continuation, isResubscribed: isResubscribed)
    )
  }

  /// Creates a reader; a second one gets the events that the first has left, and no new ones.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      base: stream.makeAsyncIterator(),
      end: IterationEnd { [continuation] in
        continuation.finish()
      })
  }

  /// Reader of one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Stream.Iterator
    fileprivate let end: IterationEnd

    /// Waits for the next event; returns nil at the end.
    ///
    /// - Throws: the reason that there are no further events; after that it returns nil.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RequestError) -> Event? {
      switch await base.next(isolation: actor) {
      case .success(let event)?: return event
      case .failure(let error)?: throw error
      case nil: return nil
      }
    }

    /// Waits for the next event; returns nil at the end.
    ///
    /// - Throws: the reason that there are no further events; after that it returns nil.
    public mutating func next() async throws(RequestError) -> Event? {
      try await next(isolation: nil)
    }
  }
}

/// Ends a sequence when its loop ends, even if the sequence still exists.
private final class IterationEnd: Sendable {
  private let finish: @Sendable () -> Void

  init(_ finish: @escaping @Sendable () -> Void) { self.finish = finish }

  deinit { finish() }
}
