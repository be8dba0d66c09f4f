/// The device tracker of a registration: the last message of `update_location`, whole.
struct Tracker: Sendable {
  let entityID: String
  var entry: RegistryEntry
  /// When a tracker that was enabled again comes back.
  var returnsAt: Moment?
  /// What the last message said. Every message replaces all of it.
  var location = JSONObject()

  var isDisabled: Bool { entry.isDisabled }

  /// Whether a location goes anywhere.
  var isListening: Bool { !isDisabled && returnsAt == nil }

  private static let extraKeys = ["altitude", "course", "speed", "vertical_accuracy"]

  private var position: (latitude: Double, longitude: Double)? {
    guard let gps = location["gps"], let latitude = gps[0]?.number, let longitude = gps[1]?.number
    else { return nil }
    return (latitude, longitude)
  }

  func state(in zone: Zone) -> String {
    if let name = location["location_name"]?.string, !name.isEmpty { return name }
    guard let position else { return "unknown" }
    let accuracy = location["gps_accuracy"]?.number ?? 0
    let isHome = zone.contains(
      latitude: position.latitude, longitude: position.longitude, accuracyMeters: accuracy)
    return isHome ? "home" : "not_home"
  }

  func attributes(friendlyName: String) -> JSONObject {
    var attributes: JSONObject = ["source_type": "gps"]
    if let battery = location["battery"] { attributes["battery_level"] = battery }
    if let position {
      attributes["latitude"] = .float(position.latitude)
      attributes["longitude"] = .float(position.longitude)
      attributes["gps_accuracy"] = location["gps_accuracy"]
    }
    for key in Self.extraKeys { attributes[key] = location[key] }
    attributes["friendly_name"] = .string(friendlyName)
    return attributes
  }

  /// A restart brings everything back but the name of the place.
  mutating func restore() {
    returnsAt = nil
    location["location_name"] = nil
  }
}
