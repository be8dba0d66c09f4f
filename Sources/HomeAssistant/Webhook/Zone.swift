public import Bytes

extension Webhook {
  /// Circle on Earth with a name: an element of the answer to `get_zones`.
  ///
  ///     {"entity_id":"zone.home","state":"1","attributes":{"latitude":52.0,"longitude":4.0,
  ///      "radius":100,"passive":false,"persons":[…],"icon":"mdi:home","friendly_name":"Home"},…}
  public struct Zone: Equatable, Sendable, JSONDecodable {
    /// Latitude of the center: degrees, -90...90.
    public let latitude: Double
    /// Longitude of the center: degrees, -180...180.
    public let longitude: Double
    /// Radius, in meters.
    public let radiusMeters: Double
    /// Whether it is for automations only, and never the state of a person.
    public let isPassive: Bool

    public init(json: JSON) throws(JSONDecodingError) {
      let attributes: JSONObject = try json.get("attributes")
      func number(_ key: Text, in range: ClosedRange<Double>) throws(JSONDecodingError) -> Double {
        let number: Double = try attributes.get(key)
        guard range.contains(number) else { throw .invalidValue(key: key) }
        return number
      }
      latitude = try number("latitude", in: -90...90)
      longitude = try number("longitude", in: -180...180)
      radiusMeters = try number("radius", in: 0...Double.greatestFiniteMagnitude)
      isPassive = try attributes.get("passive", default: false)
    }
  }
}
