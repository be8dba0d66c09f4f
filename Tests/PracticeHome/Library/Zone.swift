import CMicroHTTPD

/// The one zone of the practice home.
struct Zone: Sendable {
  static let entityID = "zone.home"

  var name = "Practice Home"
  var latitude = 52.0
  var longitude = 4.0
  var radiusMeters = 100.0

  /// True if the circle of uncertainty touches the zone.
  func contains(latitude: Double, longitude: Double, accuracyMeters: Double) -> Bool {
    distanceMeters(latitude: latitude, longitude: longitude) - radiusMeters < accuracyMeters
  }

  /// Great-circle distance; at the size of a zone it agrees with the ellipsoid to a metre.
  private func distanceMeters(latitude: Double, longitude: Double) -> Double {
    let radians = Double.pi / 180
    let (here, there) = (self.latitude * radians, latitude * radians)
    let half = (sin((there - here) / 2), sin((longitude - self.longitude) * radians / 2))
    let chord = half.0 * half.0 + cos(here) * cos(there) * half.1 * half.1
    return 2 * 6_371_009 * asin(min(1, chord.squareRoot()))
  }

  /// What the zone shows, with the entity ids of those who are in it.
  func attributes(persons: [String]) -> JSONObject {
    [
      "latitude": .float(latitude), "longitude": .float(longitude),
      "radius": .integer(Int128(radiusMeters)), "passive": false,
      "persons": .array(persons.map(JSON.string)), "editable": true,
      "icon": "mdi:home", "friendly_name": .string(name),
    ]
  }
}
