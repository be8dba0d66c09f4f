import Bytes

/// Rejects fixes that the board cannot have reached from its last place: reflected, spoofed, or
/// from a receiver that has lost its position.
///
/// It never rejects forever: rejected fixes are accepted once they agree with each other, and after
/// some minutes in any case.
struct JumpFilter {
  enum Verdict { case plausible, refused, newPlace }

  /// Number of rejected fixes in a row that agree with each other before they are accepted.
  static let agreeingMax = 3
  /// Longest time for which fixes are rejected that agree neither with the accepted place nor with
  /// each other.
  static let refusalMax: Duration = .seconds(300)
  /// Time in seconds for which a reported speed counts.
  static let speedIsKnownFor = 60.0
  /// Margin over the speeds that the receiver reported before and after, in metres per second.
  static let speedMargin = 15.0
  static let speedFactor = 1.5
  /// Assumed speed of a board without a reported one: a fast train, in metres per second.
  static let unknownSpeedMax = 70.0

  private var believed: TrackSighting?
  private var suspect: TrackSighting?
  private var agreeingCount = 0
  /// Time of the first of the rejected fixes.
  private var refusedSince: Instant?

  mutating func judge(_ sighting: TrackSighting) -> Verdict {
    guard let believed, !Self.canReach(sighting, from: believed) else {
      believe(sighting)
      return .plausible
    }
    let agrees = suspect.map { Self.canReach(sighting, from: $0) } ?? false
    agreeingCount = agrees ? agreeingCount + 1 : 1
    suspect = sighting
    let since = refusedSince ?? sighting.instant
    refusedSince = since
    guard agreeingCount >= Self.agreeingMax || sighting.instant - since >= Self.refusalMax else {
      return .refused
    }
    believe(sighting)
    return .newPlace
  }

  private mutating func believe(_ sighting: TrackSighting) {
    believed = sighting
    (suspect, agreeingCount, refusedSince) = (nil, 0, nil)
  }

  private static func canReach(_ here: TrackSighting, from there: TrackSighting) -> Bool {
    let way = here.meters(from: there) - here.errorMeters - there.errorMeters
    let seconds = max(here.seconds(since: there), 1)
    return way <= seconds * speedMax(here, there, seconds)
  }

  private static func speedMax(
    _ here: TrackSighting, _ there: TrackSighting, _ seconds: Double
  ) -> Double {
    guard let now = here.speedMetersPerSecond, let before = there.speedMetersPerSecond else {
      return unknownSpeedMax
    }
    let said = max(now, before) * speedFactor
    return seconds <= speedIsKnownFor ? said + speedMargin : max(said, unknownSpeedMax)
  }
}
