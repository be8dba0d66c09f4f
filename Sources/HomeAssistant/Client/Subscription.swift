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

package protocol Observed: AnyObject {
  func stopObserving(_ number: UInt64)
}

/// Observers in the order in which they began.
///
/// To call them, take each of `numbers`: then a handler may end another observer or add one.
package struct ObserverList<Handler> {
  private var entries: [(number: UInt64, isOnce: Bool, handler: Handler)] = []
  private var lastNumber: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
  package var numbers: [UInt64] { entries.map { $0.number } }

  /// Adds an observer, which is called every time, or only once if `isOnce`. Its number is never
  /// reused.
  package mutating func add(isOnce: Bool = false, _ handler: Handler) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, isOnce, handler))
    return lastNumber
  }

  package mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }
  package mutating func removeAll() { entries = [] }

  /// Returns the handler to call, or nil if the observer has ended.
  package mutating func take(_ number: UInt64) -> Handler? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = entries[index]
    if entry.isOnce { entries.remove(at: index) }
    return entry.handler
  }
}
