public import Bytes
public import HomeAssistant

/// Answer to a change of an entry.
public struct UpdatedEntityRegistryEntry: JSONDecodable, Equatable, Sendable {
  /// Current entry.
  public let entry: EntityRegistryEntry
  /// Delay before Home Assistant reloads the integration, if that is necessary; in whole seconds.
  public let reloadDelay: Duration?
  /// Whether the change takes effect only after Home Assistant restarts.
  public let requiresRestart: Bool

  public init(json: JSON) throws(JSONDecodingError) {
    entry = try json.get("entity_entry")
    reloadDelay = (try json.getIfPresent("reload_delay") as Int64?).map { .seconds($0) }
    requiresRestart = try json.get("require_restart", default: false)
  }
}
