import Sensing

/// Which entries of a segment stay when it loses detail: of the numbers of each sensor every other
/// one, and every other fix and those where the course has turned. What is no number is a change, and
/// stays.
struct SpoolThinning {
  /// How often a segment is thinned before it is dropped.
  static let countMax: UInt8 = 3
  /// A fix stays when its course has turned by this much since the last one that stayed.
  static let turnDegrees = 20.0

  private var skipped = SlotSet()
  private var hasSkippedFix = false
  private var lastTrackDegrees: Double?

  mutating func keeps(_ entry: SpoolEntry) -> Bool {
    switch entry.content {
    case .reading(let slot, .number):
      skipped.toggle(slot)
      return !skipped.contains(slot)
    case .reading: return true
    case .fix(let fix):
      guard hasSkippedFix || hasTurned(fix) else {
        hasSkippedFix = true
        return false
      }
      hasSkippedFix = false
      lastTrackDegrees = fix.trackDegrees ?? lastTrackDegrees
      return true
    }
  }

  private func hasTurned(_ fix: Fix) -> Bool {
    guard let track = fix.trackDegrees else { return false }
    guard let last = lastTrackDegrees else { return true }
    let turn = (track - last).magnitude
    return min(turn, 360 - turn) >= Self.turnDegrees
  }
}
