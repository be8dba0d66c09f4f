/// A place on Earth as a point in space, so that neither the antimeridian nor a pole is a special
/// case (WGS 84, at the height of the ellipsoid).
///
/// Distances are accurate to 0.1 % up to 4,000 km, and too small beyond. No input traps; NaN gives
/// NaN.
public struct EarthPoint: Equatable, Sendable {
  private static let equatorRadiusMeters = 6_378_137.0
  private static let eccentricitySquared = 0.006_694_379_990_14
  private static let meanRadiusMeters = 6_371_008.8

  private let x: Double
  private let y: Double
  private let z: Double
  private let latitude: Angle
  private let longitude: Angle

  /// Degrees north, -90...90, and east, -180...180.
  public init(latitudeDegrees: Double, longitudeDegrees: Double) {
    latitude = Angle(degrees: latitudeDegrees)
    longitude = Angle(degrees: longitudeDegrees)
    let curvature =
      Self.equatorRadiusMeters
      / (1 - Self.eccentricitySquared * latitude.sine * latitude.sine).squareRoot()
    x = curvature * latitude.cosine * longitude.cosine
    y = curvature * latitude.cosine * longitude.sine
    z = curvature * (1 - Self.eccentricitySquared) * latitude.sine
  }

  /// Returns the distance along the surface, in metres.
  public func distanceMeters(to other: EarthPoint) -> Double {
    let (dx, dy, dz) = (other.x - x, other.y - y, other.z - z)
    let square = dx * dx + dy * dy + dz * dz
    // The path along the surface is longer than the chord.
    let curve = square / (Self.meanRadiusMeters * Self.meanRadiusMeters)
    return square.squareRoot() * (1 + curve / 24 + curve * curve * 3 / 640)
  }

  /// Distances from the centre of Earth at which a receiver can be.
  private static let centreDistancesMeters = 6_300_000.0...6_900_000.0

  /// Returns the distance along the surface to the place below a point in space (ECEF); nil if no
  /// receiver can be at that point.
  func distanceMeters(toBelow x: Double, _ y: Double, _ z: Double) -> Double? {
    let length = (x * x + y * y + z * z).squareRoot()
    guard Self.centreDistancesMeters.contains(length) else { return nil }
    let scale = (self.x * self.x + self.y * self.y + self.z * self.z).squareRoot() / length
    let (dx, dy, dz) = (x * scale - self.x, y * scale - self.y, z * scale - self.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }

  /// Returns the course from here to `other`; nil if both are the same place.
  public func direction(to other: EarthPoint) -> Direction? {
    let (east, north) = offsetMeters(to: other)
    return Direction(east: east, north: north)
  }

  /// Returns the offset of `other` to the east and to the north, in metres; accurate for near
  /// places.
  public func offsetMeters(to other: EarthPoint) -> (east: Double, north: Double) {
    let (dx, dy, dz) = (other.x - x, other.y - y, other.z - z)
    let outward = dx * longitude.cosine + dy * longitude.sine
    return (
      dy * longitude.cosine - dx * longitude.sine,
      dz * latitude.cosine - outward * latitude.sine
    )
  }
}

/// A course over ground as a vector of length 1, so that 359° and 1° are neighbours.
public struct Direction: Equatable, Sendable {
  private let east: Double
  private let north: Double

  /// Degrees clockwise from true north, 0..<360.
  public init(degrees: Double) {
    let angle = Angle(degrees: degrees)
    (east, north) = (angle.sine, angle.cosine)
  }

  /// Nil if both parts are 0.
  init?(east: Double, north: Double) {
    let length = (east * east + north * north).squareRoot()
    guard length > 0 else { return nil }
    (self.east, self.north) = (east / length, north / length)
  }

  /// Whether the angle to `other` is at least the one with this cosine, on either side.
  func isTurned(from other: Direction, byCosine cosine: Double) -> Bool {
    east * other.east + north * other.north <= cosine
  }
}

/// The sine and cosine of an angle without a maths library, accurate to a billionth.
struct Angle: Equatable {
  let sine: Double
  let cosine: Double

  /// Degrees in -360...360.
  init(degrees: Double) {
    // -180...180
    let turned = degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    sine = Self.sine(
      ofDegrees: turned > 90 ? 180 - turned : turned < -90 ? -180 - turned : turned)
    cosine = Self.sine(ofDegrees: 90 - turned.magnitude)
  }

  /// Taylor series for an angle of -90...90.
  private static func sine(ofDegrees degrees: Double) -> Double {
    let x = degrees * (.pi / 180)
    let square = x * x
    var sum = 1.0
    var power = 13.0
    while power > 1 {
      sum = 1 - sum * square / (power * (power - 1))
      power -= 2
    }
    return x * sum
  }
}
