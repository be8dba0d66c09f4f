import Bytes

/// A value of Home Assistant that is kept up to date, however many observe it.
///
///     let areas = Cache(client, populatedBy: CachePopulation(GetAreas()),
///                       updatedBy: [.outdating(.events(.areaRegistryUpdated))])
///     let observation = areas.observe { areas in … }
///
/// Nothing is sent before the first observer. Without a connection the value stays what it was; on
/// the next one it is asked for again. The traffic ends with the cache: hold it, or one of its
/// observations, or a cache that is derived from it.
///
/// Like its client it belongs to one thread.
public final class Cache<Value> {
  let core: CacheCore<Value>

  /// - Parameters:
  ///   - client: is kept.
  ///   - population: what to ask for.
  ///   - updates: what changes it. They are subscribed to before it is asked for.
  ///   - settlingTime: from an event that makes the value outdated to the request for a new one,
  ///     since such events come in bursts.
  ///   - retention: what becomes of it while it has no observer.
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

  /// A cache of what subscriptions say, without a request. Where an event makes it outdated, it
  /// subscribes again.
  ///
  /// - Parameters:
  ///   - client: is kept.
  ///   - value: what it is before the first event.
  ///   - updates: what makes and changes it.
  ///   - retention: what becomes of it while it has no observer.
  public init(
    _ client: Client, _ value: Value? = nil, updatedBy updates: [CacheUpdate<Value>],
    retention: CacheRetention = .kept
  ) {
    let feed = CacheFeed(
      client, request: nil, subscriptions: updates.map { $0.subscription }, retention: retention)
    core = CacheCore(.server(feed, nil, updates), value)
  }

  /// A value that never changes, such as for a test of what observes one.
  public init(constant value: Value) { core = CacheCore(.constant, value) }

  init(read: @escaping () -> Value?, watch: @escaping (CacheCore<Value>) -> Observation) {
    core = CacheCore(.derived(read: read, watch: watch), nil)
  }

  deinit { core.close() }

  /// What was known last, be it on an earlier connection. Looking at it starts nothing.
  public var value: Value? { core.value }

  /// Why it is not up to date: what came of the last request or subscription. It is tried again
  /// all the same. Nil where nothing failed, and of what is derived from another cache.
  public var failure: RequestError? { core.feed?.failure }

  /// What becomes of it while it has no observer. What is derived from another cache is as that one
  /// is.
  public var retention: CacheRetention {
    get { core.feed?.retention ?? .kept }
    set { core.feed?.retention = newValue }
  }

  // MARK: Observing

  /// Calls `handler` with the value, at once where there is one, and then after every change, until
  /// the observation ends. Observers are told in the order in which they began.
  public func observe(_ handler: @escaping (Value) -> Void) -> Observation {
    observe(isOnce: false, handler)
  }

  /// Calls `handler` with the first value that there is, unless the observation ends before.
  public func once(_ handler: @escaping (Value) -> Void) -> Observation {
    observe(isOnce: true, handler)
  }

  private func observe(isOnce: Bool, _ handler: @escaping (Value) -> Void) -> Observation {
    guard let number = core.observe(isOnce: isOnce, handler) else { return .over }
    return Observation(of: self, number: number)
  }

  // MARK: Deriving

  /// What this value comes to, which is made once for each change, and only while it has an
  /// observer.
  public func map<Derived>(_ transform: @escaping (Value) -> Derived) -> Cache<Derived> {
    Cache<Derived>(
      read: { self.value.map(transform) },
      watch: { derived in self.observe { derived.replace(with: transform($0)) } })
  }
}

extension Cache where Value: Equatable {
  /// The same, but observers are not told of a value that equals the one before.
  public func withoutRepeats() -> Cache {
    Cache(
      read: { self.value },
      watch: { distinct in
        self.observe { if distinct.kept != $0 { distinct.replace(with: $0) } }
      })
  }
}

extension Cache: Observed {
  func stopObserving(_ number: UInt64) { core.stopObserving(number) }
}
