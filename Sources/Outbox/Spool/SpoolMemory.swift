import Bytes

/// Entries that are in memory only: as they came, until they are acknowledged, or written and on
/// the disk for certain.
///
/// Invariants:
/// 1. An entry has a place that counts up for ever, and is in memory under that place only.
/// 2. While entries are written, none is taken: what is written is taken from the disk, with its
///    number.
/// 3. No entry is written that was taken and neither acknowledged nor rewound.
/// 4. Where there is no room, the oldest goes and is counted.
final class SpoolMemory {
  private var entries = EntryQueue(capacity: Spool.memoryEntryCountMax)
  private(set) var names = SensorNames()
  /// The place behind the last one that was taken.
  private var takenEnd: UInt64 = 0
  /// Whether what is here is to be written.
  private var isWriteDue = false
  /// The oldest ones, which the disk is being given.
  private(set) var writtenCount = 0
  /// The place of the first one that the disk is being given.
  private var writtenStart: UInt64 = 0
  /// Behind what the cycle under way brings of what was recorded, also once that is written. No
  /// entry behind it has a number up to its own.
  private(set) var mark = SpoolPosition(sequence: 0, inMemory: 0)
  /// The clock of the times that are not trusted.
  var clock: ClockOrigin?
  /// Whether each entry is written as it comes.
  private let isEachWritten: Bool

  init(_ durability: Durability) { isEachWritten = durability == .reading }

  // MARK: What is there

  var count: Int { entries.count }
  /// The place of the first entry, and that behind the last one.
  var start: UInt64 { entries.removedCount }
  var end: UInt64 { entries.removedCount + UInt64(entries.count) }
  /// The place behind what was taken or is gone.
  var position: UInt64 { max(takenEnd, start) }
  /// How many are to be written now: what is acknowledged before its batch is closed is never
  /// written.
  var dueCount: Int { isWriteDue && takenEnd <= start ? entries.count : 0 }

  subscript(index: Int) -> SpoolEntry { entries[index] }

  // MARK: Entries come

  /// The readings of this slot are of that sensor from here on.
  func name(_ slot: UInt8, _ uniqueID: [UInt8]) {
    precondition(
      (1...Spool.uniqueIDByteCountMax).contains(uniqueID.count), "a unique id fits into a record")
    names.set(slot, to: uniqueID)
  }

  /// Returns how many had to go for it.
  // Inlined, with what is below: each call would copy the entry once more.
  @inline(__always)
  func append(_ entry: SpoolEntry) -> Int {
    let overflow = entries.isFull ? 1 : 0
    remove(overflow)
    entries.append(entry)
    if isEachWritten || entries.count >= Spool.batchEntryCountMax { isWriteDue = true }
    return overflow
  }

  /// The mark is behind what is here, and behind the number.
  func mark(after sequence: UInt64) { mark = SpoolPosition(sequence: sequence, inMemory: end) }

  /// What is here is to be written.
  func batchClosed() {
    if !entries.isEmpty { isWriteDue = true }
  }

  /// The clock that told the times, where it was not trusted, was wrong by `step`.
  func correctTimes(by step: Duration) { entries.correctTimes(by: step) }

  // MARK: Entries are taken

  func take(upTo end: UInt64) -> SpoolEntry? {
    let place = position
    guard writtenCount == 0, place < min(self.end, end) else { return nil }
    takenEnd = place + 1
    return entries[Int(place - start)]
  }

  func rewind() { takenEnd = start }

  func acknowledge(upTo place: UInt64) {
    guard place > start else { return }
    remove(min(entries.count, Int(clamping: place - start)))
  }

  private func remove(_ count: Int) {
    entries.removeFirst(count)
    // What is being written keeps its number, whether or not it is still here.
    writtenCount = max(0, writtenCount - count)
    takenEnd = position
  }

  // MARK: Entries are written

  func writeBegan(_ count: Int) {
    writtenCount = count
    writtenStart = start
  }

  func writeFailed() { writtenCount = 0 }

  /// They are on the disk for certain, as so many numbers from `first`.
  func written(from first: UInt64, count: UInt64) {
    if count > 0, mark.inMemory > writtenStart {
      mark.sequence = first + min(count, mark.inMemory - writtenStart) - 1
    }
    remove(writtenCount)
    if entries.isEmpty { isWriteDue = false }
  }
}

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

  @inline(__always)
  mutating func append(_ entry: SpoolEntry) {
    precondition(!isFull, "the caller has made room")
    let place = (head + count) % capacity
    if place == entries.count { entries.append(entry) } else { entries[place] = entry }
    count += 1
  }

  mutating func removeFirst(_ removed: Int) {
    precondition((0...count).contains(removed), "only what waits can go")
    head = (head + removed) % capacity
    count -= removed
    // The first places are in the processor's cache, and those behind may never have been used.
    if count == 0 { head = 0 }
    removedCount += UInt64(removed)
  }
}
