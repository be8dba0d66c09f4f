import Bytes

extension Delivery {
  /// Time after which entries that wait for an upload are written to the disk, at the next cycle.
  public static let unwrittenMax: Duration = .seconds(900)
}

/// Timer of the recorded entries that are not proven yet: when to write them to the disk, and
/// whether another cycle must follow.
///
/// Invariants:
/// 1. `closesAt` is set only during the wait for a proof or a registration.
/// 2. Entries recorded before a cycle was due are proven within `Delivery.proofTimeout`, or due to
///    be written then.
struct OpenBatch {
  /// Time at which the entries are written, unless they are proven before.
  private(set) var closesAt: Instant?
  /// Whether a cycle became due while the one before was not proven.
  private var isCycleOwed = false
  /// Time since which entries wait for the next upload.
  private var waitsSince: Instant?

  /// Starts the timeout for a proof of the entries recorded so far, if it is not running.
  mutating func cycleDue(now: Instant) { closesAt = closesAt ?? now + Delivery.proofTimeout }

  /// Postpones the entries to the next upload. Returns whether they must be written now.
  mutating func uploadPutOff(now: Instant) -> Bool {
    let since = waitsSince ?? now
    let isLong = now - since >= Delivery.unwrittenMax
    waitsSince = isLong ? nil : since
    return isLong
  }

  /// Records that the due cycle must wait for the end of the present one.
  mutating func cyclePutOff() { isCycleOwed = true }

  /// Handles the beginning of a cycle, which includes all entries recorded so far.
  mutating func cycleBegan() {
    isCycleOwed = false
    waitsSince = nil
  }

  /// Returns whether the entries must be written now. A proof may still come.
  mutating func isClosing(now: Instant) -> Bool {
    guard let moment = closesAt, now >= moment else { return false }
    closesAt = nil
    return true
  }

  /// Handles the proof of the present cycle. Returns whether the postponed one follows at once,
  /// because of newer entries.
  mutating func proven(hasNews: Bool) -> Bool {
    if isCycleOwed, hasNews { return true }
    close()
    return false
  }

  /// Ends the wait for a proof.
  mutating func close() {
    closesAt = nil
    isCycleOwed = false
    waitsSince = nil
  }
}
