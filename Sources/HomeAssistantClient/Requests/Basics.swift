public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<User> {
  /// Request for the user of the token.
  public static var currentUser: Self { TypedRequest("auth/current_user") }
}
extension Request where Self == TypedRequest<LossyArray<Entity>> {
  /// Request for the states of all entities. Entities that do not decode are left out and counted.
  /// To watch the entities, use `SubscribeEntities`.
  public static var states: Self { TypedRequest("get_states") }
}
extension Request where Self == TypedRequest<ServerConfig> {
  /// Request for the configuration of Home Assistant.
  public static var config: Self { TypedRequest("get_config") }
}
extension Request where Self == TypedRequest<Services> {
  /// Request for the services of Home Assistant.
  public static var services: Self { TypedRequest("get_services") }
}
extension Request where Self == TypedRequest<[Text: Panel]> {
  /// Request for the pages of the user interface, by their path.
  public static var panels: Self { TypedRequest("get_panels") }
}
extension Request where Self == RawRequest {
  /// Request for the sources of the energy dashboard, as raw JSON.
  public static var energyInfo: Self { RawRequest("energy/info") }
  /// Request for the settings of the energy dashboard, as raw JSON; refused as `not_found` if there
  /// are none.
  public static var energyPreferences: Self { RawRequest("energy/get_prefs") }
}
