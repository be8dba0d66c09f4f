public import Bytes
public import HomeAssistant

/// Calls of the REST API, for programs without a WebSocket.
public enum REST {
  /// Call for the states of all entities. Entities that do not decode are left out and counted.
  public struct GetStates: RESTRequest {
    public typealias Response = LossyArray<Entity>
    /// Creates the call.
    public init() {}
    public var path: Text { "states" }
  }

  /// Call for the state of one entity.
  public struct GetState: RESTRequest {
    public typealias Response = Entity
    /// Entity to read.
    public let entityID: EntityID

    /// Creates a call for this entity. An unknown one fails with `RequestError.http` and 404.
    public init(_ entityID: EntityID) { self.entityID = entityID }
    public var path: Text { "states/" + entityID.text }
  }

  /// Call for the configuration of Home Assistant.
  public struct GetConfig: RESTRequest {
    public typealias Response = ServerConfig
    /// Creates the call.
    public init() {}
    public var path: Text { "config" }
  }

  /// Call for the services of Home Assistant.
  public struct GetServices: RESTRequest {
    public typealias Response = Services
    /// Creates the call.
    public init() {}
    public var path: Text { "services" }
  }

  /// Call of a Home Assistant service.
  public struct CallService: RESTRequest {
    public typealias Response = CalledService
    /// Domain, such as `light`.
    public let domain: Text
    /// Service, such as `turn_on`.
    public let service: Text
    /// Data of the service, with the members of the target.
    public let data: JSONObject
    /// Whether the call wants response data.
    public let wantsResponse: Bool

    /// Creates a call of one service.
    ///
    /// - Parameters:
    ///   - domain: domain, such as `light`.
    ///   - service: service, such as `turn_on`.
    ///   - data: data of the service.
    ///   - target: target; its members are added to those of `data`.
    ///   - wantsResponse: whether the call wants response data.
    public init(
      _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
      wantsResponse: Bool = false
    ) {
      self.domain = domain
      self.service = service
      var data = data
      if let target { data.merge(target.members) }
      self.data = data
      self.wantsResponse = wantsResponse
    }

    public var method: HTTPMethod { .post }
    public var path: Text { "services/" + domain + "/" + service }
    public var query: [(name: Text, value: Text)] {
      wantsResponse ? [("return_response", "true")] : []
    }
    public var body: JSON? { .object(data) }
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

  /// Call to fire an event on Home Assistant's bus. For administrators.
  public struct FireEvent: RESTRequest {
    public typealias Response = NoContent
    /// Type of the event.
    public let type: EventType
    /// Data of the event.
    public let data: JSONObject

    /// Creates a call for one event.
    ///
    /// - Parameters:
    ///   - type: type of the event, at most 64 characters.
    ///   - data: data of the event.
    public init(_ type: EventType, data: JSONObject = [:]) {
      self.type = type
      self.data = data
    }

    public var method: HTTPMethod { .post }
    public var path: Text { "events/" + type.text }
    public var body: JSON? { .object(data) }
  }

  /// Call for the current result of a template, as text.
  public struct RenderTemplate: RESTRequest {
    public typealias Response = Text
    /// Template in Home Assistant's template language (Jinja).
    public let template: Text
    /// Variables of the template, by name.
    public let variables: JSONObject

    /// Creates a call to render a template once.
    ///
    /// - Parameters:
    ///   - template: template in Home Assistant's template language.
    ///   - variables: variables of the template, by name.
    public init(_ template: Text, variables: JSONObject = [:]) {
      self.template = template
      self.variables = variables
    }

    public var method: HTTPMethod { .post }
    public var path: Text { "template" }
    public var body: JSON? {
      var body: JSONObject = ["template": .text(template)]
      if !variables.isEmpty { body["variables"] = .object(variables) }
      return .object(body)
    }
  }

  /// Call for the past states of entities.
  public struct GetHistory: RESTRequest {
    public typealias Response = History
    /// Entities to report; at least one.
    public let entityIDs: [EntityID]
    /// Start of the period.
    public let startTime: WallTime
    /// End of the period; nil for a day after the start.
    public let endTime: WallTime?

    /// Creates a call for the history of these entities.
    ///
    /// - Parameters:
    ///   - entityIDs: entities to report; at least one.
    ///   - startTime: start of the period.
    ///   - endTime: end of the period; nil for a day after the start.
    public init(_ entityIDs: [EntityID], from startTime: WallTime, to endTime: WallTime? = nil) {
      precondition(!entityIDs.isEmpty, "Home Assistant wants to know of which entities")
      self.entityIDs = entityIDs
      self.startTime = startTime
      self.endTime = endTime
    }

    public var path: Text { "history/period/" + Text(iso8601: startTime) }
    public var query: [(name: Text, value: Text)] {
      var ids = entityIDs[0].text
      for id in entityIDs.dropFirst() { ids = ids + "," + id.text }
      guard let endTime else { return [("filter_entity_id", ids)] }
      return [("filter_entity_id", ids), ("end_time", Text(iso8601: endTime))]
    }
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
  public struct GetErrorLog: RESTRequest {
    public typealias Response = Text
    /// Creates the call.
    public init() {}
    public var path: Text { "error_log" }
  }

  /// Call for a camera's current image, mostly a JPEG, whose bytes are those of the text.
  public struct GetCameraImage: RESTRequest {
    public typealias Response = Text
    /// Camera to read.
    public let entityID: EntityID

    /// Creates a call for the image of this camera.
    public init(_ entityID: EntityID) { self.entityID = entityID }
    public var path: Text { "camera_proxy/" + entityID.text }
  }
}
