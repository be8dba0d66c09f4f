public import Bytes

/// Location of a device for `update_location`: a complete set of valid fields.
///
/// Home Assistant silently drops a message with a single invalid field, so the fields are clamped
/// here and always valid. Unknown fields are left out, since null is refused.
public struct Location: Equatable, Sendable {
  /// Degrees, rounded to a ten-millionth (11 mm).
  let latitude: FixedPoint
  let longitude: FixedPoint
  /// Accuracy, rounded up to a decimetre, so as not to promise too much.
  let accuracyMeters: FixedPoint
  let altitudeMeters: FixedPoint?
  let speedMetersPerSecond: Int64?
  let courseDegrees: Int64?
  let verticalAccuracyMeters: Int64?

  static let coordinateDecimals: UInt8 = 7
  /// Maximum accuracy, to which larger ones are clamped: a huge integer would break Home
  /// Assistant's whole list of states. An altitude beyond it is left out.
  public static let distanceMetersMax = 1_000_000.0
  /// Maximum speed, to which larger ones are clamped.
  public static let speedMetersPerSecondMax = 100_000.0

  /// Fails if the position is not on Earth.
  ///
  /// - Parameters:
  ///   - latitude: degrees, -90...90.
  ///   - longitude: degrees, -180...180.
  ///   - accuracyMeters: accuracy, 0 or more.
  ///   - altitudeMeters: altitude above mean sea level; may be negative.
  ///   - speedMetersPerSecond: speed, 0 or more; Home Assistant stores whole numbers.
  ///   - courseDegrees: course from true north.
  ///   - verticalAccuracyMeters: vertical accuracy, 0 or more.
  public init?(
    latitude: Double, longitude: Double, accuracyMeters: Double, altitudeMeters: Double? = nil,
    speedMetersPerSecond: Double? = nil, courseDegrees: Double? = nil,
    verticalAccuracyMeters: Double? = nil
  ) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), accuracyMeters >= 0,
      let latitude = FixedPoint(rounding: latitude, decimals: Self.coordinateDecimals),
      let longitude = FixedPoint(rounding: longitude, decimals: Self.coordinateDecimals)
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.accuracyMeters = FixedPoint(
      wholeNumber(accuracyMeters * 10, .up, upTo: Self.distanceMetersMax * 10), decimals: 1)
    self.altitudeMeters = altitudeMeters.flatMap {
      $0.magnitude <= Self.distanceMetersMax ? FixedPoint(rounding: $0, decimals: 1) : nil
    }
    self.speedMetersPerSecond = measured(speedMetersPerSecond).map {
      wholeNumber($0, .toNearestOrAwayFromZero, upTo: Self.speedMetersPerSecondMax)
    }
    self.courseDegrees = measured(courseDegrees, upTo: 360).map {
      wholeNumber($0, .toNearestOrAwayFromZero, upTo: 360) % 360
    }
    self.verticalAccuracyMeters = measured(verticalAccuracyMeters).map {
      wholeNumber($0, .up, upTo: Self.distanceMetersMax)
    }
  }

  /// Writes the `data` of an `update_location` in the form for this server version.
  public func write(into buffer: inout ByteBuffer, for server: ServerVersion = .unknown) {
    buffer.openJSONObject()
    buffer.appendJSON(key: "gps")
    buffer.openJSONArray()
    buffer.appendJSON(latitude)
    buffer.appendJSON(longitude)
    buffer.closeJSONArray()
    func append(_ key: StaticString, _ number: Int64?) {
      guard let number else { return }
      buffer.appendJSON(key: key, number)
    }
    buffer.appendJSON(key: "gps_accuracy")
    if server.supports(.fractionalAccuracy) {
      buffer.appendJSON(accuracyMeters)
    } else {
      // Home Assistant truncates.
      buffer.appendJSON((accuracyMeters.coefficient + 9) / 10)
    }
    if let altitudeMeters {
      buffer.appendJSON(key: "altitude")
      buffer.appendJSON(altitudeMeters)
    }
    append("speed", speedMetersPerSecond)
    append("course", courseDegrees)
    append("vertical_accuracy", verticalAccuracyMeters)
    buffer.closeJSONObject()
  }
}

/// Returns the value, or nil if it is unknown, which receivers write as -1 or as NaN.
private func measured(
  _ value: Double?, upTo limit: Double = .greatestFiniteMagnitude
) -> Double? {
  value.flatMap { (0...limit).contains($0) ? $0 : nil }
}

private func wholeNumber(
  _ value: Double, _ rule: FloatingPointRoundingRule, upTo limit: Double
) -> Int64 {
  Int64(min(value, limit).rounded(rule))
}
