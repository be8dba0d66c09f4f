import Bytes

/// Entries that are in memory only, the oldest first, up to a limit that is given once.
struct EntryQueue {
  private var entries: [SpoolEntry] = []
  private let capacity: Int
  private var head = 0
  private(set) var count = 0
  /// How many were ever taken out; so each entry has a number for as long as it is here.
  private(set) var removedCount: UInt64 = 0

  init(capacity: Int) {
    self.capacity = capacity
    entries.reserveCapacity(capacity)
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == capacity }

  subscript(index: Int) -> SpoolEntry {
    precondition((0..<count).contains(index), "only what waits can be looked at")
    return entries[(head + index) % capacity]
  }

  /// Sets the times of readings right that a wrong clock told.
  mutating func correctTimes(by step: Duration) {
    for index in entries.indices { entries[index].correctTime(by: step) }
  }

  mutating func append(_ entry: SpoolEntry) {
    precondition(!isFull, "somebody decided before what goes")
    let place = (head + count) % capacity
    if place == entries.count { entries.append(entry) } else { entries[place] = entry }
    count += 1
  }

  mutating func removeFirst(_ removed: Int) {
    precondition((0...count).contains(removed), "only what waits can go")
    head = (head + removed) % capacity
    count -= removed
    removedCount += UInt64(removed)
  }
}
