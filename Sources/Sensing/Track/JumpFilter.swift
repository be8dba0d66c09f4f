import Bytes

/// Refuses fixes where the board cannot be, coming from where it was: reflected, spoofed or made
/// by a receiver that has lost itself.
///
/// It never refuses for ever: what was refused is believed once it agrees with itself, and after
/// some minutes in any case.
struct JumpFilter {
  enum Verdict { case plausible, refused, newPlace }

  /// Refused fixes in a row that agree with each other, after which they are believed.
  static let agreeingMax = 3
  /// How long fixes are refused that agree neither with what is believed nor with each other.
  static let refusalMax: Duration = .seconds(300)
  /// What the receiver says of the speed holds for so long.
  static let speedIsKnownFor = 60.0
  /// What a board can be faster in between than the receiver said before and after, in metres per
  /// second.
  static let speedMargin = 15.0
  static let speedFactor = 1.5
  /// Of a board whose speed is not known: a fast train, in metres per second.
  static let unknownSpeedMax = 70.0

  private var believed: TrackSighting?
  private var suspect: TrackSighting?
  private var agreeingCount = 0
  /// When the first of the fixes came that are refused.
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
