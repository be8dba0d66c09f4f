public import Bytes

extension Webhook {
  /// Request for Home Assistant's configuration, and for its data about this device.
  public struct GetConfiguration: Message {
    /// Type `get_config`.
    public static let type = MessageType.getConfiguration

    /// Creates the message.
    public init() {}

    public func write(into data: inout ByteBuffer) { data.append("{}") }
  }

  /// Configuration of Home Assistant in answer to `GetConfiguration`.
  ///
  /// There may be hundreds of components and entities, so they are not stored but read from the
  /// answer.
  public struct ServerConfiguration: Equatable, Sendable {
    /// Version of this Home Assistant.
    public let version: ServerVersion
    /// Name of the home.
    public let locationName: Text
    /// Time zone, such as `Europe/Amsterdam`.
    public let timeZone: Text
    /// Latitude of the home, in degrees.
    public let latitude: Double
    /// Longitude of the home, in degrees.
    public let longitude: Double
    /// Units of the home.
    public let units: UnitSystem
    /// Maximum length of the device's identifier, which becomes part of messages; Home Assistant's
    /// have 32 characters.
    static let deviceIDByteCountMax = 256

    /// Identifier of this device in Home Assistant's registry, for templates.
    public let deviceID: Text
    /// Webhook address that works from anywhere; nil without Nabu Casa, or if it is not a URL.
    public let cloudhookURL: Text?
    /// Address of the whole home that works from anywhere; nil without Nabu Casa, or if it is not a
    /// URL.
    public let remoteUIURL: Text?
    /// Unique identifier of this Home Assistant; nil before 2026.11.
    public let instanceID: Text?

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `JSONDecodingError` if it does not answer `GetConfiguration`.
    public init(_ answer: Span<UInt8>) throws(JSONDecodingError) {
      let fields = try reading(answer) { reader throws(JSONError) in
        var fields = ConfigurationFields()
        try fields.read(&reader)
        return fields
      }
      version = ServerVersion(try required(fields.version, "version"))
      locationName = try required(fields.locationName, "location_name")
      timeZone = try required(fields.timeZone, "time_zone")
      latitude = try required(fields.latitude, "latitude")
      longitude = try required(fields.longitude, "longitude")
      units = try UnitSystem(try required(fields.units, "unit_system"))
      deviceID = try required(fields.deviceID, "hass_device_id")
      guard deviceID.bytes.count <= Self.deviceIDByteCountMax else {
        throw .invalidValue(key: "hass_device_id")
      }
      cloudhookURL = fields.cloudhookURL.flatMap(Registration.address)
      remoteUIURL = fields.remoteUIURL.flatMap(Registration.address)
      instanceID = fields.instanceID
    }

    /// Calls `body` with the name of every loaded component, such as `zone` or `sensor.mobile_app`.
    public static func forEachComponent(
      in answer: Span<UInt8>, _ body: (JSONReader.Text) -> Void
    ) throws(JSONDecodingError) {
      try readMember("components", of: answer) { reader throws(JSONError) in
        try reader.openArray()
        while try reader.nextElement() { body(try reader.text()) }
      }
    }

    /// Calls `body` with the unique identifier of every entity of this device, and with whether the
    /// user disabled it. The entity whose unique identifier the device registered with is its
    /// tracker.
    public static func forEachEntity(
      in answer: Span<UInt8>, _ body: (_ uniqueID: JSONReader.Text, _ isDisabled: Bool) -> Void
    ) throws(JSONDecodingError) {
      try readMember("entities", of: answer) { reader throws(JSONError) in
        try reader.openObject()
        while let uniqueID = try reader.nextKey() {
          body(uniqueID, try readIsDisabled(&reader))
        }
      }
    }

    /// Whether the user disabled an entity of this device; nil if Home Assistant does not know it.
    /// It allocates nothing. The identifier must not need JSON escapes.
    public static func isDisabled(
      _ uniqueID: [UInt8], in answer: Span<UInt8>
    ) throws(JSONDecodingError) -> Bool? {
      var result: Bool?
      try forEachEntity(in: answer) { if $0.elementsEqual(uniqueID) { result = $1 } }
      return result
    }

    private static func readMember(
      _ wanted: StaticString, of answer: Span<UInt8>,
      _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONDecodingError) {
      let isThere = try reading(answer) { reader throws(JSONError) in
        var isThere = false
        try reader.openObject()
        while let key = try reader.nextKey() {
          if key.elementsEqual(wanted) {
            isThere = true
            try body(&reader)
          } else {
            try reader.skipValue()
          }
        }
        return isThere
      }
      guard isThere else { throw .missingKey(Text([UInt8](wanted))) }
    }

    private static func readIsDisabled(_ reader: inout JSONReader) throws(JSONError) -> Bool {
      var isDisabled = false
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("disabled") {
          isDisabled = try reader.boolean()
        } else {
          try reader.skipValue()
        }
      }
      return isDisabled
    }
  }

  /// Units of a home, such as `km` and `°C`.
  public struct UnitSystem: Equatable, Sendable {
    /// Unit of length, such as `km`.
    public let length: Text
    /// Unit of mass, such as `kg`.
    public let mass: Text
    /// Unit of temperature: `°C` or `°F`.
    public let temperature: Text
    /// Unit of volume, such as `L`.
    public let volume: Text
    /// Unit of pressure, such as `Pa`; nil from an old Home Assistant.
    public let pressure: Text?
    /// Unit of wind speed, such as `m/s`; nil from an old Home Assistant.
    public let windSpeed: Text?
    /// Unit of precipitation, such as `mm`; nil from an old Home Assistant.
    public let accumulatedPrecipitation: Text?
    /// Unit of area, such as `m²`; nil from an old Home Assistant.
    public let area: Text?

    fileprivate init(_ units: JSON) throws(JSONDecodingError) {
      length = try units.get("length")
      mass = try units.get("mass")
      temperature = try units.get("temperature")
      volume = try units.get("volume")
      pressure = try units.getIfPresent("pressure")
      windSpeed = try units.getIfPresent("wind_speed")
      accumulatedPrecipitation = try units.getIfPresent("accumulated_precipitation")
      area = try units.getIfPresent("area")
    }
  }

  fileprivate struct ConfigurationFields {
    private static let unitCountMax = 256

    var version: Text?
    var locationName: Text?
    var timeZone: Text?
    var latitude: Double?
    var longitude: Double?
    var units: JSON?
    var deviceID: Text?
    var cloudhookURL: Text?
    var remoteUIURL: Text?
    var instanceID: Text?

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("version") {
          version = try reader.ownedText()
        } else if key.elementsEqual("location_name") {
          locationName = try reader.ownedText()
        } else if key.elementsEqual("time_zone") {
          timeZone = try reader.ownedText()
        } else if key.elementsEqual("latitude") {
          latitude = try reader.double()
        } else if key.elementsEqual("longitude") {
          longitude = try reader.double()
        } else if key.elementsEqual("unit_system") {
          units = try JSON(reading: &reader, valueCountMax: Self.unitCountMax)
        } else if key.elementsEqual("hass_device_id") {
          deviceID = try reader.ownedText()
        } else if key.elementsEqual("cloudhook_url") {
          cloudhookURL = try reader.ownedTextOrNull()
        } else if key.elementsEqual("remote_ui_url") {
          remoteUIURL = try reader.ownedTextOrNull()
        } else if key.elementsEqual("instance_id") {
          instanceID = try reader.ownedTextOrNull()
        } else {
          try reader.skipValue()
        }
      }
    }
  }
}
