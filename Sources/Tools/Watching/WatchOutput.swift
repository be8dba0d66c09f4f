import Board
import CLinux

/// Standard output, as far as it is wanted: so many entries, or as long as a program reads it.
struct WatchOutput {
  private var entriesLeft: Int?
  private var isClosed = false
  private var pending: [UInt8] = []

  init(entryCountMax: Int?) { entriesLeft = entryCountMax }

  var isDone: Bool { isClosed || entriesLeft == 0 }

  /// Adds an entry, which ends with the end of a line. What is more than is wanted is left out.
  mutating func append(_ entry: [UInt8]) {
    guard !isDone else { return }
    pending += entry
    countEntry()
  }

  /// No more is wanted than what was added.
  mutating func end() { entriesLeft = 0 }

  /// Counts an entry that people are shown elsewhere.
  mutating func countEntry() {
    guard let left = entriesLeft, left > 0 else { return }
    entriesLeft = left - 1
  }

  /// Writes what was added, in one go.
  mutating func flush() {
    guard !pending.isEmpty else { return }
    if !writeToTerminal(pending, STDOUT_FILENO) { isClosed = true }
    pending.removeAll(keepingCapacity: true)
  }
}
