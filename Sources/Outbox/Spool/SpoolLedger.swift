/// The numbers that were given: each to one entry, or to none and never again.
///
/// Invariants: `next` only grows; what is skipped is below it, in order.
struct GivenNumbers {
  /// The number of the next entry.
  private(set) var next: UInt64 = 1
  /// What of the numbers below was skipped since the start.
  private var skipped: [ClosedRange<UInt64>] = []

  /// Entries have these.
  mutating func give(_ count: UInt64) { next += count }

  /// Everything below `end` may have been given.
  mutating func reserve(below end: UInt64) { next = max(next, end) }

  /// Numbers that no entry has, as far as is known. They are not given, and not waited for. Those
  /// that were acknowledged need no note any more.
  mutating func skip(_ count: UInt64, acknowledged: SequenceSet) {
    guard count > 0 else { return }
    skipped.removeAll { acknowledged.contains($0) }
    var first = next
    next += count
    if let last = skipped.last, last.upperBound + 1 == first {
      first = last.lowerBound
      skipped.removeLast()
    }
    skipped.append(first...next - 1)
  }

  /// How many entries may have a number that is not acknowledged.
  func count(without acknowledged: SequenceSet) -> Int {
    var count = Int(clamping: next - 1 - acknowledged.count)
    for numbers in skipped where !acknowledged.contains(numbers) { count -= numbers.count }
    return count
  }
}

/// What is known of the numbers: which were given, which of them Home Assistant has, what of that
/// stands on the disk, and which entries were lost on the way.
///
/// Invariants:
/// 1. Whatever stands on the disk as acknowledged is acknowledged.
/// 2. Numbers that are acknowledged were given.
/// 3. Losses are counted once, and never less.
final class SpoolLedger {
  /// So many acknowledged entries are worth a write of their own.
  private static let acknowledgementsPerWrite: UInt64 = 4096

  private let directory: SegmentDirectory
  private(set) var numbers = GivenNumbers()
  private(set) var acknowledged = SequenceSet()
  /// What the disk says of it.
  private(set) var persisted = SequenceSet()
  var losses = Spool.Losses()
  /// What would be taken last is forgotten first.
  let forgotten: SequenceSet.End

  init(_ order: Spool.Order, _ directory: SegmentDirectory) {
    forgotten = order == .oldestFirst ? .highest : .lowest
    self.directory = directory
  }

  /// The number of the next entry.
  var nextSequence: UInt64 { numbers.next }
  var entryCount: Int { numbers.count(without: acknowledged) }
  var isWriteWorthwhile: Bool {
    acknowledged.count >= persisted.count + Self.acknowledgementsPerWrite
  }

  /// Everything that is there was looked at.
  func opened(with numbers: GivenNumbers, persisted: SequenceSet) {
    self.numbers = numbers
    self.persisted = persisted
    acknowledge(persisted)
    // On a full disk there are files without an entry in them.
    if directory.count == 0 {
      self.numbers = GivenNumbers()
      skip(numbers.next - 1)
    }
    // What Home Assistant has was given, whether or not it is still to be read here.
    self.numbers.reserve(below: acknowledged.highest + 1)
  }

  func acknowledge(_ others: SequenceSet) {
    acknowledged.formUnion(others, forgetting: forgotten)
  }

  func acknowledge(_ range: ClosedRange<UInt64>) {
    acknowledged.insert(range, forgetting: forgotten)
  }

  func give(_ count: UInt64) { numbers.give(count) }
  func reserve(below end: UInt64) { numbers.reserve(below: end) }
  func skip(_ count: UInt64) { numbers.skip(count, acknowledged: acknowledged) }
  func persisted(_ set: SequenceSet) { persisted = set }

  // MARK: Segments

  /// The numbers that entries of the segment can have, or nil where none was given there.
  func numbers(of index: Int) -> ClosedRange<UInt64>? {
    directory.numbers(of: index, before: nextSequence)
  }

  func isAcknowledged(_ index: Int) -> Bool {
    numbers(of: index).map { acknowledged.contains($0) } ?? true
  }

  /// Every number up to `end`, but those of segments that are left alone.
  func readable(upTo end: UInt64) -> SequenceSet {
    var readable = acknowledged
    var first: UInt64 = 0
    for index in directory.segments.indices where directory[index].isLeftAlone {
      guard let held = numbers(of: index), held.lowerBound <= end else { continue }
      if first < held.lowerBound {
        readable.insert(first...held.lowerBound - 1, forgetting: forgotten)
      }
      first = held.upperBound + 1
    }
    if first <= end { readable.insert(first...end, forgetting: forgotten) }
    return readable
  }

  /// Whether the newest segment is the only one, and holds nothing but what was acknowledged.
  var isEverythingAcknowledged: Bool {
    directory.count == 1 && nextSequence > directory.newest.first
      && isAcknowledged(0)
  }

  /// A segment that Home Assistant has all of, and that can be deleted.
  var firstDelivered: Int? {
    directory.segments.indices.dropLast().first {
      !directory[$0].isUndeletable && isAcknowledged($0)
    }
  }

  /// Counts what was found to be no record in a segment that was read to its end.
  func countDamage(of segment: inout Segment, as records: SegmentReader) {
    let tail = max(0, segment.byteCount - records.endOfRecords)
    losses.damagedByteCount += segment.damageFound(byteCount: records.damagedByteCount + tail)
  }
}

extension Segment {
  /// Whether nothing of the spool's was found in it, which was read to its end. A header that the
  /// disk did not read may say what Home Assistant has.
  func isGarbage(as records: SegmentReader) -> Bool {
    header == .damaged && records.recordCount == 0
  }
}
