/// A place among the entries as they are recorded, which stays there when they are written.
///
/// Invariant: no entry behind it has a number up to `sequence`.
struct SpoolMark {
  /// The last number before it, of those that were given.
  private(set) var sequence: UInt64
  /// The place of the first entry in memory that is behind it.
  let place: UInt64

  init(sequence: UInt64, place: UInt64) {
    self.sequence = sequence
    self.place = place
  }

  /// The entries from `start` were given numbers, in their order.
  mutating func entriesNumbered(from first: UInt64, count: UInt64, at start: UInt64) {
    guard count > 0, place > start else { return }
    sequence = first + min(count, place - start) - 1
  }
}

extension Spool {
  /// What is recorded from here on is behind the `mark`.
  func cycleBegan() { memory.mark(after: ledger.nextSequence - 1) }

  /// Up to where entries were recorded when the cycle began, wherever they are now.
  var mark: SpoolPosition {
    SpoolPosition(sequence: memory.mark.sequence, inMemory: memory.mark.place)
  }

  /// Whether something was recorded behind the mark.
  var hasNews: Bool { memory.end > memory.mark.place }
}
