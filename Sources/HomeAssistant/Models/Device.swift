public import Bytes

/// A device, or a service that looks like one.
public struct Device: JSONDecodable, Equatable, Sendable {
  public let id: Text
  public let name: Text?
  public let nameByUser: Text?
  public let manufacturer: Text?
  public let model: Text?
  public let serialNumber: Text?
  public let softwareVersion: Text?
  public let hardwareVersion: Text?
  public let areaID: Text?
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
  public let configEntryIDs: [Text]
  /// The device through which this one is reached.
  public let viaDeviceID: Text?
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
