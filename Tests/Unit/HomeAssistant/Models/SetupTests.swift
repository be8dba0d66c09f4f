import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct SetupTests {
  @Test func panelsAreDecodedByTheirPath() throws {
    let panels: [Text: Panel] = try decode(
      """
      {"config":{"component_name":"config","icon":"hass:cog","title":"config","config":null,
      "url_path":"config","require_admin":true,"config_panel_domain":null},
      "lovelace":{"component_name":"lovelace","icon":null,"title":null,
      "config":{"mode":"storage"},"url_path":"lovelace","require_admin":false},
      "custom":{"component_name":"custom","url_path":"custom"}}
      """)
    #expect(panels["custom"]?.requiresAdmin == false, "who does not say so is for everyone")
    #expect(panels["config"]?.requiresAdmin == true)
    #expect(panels["config"]?.icon == "hass:cog")
    #expect(panels["config"]?.config == nil)
    #expect(panels["lovelace"]?.title == nil)
    #expect(panels["lovelace"]?.config == ["mode": "storage"])
    #expect(panels["lovelace"]?.componentName == "lovelace")
    #expect(panels["lovelace"]?.urlPath == "lovelace")
  }

  @Test func theConfigurationIsDecoded() throws {
    let config: ServerConfig = try decode(
      """
      {"allowlist_external_dirs":["/media"],"components":["counter","mobile_app.notify"],
      "config_dir":"/config","config_source":"yaml","country":"NL","currency":"EUR","debug":false,
      "elevation":1,"external_url":null,"internal_url":"http://h:8123","language":"en",
      "latitude":52.0,"location_name":"Boat","longitude":4.5,"radius":100,"recovery_mode":false,
      "safe_mode":true,"state":"RUNNING","time_zone":"Europe/Amsterdam",
      "unit_system":{"length":"km","temperature":"°C"},"version":"2025.4.4"}
      """)
    #expect(config.locationName == "Boat")
    #expect(config.latitude == 52)
    #expect(config.longitude == 4.5)
    #expect(config.elevationMeters == 1)
    #expect(config.timeZone == "Europe/Amsterdam")
    #expect(config.units == ["length": "km", "temperature": "°C"])
    #expect(config.version == "2025.4.4")
    #expect(config.components == ["counter", "mobile_app.notify"])
    #expect(config.country == "NL")
    #expect(config.currency == "EUR")
    #expect(config.language == "en")
    #expect(config.externalURL == nil)
    #expect(config.internalURL == "http://h:8123")
    #expect(config.state == "RUNNING")
    #expect(config.isSafeMode)
    #expect(!config.isRecoveryMode)
  }

  @Test func commandsWithoutMembersAreNamedAsHomeAssistantNamesThem() {
    func command(_ request: some Request) -> Text { request.payload == [:] ? request.command : "" }
    #expect(command(.currentUser) == "auth/current_user")
    #expect(command(.states) == "get_states")
    #expect(command(.config) == "get_config")
    #expect(command(.services) == "get_services")
    #expect(command(.areas) == "config/area_registry/list")
    #expect(command(.floors) == "config/floor_registry/list")
    #expect(command(.labels) == "config/label_registry/list")
    #expect(command(.devices) == "config/device_registry/list")
    #expect(command(.entityRegistry) == "config/entity_registry/list")
    #expect(command(.people) == "person/list")
    #expect(command(.assistPipelines) == "assist_pipeline/pipeline/list")
  }
}
