public import Bytes

/// Calls of the REST API, for those who need no WebSocket.
public enum REST {
  /// All entities as they are now. One that does not decode is left out and counted.
  public struct GetStates: RESTRequest {
    public typealias Response = LossyArray<Entity>
    /// There is nothing to choose.
    public init() {}
    public var path: Text { "states" }
  }

  /// One entity as it is now.
  public struct GetState: RESTRequest {
    public typealias Response = Entity
    /// Which one.
    public let entityID: EntityID

    /// Asks for this entity. One that does not exist is `RequestError.http` with 404.
    public init(_ entityID: EntityID) { self.entityID = entityID }
    public var path: Text { "states/" + entityID.text }
  }

  /// How Home Assistant is set up.
  public struct GetConfig: RESTRequest {
    public typealias Response = ServerConfig
    /// There is nothing to choose.
    public init() {}
    public var path: Text { "config" }
  }

  /// What Home Assistant can be told to do.
  public struct GetServices: RESTRequest {
    public typealias Response = Services
    /// There is nothing to choose.
    public init() {}
    public var path: Text { "services" }
  }

  /// Has Home Assistant do something.
  public struct CallService: RESTRequest {
    public typealias Response = CalledService
    /// Such as `light`.
    public let domain: Text
    /// Such as `turn_on`.
    public let service: Text
    /// Here the target's members stand among the others.
    public let data: JSONObject
    /// Whether the service's own answer is wanted.
    public let wantsResponse: Bool

    /// A call of one service.
    ///
    /// - Parameters:
    ///   - domain: such as `light`.
    ///   - service: such as `turn_on`.
    ///   - data: what the service takes.
    ///   - target: what it is aimed at; its members are put among those of `data`.
    ///   - wantsResponse: whether the service's own answer is wanted.
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

  /// What came of calling a service.
  public struct CalledService: JSONDecodable, Equatable, Sendable {
    /// The entities that changed meanwhile. One that does not decode is left out and counted.
    public let changedStates: LossyArray<Entity>
    /// What the service answered, where an answer was wanted.
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

  /// Puts an event on Home Assistant's bus. For administrators.
  public struct FireEvent: RESTRequest {
    public typealias Response = NoContent
    /// What listeners go by.
    public let type: EventType
    /// What listeners get.
    public let data: JSONObject

    /// An event of one type.
    ///
    /// - Parameters:
    ///   - type: what listeners go by, at most 64 characters.
    ///   - data: what they get.
    public init(_ type: EventType, data: JSONObject = [:]) {
      self.type = type
      self.data = data
    }

    public var method: HTTPMethod { .post }
    public var path: Text { "events/" + type.text }
    public var body: JSON? { .object(data) }
  }

  /// What a template says now, as text.
  public struct RenderTemplate: RESTRequest {
    public typealias Response = Text
    /// In Home Assistant's language for templates (Jinja).
    public let template: Text
    /// What the template can call by name.
    public let variables: JSONObject

    /// A template to render once.
    ///
    /// - Parameters:
    ///   - template: in Home Assistant's language for templates.
    ///   - variables: what the template can call by name.
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

  /// What entities were in a time.
  public struct GetHistory: RESTRequest {
    public typealias Response = History
    /// Of which entities; at least one.
    public let entityIDs: [EntityID]
    /// From when.
    public let startTime: WallTime
    /// A day after the start, where it is nil.
    public let endTime: WallTime?

    /// The history of these entities.
    ///
    /// - Parameters:
    ///   - entityIDs: at least one.
    ///   - startTime: from when.
    ///   - endTime: until when; a day after the start, where it is nil.
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

  /// What entities were, by their ids.
  public struct History: JSONDecodable, Equatable, Sendable {
    /// By the entity's id, oldest first.
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

  /// Home Assistant's log file, as text. For administrators.
  public struct GetErrorLog: RESTRequest {
    public typealias Response = Text
    /// There is nothing to choose.
    public init() {}
    public var path: Text { "error_log" }
  }

  /// What a camera sees now: an image, mostly a JPEG, whose bytes are the text's.
  public struct GetCameraImage: RESTRequest {
    public typealias Response = Text
    /// Which camera.
    public let entityID: EntityID

    /// Asks for the picture of this camera.
    public init(_ entityID: EntityID) { self.entityID = entityID }
    public var path: Text { "camera_proxy/" + entityID.text }
  }
}
