/// Notices that the board comes into a zone of Home Assistant, or leaves one.
///
/// Home Assistant takes a device to be in a zone where the middle is nearer than the radius and the
/// error of the fix together (`homeassistant.components.zone.in_zone`). The same rule holds here,
/// with a margin on either side: so Home Assistant finds what was noticed, and a board that is
/// parked at the edge does not come and go.
public struct ZoneWatch: Sendable {
  /// A zone, as far as it matters here.
  public struct Circle: Equatable, Sendable {
    public let center: EarthPoint
    /// 0 or more.
    public let radiusMeters: Double

    public init(center: EarthPoint, radiusMeters: Double) {
      self.center = center
      self.radiusMeters = radiusMeters
    }
  }

  private struct Zone {
    let circle: Circle
    /// Nil before there was a fix.
    var isInside: Bool?
  }

  /// As many are watched; Home Assistant has no limit.
  public static let zonesMax = 256
  /// The margin, in metres; half the error, if larger; half the radius at most.
  static let marginMeters = 10.0

  private var zones: [Zone] = []

  init() {}

  mutating func zonesKnown(_ circles: [Circle]) {
    let former = zones
    zones = circles.prefix(Self.zonesMax).map { circle in
      Zone(circle: circle, isInside: former.first { $0.circle == circle }?.isInside)
    }
  }

  /// Returns whether a zone was entered or left.
  mutating func sighted(_ sighting: TrackSighting) -> Bool {
    var hasCrossed = false
    for index in zones.indices {
      let isInside = zones[index].circle.holds(sighting, before: zones[index].isInside)
      if let before = zones[index].isInside, before != isInside { hasCrossed = true }
      zones[index].isInside = isInside
    }
    return hasCrossed
  }
}

extension ZoneWatch.Circle {
  fileprivate func holds(_ sighting: TrackSighting, before wasInside: Bool?) -> Bool {
    let least = center.distanceMeters(to: sighting.point) - sighting.errorMeters
    let margin = min(max(ZoneWatch.marginMeters, sighting.errorMeters / 2), radiusMeters / 2)
    switch wasInside {
    case nil: return least < radiusMeters
    case true?: return least < radiusMeters + margin
    case false?: return least < radiusMeters - margin
    }
  }
}
