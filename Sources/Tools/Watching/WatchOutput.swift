import Board
import CLinux

/// Standard output, up to a number of entries, or for as long as a program reads it.
struct WatchOutput {
  private var entriesLeft: Int?
  private var isClosed = false
  private var pending: [UInt8] = []

  init(entryCountMax: Int?) { entriesLeft = entryCountMax }

  var isDone: Bool { isClosed || entriesLeft == 0 }

  /// Adds an entry, which ends with the end of a line. Entries beyond the limit are left out.
  mutating func append(_ entry: [UInt8]) {
    guard !isDone else { return }
    pending += entry
    countEntry()
  }

  /// Ends the output with the entries so far.
  mutating func end() { entriesLeft = 0 }

  /// Counts an entry that is shown elsewhere.
  mutating func countEntry() {
    guard let left = entriesLeft, left > 0 else { return }
    entriesLeft = left - 1
  }

  /// Writes the added entries at once.
  mutating func flush() {
    guard !pending.isEmpty else { return }
    if !writeToTerminal(pending, STDOUT_FILENO) { isClosed = true }
    pending.removeAll(keepingCapacity: true)
  }
}
