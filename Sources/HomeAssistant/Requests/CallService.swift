public import Bytes

/// Has Home Assistant do something.
///
/// Where the connection is lost before the answer comes, the call is made again, and what it does
/// may be done twice. A call for which that is not harmless says `retry: .never`.
public struct CallService: Request {
  public typealias Response = ServiceOutcome
  public let domain: Text
  public let service: Text
  public let data: JSONObject
  public let target: ServiceTarget?
  /// Whether the service's own answer is wanted. It is an error to want it of one that has none,
  /// and with some not to want it.
  public let wantsResponse: Bool
  public let retry: Retry

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
  public var entityIDs: [EntityID]
  public var deviceIDs: [Text]
  public var areaIDs: [Text]
  public var floorIDs: [Text]
  public var labelIDs: [Text]

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
  public static func callService(
    _ domain: Text, _ service: Text, data: JSONObject = [:], target: ServiceTarget? = nil,
    wantsResponse: Bool = false
  ) -> CallService {
    CallService(domain, service, data: data, target: target, wantsResponse: wantsResponse)
  }
}
