public import Bytes
public import FoundationEssentials
public import HomeAssistant

// What most programs ask, in the types that they have at hand. Each is one request of the core:
// `send` takes all the others.

extension AsyncClient {
  /// The entities as they are now, or those of one domain, such as `light`.
  ///
  /// What this version of the library cannot decode is left out; `send(.states)` counts it.
  public nonisolated func entities(
    in domain: String? = nil
  ) async throws(RequestError) -> [Entity] {
    let all = try await send(.states).elements
    guard let domain else { return all }
    let name = Text(domain)
    return all.filter { $0.id.isOf(domain: name) }
  }

  /// Has Home Assistant do something, such as
  /// `callService("light", "turn_on", on: ["light.hall"])`.
  ///
  /// - Parameters:
  ///   - domain: such as `light`.
  ///   - service: such as `turn_on`; Home Assistant calls it an action, too.
  ///   - entities: on which ones.
  ///   - data: what else the service takes.
  ///   - wantsResponse: whether the service's own answer is wanted.
  /// - Returns: what the service answers, where `wantsResponse` is true.
  /// - Throws: `RequestError`; `.server` where Home Assistant refuses the call.
  @discardableResult
  public nonisolated func callService(
    _ domain: String, _ service: String, on entities: [EntityID] = [], data: [String: JSON] = [:],
    wantsResponse: Bool = false
  ) async throws(RequestError) -> JSON? {
    let target = entities.isEmpty ? nil : ServiceTarget(entities: entities)
    let call = CallService(
      Text(domain), Text(service), data: JSONObject(data), target: target,
      wantsResponse: wantsResponse)
    return try await send(call).response
  }

  /// Has Home Assistant render a template once.
  public nonisolated func render(_ template: String) async throws(RequestError) -> String {
    String(try await send(REST.RenderTemplate(Text(template))))
  }

  /// The states that entities had, by the entity's id, in the order of time.
  public nonisolated func history(
    of entities: [EntityID], from start: Date, to end: Date? = nil
  ) async throws(RequestError) -> [String: [HistoryState]] {
    let found = try await send(
      GetHistory(entities, from: WallTime(start), to: end.map { WallTime($0) }))
    return Dictionary(uniqueKeysWithValues: found.map { (String($0.key), $0.value) })
  }
}
