public import Bytes

/// Entity identifier of a zone, such as `zone.home`.
public struct ZoneID: Hashable, Sendable {
  /// Text of the identifier, such as `zone.home`.
  public let text: Text

  /// Fails unless the text is `zone.`, followed by lower-case letters, digits and `_`.
  public init?(_ text: Text) {
    let prefix: Text = "zone."
    guard text.hasPrefix(prefix), text.bytes.count > prefix.bytes.count,
      text.bytes[prefix.bytes.count...].allSatisfy(Self.isOfASlug)
    else { return nil }
    self.text = text
  }

  private static func isOfASlug(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte == UInt8(ascii: "_")
  }
}

extension Webhook {
  /// Request for all zones.
  public struct GetZones: Message {
    /// Type `get_zones`.
    public static let type = MessageType.getZones

    /// Creates the message.
    public init() {}

    public func write(into data: inout ByteBuffer) { data.append("{}") }

    /// Reads the zones, passive ones included.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> [Zone] {
      let fields = try reading(answer) { reader throws(JSONError) -> [ZoneFields] in
        var zones: [ZoneFields] = []
        try reader.openArray()
        while try reader.nextElement() {
          var zone = ZoneFields()
          try zone.read(&reader)
          zones.append(zone)
        }
        return zones
      }
      var zones: [Zone] = []
      for fields in fields { zones.append(try Zone(fields)) }
      return zones
    }
  }

  /// Circle on Earth with a name.
  public struct Zone: Equatable, Sendable {
    /// Identifier of the zone.
    public let id: ZoneID
    /// Name for people, which is also the state of a person in it.
    public let name: Text
    /// Latitude of the center: degrees, -90...90.
    public let latitude: Double
    /// Longitude of the center: degrees, -180...180.
    public let longitude: Double
    /// Radius, in meters.
    public let radiusMeters: Double
    /// Whether it is for automations only, and never the state of a person.
    public let isPassive: Bool
    /// Icon, such as `mdi:home`.
    public let icon: Text?

    fileprivate init(_ fields: ZoneFields) throws(JSONDecodingError) {
      guard let id = ZoneID(try required(fields.entityID, "entity_id")) else {
        throw .invalidValue(key: "entity_id")
      }
      self.id = id
      name = try required(fields.name, "friendly_name")
      latitude = try required(fields.latitude, "latitude")
      guard (-90...90).contains(latitude) else { throw .invalidValue(key: "latitude") }
      longitude = try required(fields.longitude, "longitude")
      guard (-180...180).contains(longitude) else { throw .invalidValue(key: "longitude") }
      radiusMeters = try required(fields.radiusMeters, "radius")
      guard radiusMeters >= 0 else { throw .invalidValue(key: "radius") }
      isPassive = try required(fields.isPassive, "passive")
      icon = fields.icon
    }
  }

  /// Fields of a zone's state:
  ///
  ///     {"entity_id":"zone.home","state":"1","attributes":{"latitude":52.0,"longitude":4.0,
  ///      "radius":100,"passive":false,"persons":[…],"icon":"mdi:home","friendly_name":"Home"},…}
  fileprivate struct ZoneFields {
    var entityID: Text?
    var name: Text?
    var latitude: Double?
    var longitude: Double?
    var radiusMeters: Double?
    var isPassive: Bool?
    var icon: Text?

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("entity_id") {
          entityID = try reader.ownedText()
        } else if key.elementsEqual("attributes") {
          try readAttributes(&reader)
        } else {
          try reader.skipValue()
        }
      }
    }

    private mutating func readAttributes(_ reader: inout JSONReader) throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("friendly_name") {
          name = try reader.ownedText()
        } else if key.elementsEqual("latitude") {
          latitude = try reader.double()
        } else if key.elementsEqual("longitude") {
          longitude = try reader.double()
        } else if key.elementsEqual("radius") {
          radiusMeters = try reader.double()
        } else if key.elementsEqual("passive") {
          isPassive = try reader.boolean()
        } else if key.elementsEqual("icon") {
          icon = try reader.ownedTextOrNull()
        } else {
          try reader.skipValue()
        }
      }
    }
  }
}
