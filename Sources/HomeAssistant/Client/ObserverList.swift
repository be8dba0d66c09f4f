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
