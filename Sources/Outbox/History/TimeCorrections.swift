import Bytes
import Sensing

/// By how much the times of entries on the disk are wrong, as far as this run of the agent knows.
/// What an earlier run kept with a clock that was not known to be right stays as it is.
struct TimeCorrections {
  /// The clock is set once or twice; one that is set more often is not worth more memory.
  static let countMax = 8

  private struct Correction {
    var step: Duration
    /// The last number of an entry that needs it.
    let last: UInt64
  }

  private var corrections: [Correction] = []
  /// The last number that an earlier run gave.
  private var earlierRuns: UInt64 = .max

  mutating func runBegins(after sequence: UInt64) { earlierRuns = sequence }

  /// The clock was set, and all entries up to this one are older than that.
  mutating func add(_ step: Duration, upTo sequence: UInt64) {
    if corrections.count == Self.countMax {
      corrections[1].step += corrections[0].step
      corrections.removeFirst()
    }
    corrections.append(Correction(step: step, last: sequence))
  }

  /// The entry with its time put right. `isClockTrusted` says whether the clock is right by now.
  func corrected(_ entry: SpoolEntry, isClockTrusted: Bool) -> SpoolEntry {
    guard !entry.isTimeTrusted else { return entry }
    var corrected = entry
    // What has no number is in memory, where it was put right already.
    if let sequence = entry.sequence {
      guard sequence > earlierRuns else { return entry }
      for correction in corrections where sequence <= correction.last {
        corrected.time = corrected.time + correction.step
      }
    }
    corrected.isTimeTrusted = isClockTrusted
    return corrected
  }
}
