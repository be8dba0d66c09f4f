/// Sequence numbers: all up to one, and a few ranges above it.
///
/// It is bounded. Where one range too many comes, one is forgotten.
struct SequenceSet: Sendable {
  /// As many as a record has room for.
  static let rangeCountMax = 15

  /// From where on something is forgotten.
  enum End { case lowest, highest }

  /// Every number up to here is in.
  private(set) var prefix: UInt64 = 0
  private(set) var rangeCount = 0
  /// How many numbers are in. It is asked far more often than it changes.
  private(set) var count: UInt64 = 0
  /// Ascending, and at least one number apart from each other and from the prefix.
  private var ranges = InlineArray<15, ClosedRange<UInt64>>(repeating: 0...0)

  init() {}

  /// Every number up to `prefix`.
  init(upTo prefix: UInt64) {
    self.prefix = prefix
    count = prefix
  }

  /// The ranges above the prefix, the lowest first.
  func range(_ index: Int) -> ClosedRange<UInt64> {
    precondition(index < rangeCount, "only what is in the set can be looked at")
    return ranges[index]
  }

  /// The highest number that is in, or 0.
  var highest: UInt64 { rangeCount == 0 ? prefix : ranges[rangeCount - 1].upperBound }

  /// The highest number below `end` that is not in, or 0.
  func highestMissing(below end: UInt64) -> UInt64 {
    var number = end - 1
    for index in (0..<rangeCount).reversed() where ranges[index].contains(number) {
      number = ranges[index].lowerBound - 1
    }
    return number > prefix ? number : 0
  }

  func contains(_ number: UInt64) -> Bool { contains(number...number) }

  /// Whether all of the numbers are in.
  func contains(_ numbers: ClosedRange<UInt64>) -> Bool {
    if numbers.upperBound <= prefix { return true }
    for index in 0..<rangeCount where numbers.upperBound <= ranges[index].upperBound {
      return numbers.lowerBound >= ranges[index].lowerBound
    }
    return false
  }

  /// Puts numbers in; where there are too many ranges, the one at that end is forgotten.
  mutating func insert(_ numbers: ClosedRange<UInt64>, forgetting end: End) {
    defer { recount() }
    var lower = numbers.lowerBound
    var upper = numbers.upperBound
    var index = 0
    // What touches the numbers becomes one with them.
    while index < rangeCount, ranges[index].lowerBound <= upper + 1 {
      guard ranges[index].upperBound + 1 >= lower else {
        index += 1
        continue
      }
      lower = min(lower, ranges[index].lowerBound)
      upper = max(upper, ranges[index].upperBound)
      remove(at: index)
    }
    guard lower > prefix + 1 else {
      prefix = max(prefix, upper)
      return dropPrefixed()
    }
    if rangeCount == Self.rangeCountMax {
      guard index != (end == .lowest ? 0 : rangeCount) else { return }
      remove(at: end == .lowest ? 0 : rangeCount - 1)
      if end == .lowest { index -= 1 }
    }
    for place in (index..<rangeCount).reversed() { ranges[place + 1] = ranges[place] }
    ranges[index] = lower...upper
    rangeCount += 1
  }

  mutating func formUnion(_ other: SequenceSet, forgetting end: End) {
    insert(0...other.prefix, forgetting: end)
    for index in 0..<other.rangeCount { insert(other.ranges[index], forgetting: end) }
  }

  private mutating func recount() {
    count = prefix
    for index in 0..<rangeCount { count += ranges[index].upperBound - ranges[index].lowerBound + 1 }
  }

  private mutating func remove(at index: Int) {
    rangeCount -= 1
    for place in index..<rangeCount { ranges[place] = ranges[place + 1] }
  }

  /// The prefix may have grown up to ranges that it now holds.
  private mutating func dropPrefixed() {
    while rangeCount > 0, ranges[0].lowerBound <= prefix + 1 {
      prefix = max(prefix, ranges[0].upperBound)
      remove(at: 0)
    }
  }
}

extension SequenceSet: Equatable {
  static func == (one: SequenceSet, other: SequenceSet) -> Bool {
    one.prefix == other.prefix && one.hasSameRanges(as: other)
  }

  func hasSameRanges(as other: SequenceSet) -> Bool {
    guard rangeCount == other.rangeCount else { return false }
    for index in 0..<rangeCount where ranges[index] != other.ranges[index] { return false }
    return true
  }
}

/// A part of the entries of a spool, which alone knows what it means: those that were taken, or all
/// up to a place.
public struct SpoolPosition: Equatable, Sendable {
  /// The numbers of it.
  var numbers: SequenceSet
  /// Of the entries that are in memory only, how many there ever were up to its end.
  var inMemory: UInt64

  init(numbers: SequenceSet, inMemory: UInt64) {
    self.numbers = numbers
    self.inMemory = inMemory
  }

  /// Everything up to a number and up to an entry in memory.
  init(sequence: UInt64, inMemory: UInt64) {
    self.init(numbers: SequenceSet(upTo: sequence), inMemory: inMemory)
  }

  /// Up to where no number is missing.
  var sequence: UInt64 { numbers.prefix }
}
