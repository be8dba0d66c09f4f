import Bytes
public import HomeAssistant

/// Value of Home Assistant that is kept up to date for any number of observers.
///
///     let areas = Cache(client, populatedBy: CachePopulation(.areas),
///                       updatedBy: [.outdating(.events(.areaRegistryUpdated))])
///     let observation = areas.observe { areas in … }
///
/// A cache sends nothing before its first observer. Without a connection the value stays unchanged;
/// the next connection repeats the request. The traffic ends with the cache: hold the cache, one of
/// its observations, or a cache that is derived from it.
///
/// Like its client it belongs to one thread.
public final class Cache<Value> {
  let core: CacheCore<Value>

  /// Creates a cache that holds its client. The updates start before the request for the whole
  /// value. `settlingTime` is the delay from an event that makes the value outdated to the next
  /// request, since such events come in bursts.
  public init(
    _ client: Client, populatedBy population: CachePopulation<Value>,
    updatedBy updates: [CacheUpdate<Value>] = [], settlingTime: Duration = .zero,
    retention: CacheRetention = .kept
  ) {
    let feed = CacheFeed(
      client, request: population.request, subscriptions: updates.map { $0.subscription },
      settlingTime: settlingTime, retention: retention)
    core = CacheCore(.server(feed, population, updates), nil)
  }

  /// Creates a cache that holds its client and is fed by subscriptions alone, without a request. If
  /// an event makes the value outdated, the cache subscribes again.
  public init(
    _ client: Client, _ value: Value? = nil, updatedBy updates: [CacheUpdate<Value>],
    retention: CacheRetention = .kept
  ) {
    let feed = CacheFeed(
      client, request: nil, subscriptions: updates.map { $0.subscription }, retention: retention)
    core = CacheCore(.server(feed, nil, updates), value)
  }

  /// Creates a cache of a value that never changes, for example to test an observer.
  public init(constant value: Value) { core = CacheCore(.constant, value) }

  init(read: @escaping () -> Value?, watch: @escaping (CacheCore<Value>) -> Observation) {
    core = CacheCore(.derived(read: read, watch: watch), nil)
  }

  deinit { core.close() }

  /// Last known value, which may be from an earlier connection. Reading it starts no traffic.
  public var value: Value? { core.value }

  /// Error of the last request or subscription, which is retried. Nil if nothing failed, and for a
  /// cache that is derived from another one.
  public var failure: RequestError? { core.feed?.failure }

  /// Fate of the value while it has no observer. A derived cache follows the cache it is derived
  /// from.
  public var retention: CacheRetention {
    get { core.feed?.retention ?? .kept }
    set { core.feed?.retention = newValue }
  }

  // MARK: Observing

  /// Calls `handler` with the value, at once if there is one, and then after every change, until
  /// the observation ends. Observers are called in the order in which they began.
  public func observe(_ handler: @escaping (Value) -> Void) -> Observation {
    observe(isOnce: false, handler)
  }

  /// Calls `handler` with the first value, unless the observation ends before.
  public func once(_ handler: @escaping (Value) -> Void) -> Observation {
    observe(isOnce: true, handler)
  }

  private func observe(isOnce: Bool, _ handler: @escaping (Value) -> Void) -> Observation {
    guard let number = core.observe(isOnce: isOnce, handler) else { return .over }
    return Observation(of: self, number: number)
  }

  // MARK: Deriving

  /// Returns a cache of the transformed value. `transform` runs once for each change, and only
  /// while there is an observer.
  public func map<Derived>(_ transform: @escaping (Value) -> Derived) -> Cache<Derived> {
    Cache<Derived>(
      read: { self.value.map(transform) },
      watch: { derived in self.observe { derived.replace(with: transform($0)) } })
  }
}

extension Cache where Value: Equatable {
  /// Returns a cache whose observers are not called with a value that equals the one before.
  public func withoutRepeats() -> Cache {
    Cache(
      read: { self.value },
      watch: { distinct in
        self.observe { if distinct.kept != $0 { distinct.replace(with: $0) } }
      })
  }
}

extension Cache: Observed {
  package func stopObserving(_ number: UInt64) { core.stopObserving(number) }
}
