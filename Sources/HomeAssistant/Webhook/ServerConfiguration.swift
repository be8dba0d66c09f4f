public import Bytes

extension Webhook {
  /// Configuration of Home Assistant in answer to `get_config`, and its data about this device.
  ///
  /// There may be hundreds of entities, so they are not stored but read from the answer.
  public struct ServerConfiguration: Equatable, Sendable {
    /// Version of this Home Assistant.
    public let version: ServerVersion
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

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `JSONDecodingError` if it does not answer `get_config`.
    public init(_ answer: Span<UInt8>) throws(JSONDecodingError) {
      let keys: [Text] = ["version", "hass_device_id", "cloudhook_url", "remote_ui_url"]
      var members = JSONObject()
      try JSONReader.forEachMember(of: answer) { key, reader throws(JSONError) in
        let key = Text(key)
        if keys.contains(key) {
          members[key] = try JSON(reading: &reader, valueCountMax: 1)
        } else {
          try reader.skipValue()
        }
      }
      version = ServerVersion(try members.get("version"))
      deviceID = try members.get("hass_device_id")
      guard deviceID.bytes.count <= Self.deviceIDByteCountMax else {
        throw .invalidValue(key: "hass_device_id")
      }
      cloudhookURL = try members.getIfPresent("cloudhook_url").flatMap(Registration.address)
      remoteUIURL = try members.getIfPresent("remote_ui_url").flatMap(Registration.address)
    }

    /// Whether the user disabled an entity of this device; nil if Home Assistant does not know it.
    /// The entity whose unique identifier the device registered with is its tracker. It allocates
    /// nothing. The identifier must not need JSON escapes.
    public static func isDisabled(
      _ uniqueID: [UInt8], in answer: Span<UInt8>
    ) throws(JSONDecodingError) -> Bool? {
      var hasEntities = false
      var result: Bool?
      try JSONReader.forEachMember(of: answer) { key, reader throws(JSONError) in
        guard key.elementsEqual("entities") else {
          try reader.skipValue()
          return
        }
        hasEntities = true
        try reader.openObject()
        while let key = try reader.nextKey() {
          let isDisabled = try readIsDisabled(&reader)
          if key.elementsEqual(uniqueID) { result = isDisabled }
        }
      }
      guard hasEntities else { throw .missingKey("entities") }
      return result
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
}
