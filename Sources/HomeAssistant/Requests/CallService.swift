public import Bytes

/// Has Home Assistant do something.
///
/// Where the connection is lost before the answer comes, the call is made again, and what it does
/// may be done twice. A call for which that is not harmless says `retry: .never`.
public struct CallService: Request {
  public typealias Response = ServiceOutcome
  /// Such as `light`.
  public let domain: Text
  /// Such as `turn_on`.
  public let service: Text
  /// What the service takes, such as `brightness_pct`.
  public let data: JSONObject
  /// What the service is aimed at; nil of one without a target.
  public let target: ServiceTarget?
  /// Whether the service's own answer is wanted. It is an error to want it of one that has none,
  /// and with some not to want it.
  public let wantsResponse: Bool
  public let retry: Retry

  /// A call of one service.
  ///
  /// - Parameters:
  ///   - domain: such as `light`.
  ///   - service: such as `turn_on`.
  ///   - data: what the service takes.
  ///   - target: what it is aimed at.
  ///   - wantsResponse: whether the service's own answer is wanted.
  ///   - retry: whether the call is made again where its connection is lost before the answer.
  public init(
    _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
    wantsResponse: Bool = false, retry: Retry = .within(.seconds(10))
  ) {
    self.domain = domain
    self.service = service
    self.data = data
    self.target = target
    self.wantsResponse = wantsResponse
    self.retry = retry
  }

  public var command: Text { "call_service" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "domain": .text(domain), "service": .text(service), "service_data": .object(data),
    ]
    payload["target"] = target.map { .object($0.members) }
    if wantsResponse { payload["return_response"] = true }
    return payload
  }
}

/// What a service is aimed at: everything that is named, and everything in what is named.
public struct ServiceTarget: Equatable, Sendable {
  /// These entities.
  public var entityIDs: [EntityID]
  /// All entities of these devices.
  public var deviceIDs: [Text]
  /// All entities in these areas.
  public var areaIDs: [Text]
  /// All entities on these floors.
  public var floorIDs: [Text]
  /// All entities with these labels, or of devices or in areas with them.
  public var labelIDs: [Text]

  /// Everything that any of these names.
  ///
  /// - Parameters:
  ///   - entityIDs: these entities.
  ///   - deviceIDs: all entities of these devices.
  ///   - areaIDs: all entities in these areas.
  ///   - floorIDs: all entities on these floors.
  ///   - labelIDs: all entities with these labels.
  public init(
    entities entityIDs: [EntityID] = [], devices deviceIDs: [Text] = [],
    areas areaIDs: [Text] = [], floors floorIDs: [Text] = [], labels labelIDs: [Text] = []
  ) {
    self.entityIDs = entityIDs
    self.deviceIDs = deviceIDs
    self.areaIDs = areaIDs
    self.floorIDs = floorIDs
    self.labelIDs = labelIDs
  }

  /// These entities, and nothing else.
  public static func entities(_ ids: EntityID...) -> ServiceTarget { ServiceTarget(entities: ids) }

  var members: JSONObject {
    var members = JSONObject()
    if !entityIDs.isEmpty { members["entity_id"] = .ids(entityIDs) }
    if !deviceIDs.isEmpty { members["device_id"] = .texts(deviceIDs) }
    if !areaIDs.isEmpty { members["area_id"] = .texts(areaIDs) }
    if !floorIDs.isEmpty { members["floor_id"] = .texts(floorIDs) }
    if !labelIDs.isEmpty { members["label_id"] = .texts(labelIDs) }
    return members
  }
}

extension Request where Self == CallService {
  /// Has Home Assistant do something; see `CallService`.
  public static func callService(
    _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
    wantsResponse: Bool = false
  ) -> CallService {
    CallService(domain, service, data: data, target: target, wantsResponse: wantsResponse)
  }
}
