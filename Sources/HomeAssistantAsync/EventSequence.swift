public import HomeAssistant

/// The events of a subscription. The loop over them subscribes, its end unsubscribes.
public struct EventSequence<Event: Sendable>: AsyncSequence {
  public typealias Element = Event
  public typealias Failure = RequestError

  /// So many events wait for a slow reader before the sequence ends.
  public static var waitingMax: Int { 4096 }

  private let stream: AsyncStream<Result<Event, RequestError>>

  init(_ stream: AsyncStream<Result<Event, RequestError>>) { self.stream = stream }

  public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncStream<Result<Event, RequestError>>.Iterator

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RequestError) -> Event? {
      switch await base.next(isolation: actor) {
      case .success(let event)?: return event
      case .failure(let error)?: throw error
      case nil: return nil
      }
    }

    public mutating func next() async throws(RequestError) -> Event? {
      try await next(isolation: nil)
    }
  }
}

/// Ends a sequence whose reader is too slow, and says so: an event that is left out without a word
/// would make a wrong picture of all that follow.
final class Overrun {
  private var isOver = false

  func yield<Event>(
    _ result: sending Result<Event, RequestError>,
    to continuation: AsyncStream<Result<Event, RequestError>>.Continuation
  ) {
    guard !isOver, case .enqueued(let room) = continuation.yield(result), room <= 1 else { return }
    isOver = true
    continuation.yield(.failure(.overrun))
    continuation.finish()
  }
}
