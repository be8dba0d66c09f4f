public import Bytes

/// A device, or a service that looks like one.
public struct Device: JSONDecodable, Equatable, Sendable {
  /// Of Home Assistant's registry; it stays over every change of the device.
  public let id: Text
  /// What the integration named it.
  public let name: Text?
  /// What people named it; nil where they did not.
  public let nameByUser: Text?
  /// Who made it.
  public let manufacturer: Text?
  /// Which one it is of its maker's.
  public let model: Text?
  /// As its maker numbers it.
  public let serialNumber: Text?
  /// The version of its firmware.
  public let softwareVersion: Text?
  /// The version of the thing itself.
  public let hardwareVersion: Text?
  /// The area it is in; nil where it is in none.
  public let areaID: Text?
  /// The labels that people put on it.
  public let labelIDs: [Text]
  /// What an integration knows the device by: mostly a domain and a text. Some integrations have
  /// more parts, or numbers among them; those are here as they are written.
  public let identifiers: [[Text]]
  /// Such as `mac` and an address.
  public let connections: [[Text]]
  /// Who disabled it, such as `user`; nil where it is enabled.
  public let disabledBy: Text?
  /// `service` where it is no thing one can touch.
  public let entryType: Text?
  /// The entries of the configuration that brought it.
  public let configEntryIDs: [Text]
  /// The device through which this one is reached.
  public let viaDeviceID: Text?
  /// Where its own settings are, such as a page of its own or `homeassistant://…`.
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
