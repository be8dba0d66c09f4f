import Bytes
import Foundation
import HomeAssistant
import Testing

@Suite struct ScratchTests {
  func file(_ n: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: "/tmp/models-dump/" + n) ?? Data()) }
  func load<V: JSONDecodable>(_ n: String, _: V.Type) throws -> V { let b = file(n); return try V(decoding: b.span) }
  @Test func real() throws {
    _ = try load("user", User.self); _ = try load("config", ServerConfig.self)
    let s = try load("services", Services.self); print("services", s.all.count)
    #expect(try load("restservices", Services.self) == s)
    print("panels", try load("panels", GetPanels.Response.self).count)
    print("areas", try load("areas", GetAreas.Response.self).count, try load("floors", GetFloors.Response.self).count, try load("labels", GetLabels.Response.self).count)
    let d = try load("devices", GetDevices.Response.self); print("devices", d.elements.count, d.skippedCount)
    let e = try load("entities", GetEntityRegistry.Response.self); print("entities", e.elements.count, e.skippedCount)
    let x = try load("display", DisplayedEntities.self); print("display", x.entities.elements.count, x.entities.skippedCount)
    print("people", try load("people", People.self).stored.count)
    print("log", try load("log", GetSystemLog.Response.self).count)
    print("statids", try load("statids", GetStatisticIDs.Response.self).count, try load("stats", GetStatistics.Response.self).count)
    print("pipelines", try load("pipelines", AssistPipelines.self).pipelines.count)
    print("logbook", try load("logbook", GetLogbook.Response.self).count, try load("history", GetHistory.Response.self).mapValues { $0.count })
    print("resthistory", try load("resthistory", REST.History.self).states.mapValues { $0.count })
    #expect(try load("resthistory", REST.History.self).states["input_boolean.pump"]?.map(\.lastUpdated).last == load("history", GetHistory.Response.self)["input_boolean.pump"]?.map(\.lastUpdated).last)
    let states = try load("get_states", GetStates.Response.self); print("states", states.elements.count, states.skippedCount)
    var store = EntityStore()
    var n = 0
    for line in file("events").split(separator: 10) { let b = [UInt8](line); let c = try store.apply(b.span); n += c.skippedCount; }
    let count = store.count
    #expect(count == states.elements.count); #expect(n == 0)
    var different = 0
    for var entity in states.elements { entity.lastReported = nil
      if store[entity.id] != entity { different += 1; print(entity.id); if let o = store[entity.id] { print(o.state == entity.state, o.attributes == entity.attributes, o.lastChanged, entity.lastChanged, o.lastUpdated, entity.lastUpdated, o.context, entity.context) } } }
    print("different", different)
    #expect(different == 0)
  }
}
