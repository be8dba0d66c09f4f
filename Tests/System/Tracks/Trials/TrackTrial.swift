import Bytes
public import Sensing

/// What the track filter makes of a voyage.
public struct TrackTrial: Sendable {
  /// What the agent had to judge.
  public let fixes: [Fix]
  public private(set) var decisions: [TrackDecision] = []
  /// All that the receiver said.
  private let voyage: Voyage

  /// Judges a voyage as an agent does whose cycles are so far apart.
  public init(_ voyage: Voyage, _ settings: TrackFilter.Settings, cycle: Duration) {
    self.voyage = voyage
    fixes = voyage.fixes(every: cycle)
    var filter = TrackFilter(settings)
    decisions = fixes.map { filter.fixReported($0) }
  }

  public var points: [Fix] { zip(fixes, decisions).filter(\.1.isKept).map(\.0) }

  public var refusedCount: Int { decisions.count(where: \.isRefusal) }

  // MARK: How far off

  /// The largest distance of what the receiver said up to the last point, but what was refused,
  /// from the line through the points, in metres.
  public var largestDistanceMeters: Double {
    let refused = Set(zip(fixes, decisions).filter(\.1.isRefusal).map(\.0.notBefore))
    var largest = 0.0
    var points = self.points[...]
    for fix in voyage.fixes where !refused.contains(fix.notBefore) {
      while points.count > 1, points[points.startIndex + 1].notBefore <= fix.notBefore {
        points.removeFirst()
      }
      guard points.count > 1 else { break }
      let (begin, end) = (points[points.startIndex], points[points.startIndex + 1])
      largest = max(largest, Self.distance(of: fix, fromLineBetween: begin, and: end))
    }
    return largest
  }

  private static func distance(of fix: Fix, fromLineBetween begin: Fix, and end: Fix) -> Double {
    let start = EarthPoint(begin)
    let line = start.offsetMeters(to: EarthPoint(end))
    let place = start.offsetMeters(to: EarthPoint(fix))
    let square = line.east * line.east + line.north * line.north
    let along = (place.east * line.east + place.north * line.north) / (square > 0 ? square : 1)
    let part = min(max(along, 0), 1)
    let (east, north) = (place.east - line.east * part, place.north - line.north * part)
    return (east * east + north * north).squareRoot()
  }

  // MARK: At rest

  /// How long a board has to be at one place to be parked, on either side of a fix.
  private static let restSeconds: Int64 = 90
  /// How large one place is, in metres.
  private static let restMeters = 30.0

  /// The points that were made while the voyage stood still, as its whole course shows: all fixes
  /// near in time are near in place.
  public var pointsWhileParked: Int {
    let places = fixes.map(EarthPoint.init)
    return fixes.indices.count { decisions[$0].isKept && isParked(at: $0, places) }
  }

  private func isParked(at index: Int, _ places: [EarthPoint]) -> Bool {
    func isNear(_ other: Int) -> Bool {
      places[other].distanceMeters(to: places[index]) <= Self.restMeters
    }
    let reach = Duration.seconds(Self.restSeconds)
    let earlier = fixes[..<index].reversed()
      .prefix { fixes[index].notBefore - $0.notBefore <= reach }.count
    let later = fixes[index...].prefix { $0.notBefore - fixes[index].notBefore <= reach }.count
    let around = index - earlier..<index + later
    return around.count > 2 && around.allSatisfy(isNear)
  }
}

extension TrackDecision {
  fileprivate var isRefusal: Bool { [.jump, .inaccurate, .older].contains(self) }
}

extension EarthPoint {
  init(_ fix: Fix) { self.init(latitudeDegrees: fix.latitude, longitudeDegrees: fix.longitude) }
}
