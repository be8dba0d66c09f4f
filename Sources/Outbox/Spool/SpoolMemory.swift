import Bytes

/// Entries that exist only in memory, until they are acknowledged, or on the disk for certain.
///
/// Invariants:
/// 1. An entry has a position, which increases, and is in memory only at that position.
/// 2. While entries are written, none is taken: they are then taken from the disk, with their
///    numbers.
/// 3. No entry is written that was taken and neither acknowledged nor rewound.
/// 4. If there is no room, the oldest entry is dropped and counted.
final class SpoolMemory {
  private var entries = EntryQueue(capacity: Spool.memoryEntryCountMax)
  private(set) var names = SensorNames()
  /// Position after the last entry that was taken.
  private var takenEnd: UInt64 = 0
  /// Whether the entries are due for writing.
  private var isWriteDue = false
  /// Number of the oldest entries, which are being written.
  private(set) var writtenCount = 0
  /// Position of the first entry that is being written.
  private var writtenStart: UInt64 = 0
  /// Position after the entries of the present cycle, also once they are written. No entry after it
  /// has a number up to its own.
  private(set) var mark = SpoolPosition(sequence: 0, inMemory: 0)
  /// Clock of the times that are not trusted.
  var clock: ClockOrigin?
  /// Whether each entry is written immediately.
  private let isEachWritten: Bool

  init(_ durability: Durability) { isEachWritten = durability == .reading }

  // MARK: Content

  var count: Int { entries.count }
  /// Positions of the first entry, and after the last one.
  var start: UInt64 { entries.removedCount }
  var end: UInt64 { entries.removedCount + UInt64(entries.count) }
  /// Position after the entries that were taken or removed.
  var position: UInt64 { max(takenEnd, start) }
  /// Number of entries to write now: entries acknowledged before their batch is closed are never
  /// written.
  var dueCount: Int { isWriteDue && takenEnd <= start ? entries.count : 0 }

  subscript(index: Int) -> SpoolEntry { entries[index] }

  // MARK: Recording

  /// Assigns the slot to a sensor for all later readings.
  func name(_ slot: UInt8, _ uniqueID: [UInt8]) {
    precondition(
      (1...Spool.uniqueIDByteCountMax).contains(uniqueID.count), "a unique id fits into a record")
    names.set(slot, to: uniqueID)
  }

  /// Adds an entry. Returns the number of entries that were dropped for it.
  // Inlined, with its callees: each call would copy the content once more.
  @inline(__always)
  func append(_ content: SpoolEntry.Content, at time: WallTime, isTimeTrusted: Bool) -> Int {
    let isFull = entries.isFull
    if isFull { remove(1) }
    entries.append(content, at: time, isTimeTrusted: isTimeTrusted)
    if isEachWritten || entries.count >= Spool.batchEntryCountMax { isWriteDue = true }
    return isFull ? 1 : 0
  }

  /// Sets the mark after the present entries, and after the number.
  func mark(after sequence: UInt64) { mark = SpoolPosition(sequence: sequence, inMemory: end) }

  /// Makes the present entries due for writing.
  func batchClosed() {
    if !entries.isEmpty { isWriteDue = true }
  }

  func correctTimes(by step: Duration) { entries.correctTimes(by: step) }

  // MARK: Taking

  func take(upTo end: UInt64) -> SpoolEntry? {
    let place = position
    guard writtenCount == 0, place < min(self.end, end) else { return nil }
    takenEnd = place + 1
    return entries[Int(place - start)]
  }

  /// Makes all entries available again; they may be written meanwhile. Those already taken can
  /// still be acknowledged.
  func rewind() { takenEnd = start }

  func acknowledge(upTo place: UInt64) {
    guard place > start else { return }
    remove(min(entries.count, Int(clamping: place - start)))
  }

  private func remove(_ count: Int) {
    entries.removeFirst(count)
    // An entry that is being written keeps its number, even if it is removed here.
    writtenCount = max(0, writtenCount - count)
    takenEnd = position
  }

  // MARK: Writing

  func writeBegan(_ count: Int) {
    writtenCount = count
    writtenStart = start
  }

  func writeFailed() { writtenCount = 0 }

  /// Removes written entries, which are on the disk for certain with `count` numbers from `first`.
  func written(from first: UInt64, count: UInt64) {
    if count > 0, mark.inMemory > writtenStart {
      mark.sequence = first + min(count, mark.inMemory - writtenStart) - 1
    }
    remove(writtenCount)
    if entries.isEmpty { isWriteDue = false }
  }
}

/// Queue of entries in memory, the oldest first, with a fixed capacity.
struct EntryQueue {
  private var entries: [SpoolEntry] = []
  private let capacity: Int
  private var head = 0
  private(set) var count = 0
  /// Number of entries ever removed; an entry's index added to it is its position.
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

  /// Corrects untrusted times by `step`.
  mutating func correctTimes(by step: Duration) {
    for index in entries.indices { entries[index].correctTime(by: step) }
  }

  /// Adds an entry without a number.
  // Part by part: an entry would be put together first, and then copied.
  @inline(__always)
  mutating func append(_ content: SpoolEntry.Content, at time: WallTime, isTimeTrusted: Bool) {
    precondition(!isFull, "the caller has made room")
    let place = (head + count) % capacity
    if place == entries.count { entries.append(.blank) }
    entries[place].sequence = nil
    entries[place].time = time
    entries[place].isTimeTrusted = isTimeTrusted
    entries[place].content = content
    count += 1
  }

  mutating func removeFirst(_ removed: Int) {
    precondition((0...count).contains(removed), "only what waits can go")
    head = (head + removed) % capacity
    count -= removed
    // The first elements are in the processor's cache; later ones may never have been used.
    if count == 0 { head = 0 }
    removedCount += UInt64(removed)
  }
}
