public import HomeAssistant

/// The events of a subscription, for one loop, whose end unsubscribes.
public struct EventSequence<Event: Sendable>: AsyncSequence, Sendable {
  /// What Home Assistant tells.
  public typealias Element = Event
  /// Why there are no more events.
  public typealias Failure = RequestError

  /// So many events wait for a slow reader. One more ends the sequence with
  /// `RequestError.overrun`: an event that is left out without a word would make a wrong picture of
  /// all that follow.
  public static var waitingMax: Int { 4096 }

  typealias Stream = AsyncStream<Result<Event, RequestError>>

  private let stream: Stream
  private let continuation: Stream.Continuation

  /// The two ends of a sequence.
  ///
  /// - Parameters:
  ///   - isResubscribed: whether its subscription is made again on later connections.
  ///   - whenOver: is called once, on any thread, when neither side is used any more.
  /// - Returns: the one for the reader, and the one for the client.
  static func make(
    isResubscribed: Bool, whenOver: @escaping @Sendable () -> Void
  ) -> (EventSequence, EventFeed<Event>) {
    let (stream, continuation) = Stream.makeStream(
      // The one too many, and the word that it was.
      bufferingPolicy: .bufferingOldest(waitingMax + 2))
    continuation.onTermination = { _ in whenOver() }
    return (
      EventSequence(stream: stream, continuation: continuation),
      EventFeed(continuation, isResubscribed: isResubscribed)
    )
  }

  /// The reader; a second one gets what the first has left, and nothing new.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      base: stream.makeAsyncIterator(),
      end: IterationEnd { [continuation] in
        continuation.finish()
      })
  }

  /// Takes one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Stream.Iterator
    fileprivate let end: IterationEnd

    /// Waits for the next event; nil where there are no more.
    ///
    /// - Throws: why there are no more. After that it is nil.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RequestError) -> Event? {
      switch await base.next(isolation: actor) {
      case .success(let event)?: return event
      case .failure(let error)?: throw error
      case nil: return nil
      }
    }

    /// Waits for the next event; nil where there are no more.
    ///
    /// - Throws: why there are no more. After that it is nil.
    public mutating func next() async throws(RequestError) -> Event? {
      try await next(isolation: nil)
    }
  }
}

/// Ends a sequence when the loop over it is gone, even where the sequence itself is still there.
private final class IterationEnd: Sendable {
  private let finish: @Sendable () -> Void

  init(_ finish: @escaping @Sendable () -> Void) { self.finish = finish }

  deinit { finish() }
}
