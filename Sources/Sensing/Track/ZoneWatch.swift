/// Detects that the board enters or leaves a zone of Home Assistant.
///
/// Home Assistant counts a device as in a zone if the distance to the centre is less than the
/// radius plus the error of the fix (`homeassistant.components.zone.in_zone`). This filter uses the
/// same rule with a margin on either side: Home Assistant then confirms each change, and a board
/// that is parked at the edge does not enter and leave repeatedly.
public struct ZoneWatch: Sendable {
  /// A circular zone.
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
    /// Nil before the first fix.
    var isInside: Bool?
  }

  /// Maximum number of zones; Home Assistant has no limit.
  public static let zonesMax = 256
  /// Margin in metres, or half the error, if larger; at most half the radius.
  static let marginMeters = 10.0

  private var zones: [Zone] = []

  init() {}

  mutating func zonesKnown(_ circles: [Circle]) {
    let former = zones
    zones = circles.prefix(Self.zonesMax).map { circle in
      Zone(circle: circle, isInside: former.first { $0.circle == circle }?.isInside)
    }
  }

  /// Records a sighting. Returns whether a zone was entered or left.
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
