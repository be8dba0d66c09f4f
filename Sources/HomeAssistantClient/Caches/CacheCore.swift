import Bytes
import HomeAssistant

/// Value and observers of a cache. The feed refers to them; they outlive the cache only until it is
/// closed.
final class CacheCore<Value> {
  enum Origin {
    case constant
    case server(CacheFeed, CachePopulation<Value>?, [CacheUpdate<Value>])
    /// Another cache: a read of its value, and a start of its observation.
    case derived(read: () -> Value?, watch: (CacheCore) -> Observation)
  }

  /// Maximum number of events that wait for the answer to a request. One more repeats the request.
  static var waitingMax: Int { 256 }

  private let origin: Origin
  /// Value before any answer or event.
  private let initial: Value?
  private(set) var kept: Value?
  private var observers = ObserverList<(Value) -> Void>()
  private var waiting: [CacheUpdate<Value>.Step] = []
  private var isOverrun = false
  private var upstream: Observation?

  init(_ origin: Origin, _ value: Value?) {
    self.origin = origin
    initial = value
    kept = value
  }

  var value: Value? {
    if case .derived(let read, _) = origin, observers.isEmpty { return read() }
    return kept
  }

  var feed: CacheFeed? { if case .server(let feed, _, _) = origin { feed } else { nil } }

  // MARK: Observers

  func observe(isOnce: Bool, _ handler: @escaping (Value) -> Void) -> UInt64? {
    start()
    if let kept {
      let number = isOnce ? nil : observers.add(handler)
      handler(kept)
      if isOnce { stopIfUnobserved() }
      return number
    }
    return observers.add(isOnce: isOnce, handler)
  }

  func stopObserving(_ number: UInt64) {
    observers.remove(number)
    stopIfUnobserved()
  }

  /// Stops all traffic; called when the cache is released.
  func close() {
    observers.removeAll()
    feed?.stop()
    stopIfUnobserved()
  }

  private func start() {
    switch origin {
    case .constant: break
    case .server(let feed, _, _): feed.observed(by: self)
    case .derived(_, let watch): if observers.isEmpty { upstream = watch(self) }
    }
  }

  private func stopIfUnobserved() {
    guard observers.isEmpty else { return }
    switch origin {
    case .constant: break
    case .server(let feed, _, _): feed.unobserved()
    case .derived:
      let ended = upstream.take()
      kept = nil
      ended?.cancel()
    }
  }

  func replace(with value: Value) {
    kept = value
    tell()
  }

  private func tell() {
    guard !observers.isEmpty else { return }
    for number in observers.numbers {
      guard let kept else { return }
      observers.take(number)?(kept)
    }
    stopIfUnobserved()
  }
}

extension CacheCore: CacheFeedReader {
  func populated(with answer: JSON) throws(JSONDecodingError) -> CacheEffect {
    guard case .server(_, let population?, _) = origin else { return .unchanged }
    var value: Value? = try population.decode(answer, kept)
    var effect = isOverrun ? CacheEffect.outdated : .changed
    for step in waiting where step(&value) == .outdated { effect = .outdated }
    dropEvents()
    kept = value
    tell()
    return effect
  }

  func received(_ event: Span<UInt8>, from index: Int) -> CacheEffect {
    guard case .server(let feed, _, let updates) = origin else { return .unchanged }
    guard let step = updates[index].decode(event) else { return .outdated }
    switch feed.phase {
    case .stopped: return .unchanged
    case .populating:
      wait(step)
      return .unchanged
    case .behind:
      // The value is too old for a change, but the event may hold a whole new value.
      var value: Value?
      return finish(step(&value), value)
    case .current:
      var value = kept.take()
      return finish(step(&value), value)
    }
  }

  private func finish(_ effect: CacheEffect, _ value: Value?) -> CacheEffect {
    if let value { kept = value }
    if effect == .changed { tell() }
    return effect
  }

  private func wait(_ step: @escaping CacheUpdate<Value>.Step) {
    guard waiting.count < Self.waitingMax else {
      waiting = []
      isOverrun = true
      return
    }
    waiting.append(step)
  }

  func dropEvents() {
    waiting = []
    isOverrun = false
  }

  func subscriptionStarted() {}

  func feedStopped() {
    dropEvents()
    kept = initial
  }
}
