import Bytes
public import HomeAssistant

/// Entities that are kept up to date, with the changes of each event.
///
///     let lights = caches.states(SubscribeEntities(include: EntityFilter(domains: ["light"])))
///     let observation = lights.observe { entities, change in
///       for id in change.changed { show(entities[id]) }
///     }
///
/// The cost of an event depends on its changes, not on the number of entities. The rules of `Cache`
/// apply.
public final class EntityCache {
  let core: EntityCacheCore

  /// Creates a cache of the entities of a subscription, which holds its client.
  public convenience init(
    _ client: Client, _ subscription: SubscribeEntities = SubscribeEntities(),
    retention: CacheRetention = .kept
  ) {
    self.init(client, subscription.payload, retention: retention)
  }

  init(_ client: Client, _ payload: JSONObject, retention: CacheRetention = .kept) {
    let subscription = RawSubscription(SubscribeEntities().command, payload)
    core = EntityCacheCore(
      CacheFeed(client, request: nil, subscriptions: [subscription], retention: retention))
  }

  deinit { core.close() }

  // MARK: Entities

  /// Whether Home Assistant has reported the entities, on this connection or an earlier one.
  public var isPopulated: Bool { core.isPopulated }
  /// Number of known entities.
  public var count: Int { core.store.count }
  /// Current entity; nil if the id is unknown or no entities are known yet.
  public subscript(id: EntityID) -> Entity? { core.store[id] }
  /// Calls `body` with every entity, in no order.
  public func forEach(_ body: (Entity) -> Void) { core.store.forEach(body) }

  /// Reason that the entities are not up to date: Home Assistant refused the subscription, which is
  /// retried.
  public var failure: RequestError? { core.feed.failure }

  /// Fate of the entities while they have no observer.
  public var retention: CacheRetention {
    get { core.feed.retention }
    set { core.feed.retention = newValue }
  }

  // MARK: Observing

  /// Handler of all entities and of their changes.
  public typealias Handler = (
    _ entities: borrowing EntityStore, _ change: EntityStore.Change
  ) -> Void

  /// Calls `handler` with the entities, at once if they are known, and then after every change,
  /// until the observation ends. The first call lists all entities as added.
  public func observe(_ handler: @escaping Handler) -> Observation {
    Observation(of: self, number: core.observe(handler))
  }

  /// Calls `handler` once when the entities are known, unless the observation ends before.
  public func once(_ handler: @escaping (borrowing EntityStore) -> Void) -> Observation {
    guard let number = core.once({ entities, _ in handler(entities) }) else { return .over }
    return Observation(of: self, number: number)
  }

  // MARK: Deriving

  /// Returns a cache of the transformed entities. `transform` runs once for each event with a
  /// change.
  public func map<Derived>(
    _ transform: @escaping (borrowing EntityStore) -> Derived
  ) -> Cache<Derived> {
    Cache<Derived>(
      read: { self.isPopulated ? transform(self.core.store) : nil },
      watch: { derived in
        self.observe { entities, _ in derived.replace(with: transform(entities)) }
      })
  }

  /// Returns a cache of one entity, whose observers are called only if it changes; its value is nil
  /// if no entity has the id.
  public func entity(_ id: EntityID) -> Cache<Entity?> {
    Cache<Entity?>(
      read: { self.isPopulated ? .some(self[id]) : nil },
      watch: { derived in
        self.observe { entities, change in
          guard derived.kept == nil || change.mentions(id) else { return }
          derived.replace(with: entities[id])
        }
      })
  }
}

extension EntityCache: Observed {
  package func stopObserving(_ number: UInt64) { core.stopObserving(number) }
}

extension EntityStore.Change {
  fileprivate func mentions(_ id: EntityID) -> Bool {
    changed.contains(id) || added.contains(id) || removed.contains(id)
  }
}

final class EntityCacheCore {
  let feed: CacheFeed
  private(set) var store = EntityStore()
  private(set) var isPopulated = false
  private var observers = ObserverList<EntityCache.Handler>()
  /// Whether an observer reads the store, which must not change meanwhile.
  private var isTelling = false
  private var isForgotten = false

  init(_ feed: CacheFeed) { self.feed = feed }

  func observe(_ handler: @escaping EntityCache.Handler) -> UInt64 {
    feed.observed(by: self)
    let number = observers.add(handler)
    if isPopulated { tell(number, everything) }
    return number
  }

  func once(_ handler: @escaping EntityCache.Handler) -> UInt64? {
    feed.observed(by: self)
    let number = observers.add(isOnce: true, handler)
    guard isPopulated else { return number }
    tell(number, everything)
    stopIfUnobserved()
    return nil
  }

  func stopObserving(_ number: UInt64) {
    observers.remove(number)
    stopIfUnobserved()
  }

  /// Stops all traffic; called when the cache is released.
  func close() {
    observers.removeAll()
    feed.stop()
  }

  private func stopIfUnobserved() { if observers.isEmpty { feed.unobserved() } }

  private var everything: EntityStore.Change {
    var change = EntityStore.Change()
    change.added = store.slots.keys.sorted()
    return change
  }

  private func tell(_ change: EntityStore.Change) {
    guard !observers.isEmpty else { return }
    for number in observers.numbers { tell(number, change) }
    stopIfUnobserved()
  }

  private func tell(_ number: UInt64, _ change: EntityStore.Change) {
    guard let handler = observers.take(number) else { return }
    let isFirst = !isTelling
    isTelling = true
    handler(store, change)
    guard isFirst else { return }
    isTelling = false
    if isForgotten { forget() }
  }

  private func forget() {
    isForgotten = false
    store = EntityStore()
  }
}

extension EntityCacheCore: CacheFeedReader {
  func received(_ event: Span<UInt8>, from index: Int) -> CacheEffect {
    do throws(JSONError) {
      let change = try store.apply(event)
      guard !isPopulated || !change.isEmpty || change.skippedCount > 0 else { return .unchanged }
      isPopulated = true
      tell(change)
      return .changed
    } catch {
      // A new subscription reports the entities again.
      return .outdated
    }
  }

  func subscriptionStarted() { store.subscriptionStarted() }

  func feedStopped() {
    isPopulated = false
    if isTelling { isForgotten = true } else { forget() }
  }

  func populated(with answer: JSON) -> CacheEffect { .unchanged }
  func dropEvents() {}
}
