/// Subscription that lives as long as this value, or as long as the client after `detach()`.
public struct Subscription: ~Copyable {
  private var client: Client?
  /// Identifier for `Client.cancel`.
  public let id: RequestID

  init(client: Client, id: RequestID) {
    self.client = client
    self.id = id
  }

  deinit { client?.cancel(id) }

  /// Ends the subscription. Its handlers are no longer called.
  public consuming func cancel() {}

  /// Keeps the subscription alive without this value, until `Client.cancel`.
  @discardableResult
  public consuming func detach() -> RequestID {
    client = nil
    return id
  }

  /// Subscribes again on the same connection: Home Assistant drops some subscriptions silently.
  public func resubscribe() { client?.resubscribe(id) }
}

/// Observation of a connection state or a cache; it lasts as long as this value lives.
public struct Observation: ~Copyable {
  private var observed: (any Observed)?
  private let number: UInt64

  package init(of observed: (any Observed)?, number: UInt64) {
    self.observed = observed
    self.number = number
  }

  deinit { observed?.stopObserving(number) }

  /// Observation that has already ended.
  package static var over: Observation { Observation(of: nil, number: 0) }

  /// Ends the observation.
  public consuming func cancel() {}

  /// Keeps the observation alive as long as the observed object, which it releases.
  public consuming func detach() { observed = nil }
}
