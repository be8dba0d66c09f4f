public import Bytes
public import FoundationEssentials
public import HomeAssistant
public import HomeAssistantClient

// Common requests with standard types. Each is one request of the core; `send` accepts all others.

extension AsyncClient {
  /// Returns the current entities, or those of one domain, such as `light`.
  ///
  /// Entities that do not decode are left out; `send(.states)` counts them.
  public nonisolated func entities(
    in domain: String? = nil
  ) async throws(RequestError) -> [Entity] {
    let all = try await send(.states).elements
    guard let domain else { return all }
    let name = Text(domain)
    return all.filter { $0.id.isOf(domain: name) }
  }

  /// Calls a service, such as `callService("light", "turn_on", on: ["light.hall"])`.
  ///
  /// - Parameters:
  ///   - domain: domain, such as `light`.
  ///   - service: service, such as `turn_on`; Home Assistant also calls it an action.
  ///   - entities: target of the call.
  ///   - data: data of the service.
  ///   - wantsResponse: whether the call wants response data.
  /// - Returns: the response data, if `wantsResponse` is true.
  /// - Throws: `RequestError`; `.server` if Home Assistant refuses the call.
  @discardableResult
  public nonisolated func callService(
    _ domain: String, _ service: String, on entities: [EntityID] = [], data: [String: JSON] = [:],
    wantsResponse: Bool = false
  ) async throws(RequestError) -> JSON? {
    let target = entities.isEmpty ? nil : ServiceTarget(entities: entities)
    let outcome = try await send(
      .callService(
        Text(domain), Text(service), data: JSONObject(data), target: target,
        wantsResponse: wantsResponse))
    return outcome.response
  }

  /// Renders a template once.
  public nonisolated func render(_ template: String) async throws(RequestError) -> String {
    String(try await send(REST.template(Text(template))))
  }

  /// Returns the past states of entities, by the entity's identifier, oldest first.
  public nonisolated func history(
    of entities: [EntityID], from start: Date, to end: Date? = nil
  ) async throws(RequestError) -> [String: [HistoryState]] {
    let found = try await send(
      .history(of: entities, from: WallTime(start), to: end.map { WallTime($0) }))
    // Names that differ in their bytes may be one string.
    return Dictionary(found.map { (String($0.key), $0.value) }, uniquingKeysWith: { $1 })
  }
}
