public import Bytes
public import HomeAssistant

extension Request where Self == TypedRequest<ServiceOutcome> {
  /// Call of a Home Assistant service, such as `light` and `turn_on`.
  ///
  /// If the connection is lost before the answer, the call is repeated, and may take effect twice.
  /// If that is harmful, use `retry: .never`.
  ///
  /// Some services refuse calls that want response data, and others refuse calls that do not.
  public static func callService(
    _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
    wantsResponse: Bool = false, retry: Retry = .within(.seconds(10))
  ) -> Self {
    var payload: JSONObject = [
      "domain": .text(domain), "service": .text(service), "service_data": .object(data),
    ]
    payload["target"] = target.map { .object($0.members) }
    if wantsResponse { payload["return_response"] = true }
    return TypedRequest("call_service", payload, retry: retry)
  }
}

/// Target of a service: all named items, and all entities that belong to them.
public struct ServiceTarget: Equatable, Sendable {
  /// Entities to call the service on.
  public var entityIDs: [EntityID]
  /// Devices, with all their entities.
  public var deviceIDs: [Text]
  /// Areas, with all their entities.
  public var areaIDs: [Text]
  /// Floors, with all their entities.
  public var floorIDs: [Text]
  /// Labels, with all entities that have them, or whose device or area has them.
  public var labelIDs: [Text]

  /// Creates a target of all these items.
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

  /// Returns a target of these entities alone.
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
