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
