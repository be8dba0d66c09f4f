public import Bytes

/// Device, or a service that is registered as one.
public struct Device: JSONDecodable, Equatable, Sendable {
  /// Identifier in Home Assistant's registry; it survives every change of the device.
  public let id: Text
  /// Name from the integration.
  public let name: Text?
  /// Name that people gave it; nil if they did not.
  public let nameByUser: Text?
  /// Manufacturer.
  public let manufacturer: Text?
  /// Model of the manufacturer.
  public let model: Text?
  /// Serial number of the manufacturer.
  public let serialNumber: Text?
  /// Firmware version.
  public let softwareVersion: Text?
  /// Hardware version.
  public let hardwareVersion: Text?
  /// Area of the device; nil if it is in none.
  public let areaID: Text?
  /// Labels that people assigned.
  public let labelIDs: [Text]
  /// Identifiers from the integration: mostly a domain and a text. Some integrations have more
  /// parts, or numbers, which appear here as text.
  public let identifiers: [[Text]]
  /// Connections of the device, such as `mac` and an address.
  public let connections: [[Text]]
  /// Party that disabled it, such as `user`; nil if enabled.
  public let disabledBy: Text?
  /// Type of the entry: `service` if it is not a physical device.
  public let entryType: Text?
  /// Configuration entries that created it.
  public let configEntryIDs: [Text]
  /// Device through which this one is connected.
  public let viaDeviceID: Text?
  /// Address of its own settings, such as a web page or `homeassistant://…`.
  public let configurationURL: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    id = try members.get("id")
    name = try members.getIfPresent("name")
    nameByUser = try members.getIfPresent("name_by_user")
    manufacturer = try members.getIfPresent("manufacturer")
    model = try members.getIfPresent("model")
    serialNumber = try members.getIfPresent("serial_number")
    softwareVersion = try members.getIfPresent("sw_version")
    hardwareVersion = try members.getIfPresent("hw_version")
    areaID = try members.getIfPresent("area_id")
    labelIDs = try members.get("labels", default: [])
    identifiers = try Self.tuples(members, "identifiers")
    connections = try Self.tuples(members, "connections")
    disabledBy = try members.getIfPresent("disabled_by")
    entryType = try members.getIfPresent("entry_type")
    configEntryIDs = try members.get("config_entries", default: [])
    viaDeviceID = try members.getIfPresent("via_device_id")
    configurationURL = try members.getIfPresent("configuration_url")
  }

  private static func tuples(
    _ members: JSONObject, _ key: Text
  ) throws(JSONDecodingError) -> [[Text]] {
    let tuples: [[JSON]] = try members.get(key, default: [])
    return tuples.map { tuple in
      tuple.map { part in
        if case .text(let text) = part { text } else { Text(part.serialized()) }
      }
    }
  }
}
