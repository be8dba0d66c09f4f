/// Something that can be watched.
protocol Observed: AnyObject {
  func stopObserving(_ number: UInt64)
}

/// Who watches something, in the order in which they began.
///
/// To tell them, take each of `numbers`: then one may end another, or begin, while they are told.
struct ObserverList<Handler> {
  private var entries: [(number: UInt64, isOnce: Bool, handler: Handler)] = []
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var numbers: [UInt64] { entries.map { $0.number } }

  /// Adds one that is told every time, or `isOnce`. Its number is never used again.
  mutating func add(isOnce: Bool = false, _ handler: Handler) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, isOnce, handler))
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }
  mutating func removeAll() { entries = [] }

  /// What to call now, or nil where it does not watch any more.
  mutating func take(_ number: UInt64) -> Handler? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = entries[index]
    if entry.isOnce { entries.remove(at: index) }
    return entry.handler
  }
}
