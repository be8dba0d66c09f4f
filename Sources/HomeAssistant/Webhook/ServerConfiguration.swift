public import Bytes

extension Webhook {
  /// Asks for Home Assistant's configuration, and for what it knows of this device.
  public struct GetConfiguration: Message {
    /// `get_config`
    public static let type = MessageType.getConfiguration

    /// It says nothing but what it is.
    public init() {}

    public func write(into data: inout ByteBuffer) { data.append("{}") }
  }

  /// What Home Assistant says of itself in answer to `GetConfiguration`.
  ///
  /// The components and the entities, of which there may be hundreds, are looked up in the answer
  /// instead of being kept.
  public struct ServerConfiguration: Equatable, Sendable {
    /// Of this Home Assistant.
    public let version: ServerVersion
    /// The name of the home.
    public let locationName: Text
    /// Such as `Europe/Amsterdam`.
    public let timeZone: Text
    /// Degrees; the home.
    public let latitude: Double
    /// Degrees; the home.
    public let longitude: Double
    /// What the home counts in.
    public let units: UnitSystem
    /// Ids of Home Assistant have 32 characters. This one becomes a part of messages.
    static let deviceIDByteCountMax = 256

    /// The id of this device in Home Assistant's registry, which templates take.
    public let deviceID: Text
    /// An address for the webhook that works from everywhere; nil without Nabu Casa, and where it
    /// is no URL.
    public let cloudhookURL: Text?
    /// The same of the whole home.
    public let remoteUIURL: Text?
    /// What tells this Home Assistant from all others; nil before 2026.11.
    public let instanceID: Text?

    /// Reads the JSON of an answer.
    ///
    /// - Throws: where it is none to `GetConfiguration`.
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

    /// Tells `body` the name of every component that Home Assistant has loaded, such as `zone` or
    /// `sensor.mobile_app`.
    public static func forEachComponent(
      in answer: Span<UInt8>, _ body: (JSONReader.Text) -> Void
    ) throws(JSONDecodingError) {
      try readMember("components", of: answer) { reader throws(JSONError) in
        try reader.openArray()
        while try reader.nextElement() { body(try reader.text()) }
      }
    }

    /// Tells `body` every entity of this device by its unique id, and whether the user disabled
    /// it. The one whose unique id is the id that the device registered with is its tracker.
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

    /// Whether the user disabled an entity of this device; nil where Home Assistant does not know
    /// it. Nothing is allocated. The id has nothing in it that JSON writes with an escape.
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

  /// The units that a home counts in, such as `km` and `°C`.
  public struct UnitSystem: Equatable, Sendable {
    /// Such as `km`.
    public let length: Text
    /// Such as `kg`.
    public let mass: Text
    /// `°C` or `°F`.
    public let temperature: Text
    /// Such as `L`.
    public let volume: Text
    /// Such as `Pa`; nil where Home Assistant is too old to say.
    public let pressure: Text?
    /// Such as `m/s`; nil where Home Assistant is too old to say.
    public let windSpeed: Text?
    /// Such as `mm`; nil where Home Assistant is too old to say.
    public let accumulatedPrecipitation: Text?
    /// Such as `m²`; nil where Home Assistant is too old to say.
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
