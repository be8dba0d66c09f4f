public import Bytes
public import HomeAssistant

/// Calls of the REST API, for programs without a WebSocket.
public enum REST {
  /// Call for the states of all entities. Entities that do not decode are left out and counted.
  public static var states: TypedRESTRequest<LossyArray<Entity>> {
    TypedRESTRequest(.get, "states")
  }

  /// Call for the state of one entity. An unknown one fails with `RequestError.http` and 404.
  public static func state(of id: EntityID) -> TypedRESTRequest<Entity> {
    TypedRESTRequest(.get, "states/" + id.text)
  }

  /// Call for the configuration of Home Assistant.
  public static var config: TypedRESTRequest<ServerConfig> { TypedRESTRequest(.get, "config") }

  /// Call for the services of Home Assistant.
  public static var services: TypedRESTRequest<Services> { TypedRESTRequest(.get, "services") }

  /// Call of a Home Assistant service, such as `light` and `turn_on`. The members of the target are
  /// added to those of `data`.
  public static func callService(
    _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
    wantsResponse: Bool = false
  ) -> TypedRESTRequest<CalledService> {
    var data = data
    if let target { data.merge(target.members) }
    return TypedRESTRequest(
      .post, "services/" + domain + "/" + service,
      query: wantsResponse ? [("return_response", "true")] : [], body: .object(data))
  }

  /// Result of a service call.
  public struct CalledService: JSONDecodable, Equatable, Sendable {
    /// Entities that changed meanwhile. Entities that do not decode are left out and counted.
    public let changedStates: LossyArray<Entity>
    /// Response data, if the call wanted some.
    public let response: JSON?

    public init(json: JSON) throws(JSONDecodingError) {
      guard case .object(let members) = json else {
        changedStates = try LossyArray(json: json)
        response = nil
        return
      }
      changedStates = try members.getLossy("changed_states")
      response = try members.getIfPresent("service_response")
    }
  }

  /// Call to fire an event on Home Assistant's bus, whose type has at most 64 characters. For
  /// administrators.
  public static func fireEvent(
    _ type: EventType, data: JSONObject = [:]
  ) -> TypedRESTRequest<NoContent> {
    TypedRESTRequest(.post, "events/" + type.text, body: .object(data))
  }

  /// Call for the current result of a template in Home Assistant's template language (Jinja), as
  /// text.
  public static func template(
    _ template: Text, variables: JSONObject = [:]
  ) -> TypedRESTRequest<Text> {
    var body: JSONObject = ["template": .text(template)]
    if !variables.isEmpty { body["variables"] = .object(variables) }
    return TypedRESTRequest(.post, "template", body: .object(body))
  }

  /// Call for the past states of at least one entity; without an end, for a day after the start.
  public static func history(
    of entityIDs: [EntityID], from startTime: WallTime, to endTime: WallTime? = nil
  ) -> TypedRESTRequest<History> {
    precondition(!entityIDs.isEmpty, "Home Assistant wants to know of which entities")
    var ids = entityIDs[0].text
    for id in entityIDs.dropFirst() { ids = ids + "," + id.text }
    var query: [(name: Text, value: Text)] = [("filter_entity_id", ids)]
    if let endTime { query.append(("end_time", Text(iso8601: endTime))) }
    return TypedRESTRequest(.get, "history/period/" + Text(iso8601: startTime), query: query)
  }

  /// Past states of entities.
  public struct History: JSONDecodable, Equatable, Sendable {
    /// States by the entity's identifier, oldest first.
    public let states: [Text: [HistoryState]]

    public init(json: JSON) throws(JSONDecodingError) {
      var states: [Text: [HistoryState]] = [:]
      let entities: [[JSONObject]] = try Array(json: json)
      for entity in entities {
        guard let id: Text = try entity.first?.get("entity_id") else { continue }
        var history: [HistoryState] = []
        for state in entity { history.append(try HistoryState(longForm: state)) }
        states[id] = history
      }
      self.states = states
    }
  }

  /// Call for Home Assistant's log file, as text. For administrators.
  public static var errorLog: TypedRESTRequest<Text> { TypedRESTRequest(.get, "error_log") }

  /// Call for a camera's current image, mostly a JPEG, whose bytes are those of the text.
  public static func cameraImage(of id: EntityID) -> TypedRESTRequest<Text> {
    TypedRESTRequest(.get, "camera_proxy/" + id.text)
  }
}
