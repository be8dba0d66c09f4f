import Bytes

/// Detects whether an anchored boat leaves its circle.
///
/// A fix that is outside beyond its error counts after a second one; one that is only likely to be
/// outside, after three in a row. Receivers wander, and people switch off an alarm that is false at
/// night. The same applies to the return, so that a boat at the edge causes one alarm.
public struct AnchorWatch: Equatable, Sendable {
  /// Number of fixes in a row that are outside, or inside, beyond their errors.
  public static let certainMax = 2
  /// Number of fixes in a row that are likely to be outside, or inside.
  public static let likelyMax = 3
  /// Part of the radius within which a boat counts as inside again.
  public static let returnFactor = 0.9

  /// Place of the anchor.
  public let anchor: EarthPoint
  /// Largest distance of the boat: chain, boat, and the offset of the receiver.
  public let radiusMeters: Double
  public private(set) var isOutside = false
  /// Distance at the last fix, in metres; nil before the first one.
  public private(set) var distanceMeters: Double?
  private var certainCount = 0
  private var likelyCount = 0
  private var judgedAt: Instant?

  /// `isOutside` is the state from an earlier run of the agent.
  public init(anchor: EarthPoint, radiusMeters: Double, isOutside: Bool = false) {
    self.anchor = anchor
    self.radiusMeters = radiusMeters
    self.isOutside = isOutside
  }

  /// Records a fix. Returns whether the boat is outside, if that has changed.
  public mutating func fixReported(_ fix: Fix) -> Bool? {
    let sighting = TrackSighting(fix)
    if let judgedAt, sighting.instant <= judgedAt { return nil }
    judgedAt = sighting.instant
    let distance = anchor.distanceMeters(to: sighting.point)
    distanceMeters = distance
    let error = sighting.errorMeters
    let isCertain =
      isOutside ? distance + error <= radiusMeters : distance - error > radiusMeters
    let isLikely =
      isOutside ? distance <= radiusMeters * Self.returnFactor : distance > radiusMeters
    certainCount = isCertain ? certainCount + 1 : 0
    likelyCount = isLikely ? likelyCount + 1 : 0
    guard certainCount >= Self.certainMax || likelyCount >= Self.likelyMax else { return nil }
    isOutside.toggle()
    (certainCount, likelyCount) = (0, 0)
    return isOutside
  }
}
