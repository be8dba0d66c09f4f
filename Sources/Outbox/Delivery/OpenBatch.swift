import Bytes

extension Delivery {
  /// What waits for an upload is written to the disk at the first cycle after this long.
  public static let unwrittenMax: Duration = .seconds(900)
}

/// What was recorded and is not proven yet: when it is to be on the disk, and whether another cycle
/// has to follow for it.
///
/// Invariants:
/// 1. `closesAt` is set only while a proof or a registration is awaited.
/// 2. What was recorded before a cycle was due is proven `Delivery.proofTimeout` later, or it is to
///    be written then.
struct OpenBatch {
  /// When it is written, unless it is proven before.
  private(set) var closesAt: Instant?
  /// Whether a cycle was due while the one before was not proven.
  private var isCycleOwed = false
  /// Since when something waits for the next upload.
  private var waitsSince: Instant?

  /// A cycle is due: what was recorded so far may wait for a proof so long.
  mutating func cycleDue(now: Instant) { closesAt = closesAt ?? now + Delivery.proofTimeout }

  /// What was recorded so far waits for the next upload. Returns whether it is to be written now.
  mutating func uploadPutOff(now: Instant) -> Bool {
    let since = waitsSince ?? now
    let isLong = now - since >= Delivery.unwrittenMax
    waitsSince = isLong ? nil : since
    return isLong
  }

  /// The cycle that is due cannot begin before the one under way ends.
  mutating func cyclePutOff() { isCycleOwed = true }

  /// A cycle begins, with everything that was recorded so far.
  mutating func cycleBegan() {
    isCycleOwed = false
    waitsSince = nil
  }

  /// Returns whether it is to be written now. A proof may still come.
  mutating func isClosing(now: Instant) -> Bool {
    guard let moment = closesAt, now >= moment else { return false }
    closesAt = nil
    return true
  }

  /// The cycle under way is proven. Returns whether the one that was put off follows at once, as
  /// something was recorded since.
  mutating func proven(hasNews: Bool) -> Bool {
    if isCycleOwed, hasNews { return true }
    close()
    return false
  }

  /// No proof is waited for.
  mutating func close() {
    closesAt = nil
    isCycleOwed = false
    waitsSince = nil
  }
}
