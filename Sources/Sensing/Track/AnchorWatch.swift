import Bytes

/// Watches that an anchored boat stays where it is.
///
/// A fix that is outside beyond its error is believed when the next one is, too; one that is only
/// likely to be outside, when three in a row are. A receiver wanders, and an alarm that cries at
/// night for nothing is switched off. The same holds for the way back, so a boat at the edge gives
/// one alarm.
public struct AnchorWatch: Equatable, Sendable {
  /// Fixes in a row that are outside, or inside, beyond their errors, before that is believed.
  public static let certainMax = 2
  /// Fixes in a row that are likely to be outside, or inside, before that is believed.
  public static let likelyMax = 3
  /// Inside again is nearer than this part of the radius.
  public static let returnFactor = 0.9

  /// Where the watch was set.
  public let anchor: EarthPoint
  /// How far the boat may be from there: chain, boat, and the way to the receiver.
  public let radiusMeters: Double
  public private(set) var isOutside = false
  /// How far the boat was by the last fix, in metres; nil before there was one.
  public private(set) var distanceMeters: Double?
  private var certainCount = 0
  private var likelyCount = 0
  private var judgedAt: Instant?

  /// `isOutside` is what an earlier run of the agent knew.
  public init(anchor: EarthPoint, radiusMeters: Double, isOutside: Bool = false) {
    self.anchor = anchor
    self.radiusMeters = radiusMeters
    self.isOutside = isOutside
  }

  /// Returns whether the boat is outside, where that is another answer than before.
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
