/// A subscription that lives as long as this value, or as long as the client after `detach()`.
public struct Subscription: ~Copyable {
  private var client: Client?
  /// Its name, for `Client.cancel`.
  public let id: RequestID

  init(client: Client, id: RequestID) {
    self.client = client
    self.id = id
  }

  deinit { client?.cancel(id) }

  /// Ends it. Handlers are not called any more.
  public consuming func cancel() {}

  /// Lets it live without this value, until `Client.cancel`.
  @discardableResult
  public consuming func detach() -> RequestID {
    client = nil
    return id
  }

  /// Subscribes once more on the same connection: Home Assistant drops some subscriptions without
  /// a word.
  public func resubscribe() { client?.resubscribe(id) }
}

/// A handler is told the state of the connection, or what a cache keeps, as long as this value
/// lives.
public struct Observation: ~Copyable {
  private var observed: (any Observed)?
  private let number: UInt64

  init(of observed: (any Observed)?, number: UInt64) {
    self.observed = observed
    self.number = number
  }

  deinit { observed?.stopObserving(number) }

  /// One that has ended already.
  static var over: Observation { Observation(of: nil, number: 0) }

  /// Ends it.
  public consuming func cancel() {}

  /// Lets it live as long as what is watched, which it keeps no more.
  public consuming func detach() { observed = nil }
}
