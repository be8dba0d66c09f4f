import Bytes

/// What entities are, kept up to date, with what each event changed.
///
///     let lights = caches.states(SubscribeEntities(include: EntityFilter(domains: ["light"])))
///     let observation = lights.observe { entities, change in
///       for id in change.changed { show(entities[id]) }
///     }
///
/// An event costs what it changes, not what there is. The rules of `Cache` are its rules.
public final class EntityCache {
  let core: EntityCacheCore

  /// - Parameters:
  ///   - client: is kept.
  ///   - subscription: which entities.
  ///   - retention: what becomes of it while it has no observer.
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

  // MARK: What is known

  /// Whether Home Assistant has said what there is, be it on an earlier connection.
  public var isPopulated: Bool { core.isPopulated }
  /// How many entities are known.
  public var count: Int { core.store.count }
  /// An entity as it is; nil where there is none of this id, or nothing is known yet.
  public subscript(id: EntityID) -> Entity? { core.store[id] }
  /// Calls `body` with every entity, in no order.
  public func forEach(_ body: (Entity) -> Void) { core.store.forEach(body) }

  /// Why it is not up to date: Home Assistant refused the subscription, which is tried again.
  public var failure: RequestError? { core.feed.failure }

  /// What becomes of it while it has no observer.
  public var retention: CacheRetention {
    get { core.feed.retention }
    set { core.feed.retention = newValue }
  }

  // MARK: Observing

  /// What is called with all entities, and with those of them that changed.
  public typealias Handler = (
    _ entities: borrowing EntityStore, _ change: EntityStore.Change
  ) -> Void

  /// Calls `handler` with what there is, at once where it is known, and then after every change,
  /// until the observation ends. The first time, all that there is has been added.
  public func observe(_ handler: @escaping Handler) -> Observation {
    Observation(of: self, number: core.observe(handler))
  }

  /// Calls `handler` once when it is known what there is, unless the observation ends before.
  public func once(_ handler: @escaping (borrowing EntityStore) -> Void) -> Observation {
    guard let number = core.once({ entities, _ in handler(entities) }) else { return .over }
    return Observation(of: self, number: number)
  }

  // MARK: Deriving

  /// What all entities together come to; it is made once for each event that changes any.
  public func map<Derived>(
    _ transform: @escaping (borrowing EntityStore) -> Derived
  ) -> Cache<Derived> {
    Cache<Derived>(
      read: { self.isPopulated ? transform(self.core.store) : nil },
      watch: { derived in
        self.observe { entities, _ in derived.replace(with: transform(entities)) }
      })
  }

  /// One entity, whose observers are told of its changes alone; nil where there is none of that
  /// name.
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
  func stopObserving(_ number: UInt64) { core.stopObserving(number) }
}

extension EntityStore.Change {
  fileprivate func mentions(_ id: EntityID) -> Bool {
    changed.contains(id) || added.contains(id) || removed.contains(id)
  }
}

/// The entities and those who observe them.
final class EntityCacheCore {
  let feed: CacheFeed
  private(set) var store = EntityStore()
  private(set) var isPopulated = false
  private var observers = ObserverList<EntityCache.Handler>()
  /// An observer looks at the store, which cannot change meanwhile.
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

  /// The cache is gone.
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
      // What it would have changed is known again with a new subscription.
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
