import Bytes
import Foundation
public import Sensing

/// A track as a receiver tells it, a fix each second or as it was recorded.
public struct Voyage: Sendable, CustomStringConvertible {
  public let name: String
  public var fixes: [Fix]

  public init(name: String, fixes: [Fix]) {
    self.name = name
    self.fixes = fixes
  }

  public var description: String { name }

  /// The fix that each cycle of an agent has: the newest one.
  public func fixes(every cycle: Duration) -> [Fix] {
    var newest: [Fix] = []
    var cycleAt = fixes.first?.notBefore ?? Instant(nanoseconds: 0)
    for (fix, next) in zip(fixes, fixes.dropFirst()) where next.notBefore > cycleAt {
      newest.append(fix)
      while cycleAt < next.notBefore { cycleAt = cycleAt + cycle }
    }
    return newest
  }
}

/// A boat, a car or a person with a receiver, moved by hand. The same seed makes the same voyage.
public struct Traveller {
  private static let metersPerDegree = 111_320.0

  public var fixes: [Fix] = []
  /// What the receiver says of its error, and how far it really wanders.
  public var errorMeters: Double? = 5
  public var wanderMeters = 3.0
  /// Whether the receiver says speed and course.
  public var tellsSpeed = true

  private let latitude: Double
  private let longitude: Double
  private var random: SplitMix64
  private var second: Int64 = 0
  private var east = 0.0
  private var north = 0.0
  /// The error of the receiver, which changes slowly.
  private var wander = (east: 0.0, north: 0.0)

  public init(latitude: Double, longitude: Double, seed: UInt64 = 1) {
    (self.latitude, self.longitude) = (latitude, longitude)
    random = SplitMix64(seed: seed)
  }

  /// About -2...2, mostly near 0.
  private mutating func noise() -> Double {
    (0..<4).reduce(0) { sum, _ in sum + Double(random.next() % 2001) / 1000 - 1 } / 1.15
  }

  /// Moves at this speed for so long, on a course that turns all the while.
  public mutating func go(
    _ speed: Double, course: Double = 0, turning degreesPerSecond: Double = 0, seconds: Int
  ) {
    for step in 0..<seconds {
      let heading = course + degreesPerSecond * Double(step)
      east += speed * sin(heading * .pi / 180)
      north += speed * cos(heading * .pi / 180)
      report(speed: speed, course: heading)
    }
  }

  /// Swings around an anchor that lies `radius` away.
  public mutating func swing(radius: Double, seconds: Int) {
    let middle = (east: east, north: north - radius)
    for step in 0..<seconds {
      let angle = sin(Double(step) / 3600 * .pi) * 1.2
      let place = (
        east: middle.east + radius * sin(angle), north: middle.north + radius * cos(angle)
      )
      let speed = hypot(place.east - east, place.north - north)
      (east, north) = place
      report(speed: speed, course: 90)
    }
  }

  /// The receiver says nothing while the board moves on.
  public mutating func tunnel(_ speed: Double, course: Double, seconds: Int) {
    let heard = fixes
    go(speed, course: course, seconds: seconds)
    fixes = heard
  }

  /// A fix that is wrong by so much.
  public mutating func jump(east: Double, north: Double, seconds: Int = 1, speed: Double = 0) {
    let place = (self.east, self.north)
    self.east += east
    self.north += north
    for _ in 0..<seconds { report(speed: speed, course: 0) }
    (self.east, self.north) = place
  }

  /// The receiver is carried to another place.
  public mutating func beCarried(east: Double, north: Double) {
    self.east += east
    self.north += north
  }

  private mutating func report(speed: Double, course: Double) {
    wander.east = wander.east * 0.98 + noise() * wanderMeters * 0.2
    wander.north = wander.north * 0.98 + noise() * wanderMeters * 0.2
    let (east, north) = (east + wander.east, north + wander.north)
    let degrees = latitude + north / Self.metersPerDegree
    var eastward =
      longitude + east / (Self.metersPerDegree * cos(degrees * .pi / 180))
    if eastward > 180 { eastward -= 360 }
    if eastward < -180 { eastward += 360 }
    let heading = course.truncatingRemainder(dividingBy: 360)
    let shown = abs(speed + noise() * 0.1 * (wanderMeters / 3))
    fixes.append(
      Fix(
        mode: .threeDimensional, latitude: degrees, longitude: eastward,
        speedMetersPerSecond: tellsSpeed ? shown : nil,
        // A receiver that stands has a course that means nothing.
        trackDegrees: tellsSpeed
          ? (speed > 0.3
            ? (heading < 0 ? heading + 360 : heading) : Double(random.next() % 360)) : nil,
        horizontalErrorMeters: errorMeters,
        time: WallTime(nanoseconds: (1_809_172_800 + second) * 1_000_000_000),
        notBefore: Instant(nanoseconds: (1000 + second) * 1_000_000_000)))
    second += 1
  }

  public func voyage(_ name: String) -> Voyage { Voyage(name: name, fixes: fixes) }
}
