protocol Observed: AnyObject {
  func stopObserving(_ number: UInt64)
}

/// Observers in the order in which they began.
///
/// To call them, take each of `numbers`: then a handler may end another observer or add one.
struct ObserverList<Handler> {
  private var entries: [(number: UInt64, isOnce: Bool, handler: Handler)] = []
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var numbers: [UInt64] { entries.map { $0.number } }

  /// Adds an observer, which is called every time, or only once if `isOnce`. Its number is never
  /// reused.
  mutating func add(isOnce: Bool = false, _ handler: Handler) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, isOnce, handler))
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }
  mutating func removeAll() { entries = [] }

  /// Returns the handler to call, or nil if the observer has ended.
  mutating func take(_ number: UInt64) -> Handler? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = entries[index]
    if entry.isOnce { entries.remove(at: index) }
    return entry.handler
  }
}
