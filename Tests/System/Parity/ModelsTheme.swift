import Bytes
import HomeAssistant
import HomeAssistantClient

func decodeModels(to transcript: inout Transcript) {
  decode(
    User.self, #"{"id":"76ce","name":null,"mfa_modules":[{"id":"t","name":"T","enabled":true}]}"#,
    to: &transcript
  ) { $0.append($1.multiFactorModules[0].name.bytes) }
  decode(
    LossyArray<Entity>.self,
    """
    [{"entity_id":"zone.home","state":"0","attributes":{"latitude":52.5,"longitude":4,"radius":100,
    "passive":false},"last_changed":"2026-11-21T14:51:39.682650+00:00",
    "last_updated":"2026-11-21T14:51:39.682651+00:00","context":{"id":"c"}},{"entity_id":"x"}]
    """, to: &transcript
  ) { line, states in
    line.append(decimal: states.elements.count)
    line.append(decimal: states.skippedCount)
    line.append(decimal: Int64((states.elements[0].zone?.latitude ?? 0) * 10))
  }
  decode(
    Services.self,
    #"{"b":{"s":{"fields":{},"response":{"optional":true}}},"a":{"t":{"name":"N","fields":{}}}}"#,
    to: &transcript
  ) { line, services in
    for service in services.all { line.append(service.fullName.bytes) }
    line.append(services["b", "s"]?.response == .optional)
  }
  decode(
    StateChange.self,
    """
    {"event_type":"state_changed","data":{"entity_id":"sun.sun","old_state":null},
    "origin":"LOCAL","time_fired":"2026-11-21T14:53:03.427383+00:00","context":{"id":"c"}}
    """, to: &transcript
  ) { line, change in
    line.append(change.event.origin == .local)
    line.append(change.oldState == nil)
  }
  decode(
    [Text: [StatisticsPoint]].self,
    #"{"a:b":[{"start":1767225600000,"end":1767229200000,"mean":1}]}"#, to: &transcript
  ) { $0.append(iso8601: $1["a:b"]?.first?.end ?? WallTime(nanoseconds: 0)) }
  decode(
    RelatedItems.self, #"{"entity":["sensor.a"],"person":["person.p"]}"#, to: &transcript
  ) { line, items in
    line.append(items.entityIDs[0].text.bytes)
    line.append(decimal: items.deviceIDs.count)
  }
  decode(
    EntityRegistryEntry.self, #"{"entity_id":"a.b","unique_id":"w_b","platform":"mobile_app"}"#,
    to: &transcript
  ) { $0.append($1.uniqueID.bytes) }
  decode(TemplateEvent.self, #"{"error":"no","level":"ERROR"}"#, to: &transcript) {
    $0.append($1 == .failed(message: "no", level: "ERROR"))
  }
  decode(Event.self, #"{"event_type":"x","origin":"MARS"}"#, to: &transcript) {
    $0.append($1.origin == .local)
  }
  writeRequests(to: &transcript)
  followEntities(to: &transcript)
}

private func decode<Value: JSONDecodable>(
  _: Value.Type, _ text: StaticString, to transcript: inout Transcript,
  _ write: (inout ByteBuffer, Value) -> Void
) {
  transcript.line("model") { line in
    let bytes = [UInt8](text)
    do throws(JSONDecodingError) { write(&line, try Value(decoding: bytes.span)) } catch {
      line.append(error)
    }
  }
}

private func writeRequests(to transcript: inout Transcript) {
  write(
    .callService(
      "light", "turn_on", data: ["brightness": 5], target: .entities("light.a"),
      wantsResponse: true), to: &transcript)
  write(.currentUser, to: &transcript)
  write(
    .statistics(["a:b"], per: .fiveMinutes, from: WallTime(nanoseconds: 0)), to: &transcript)
  write(.related("config_entry", "c"), to: &transcript)
  write(.entityRegistryEntries(["a.b", "a.c"]), to: &transcript)
  write(.statisticDescriptions(["a:b"]), to: &transcript)
  write(
    .importStatistics(
      of: "a:b", source: "a", name: nil, unit: "°C", unitClass: "temperature", mean: .arithmetic,
      hasSum: false, hours: [.init(WallTime(nanoseconds: 0), mean: 20.25)],
      for: ServerVersion("2025.11.0")),
    to: &transcript)
  transcript.line("subscription") { line in
    line.append("\n")
    let template: TypedSubscription<TemplateEvent> = .template(
      "{{ 1 }}", timeout: .milliseconds(2500))
    template.payload.write(into: &line)
  }
  transcript.line("rest") { line in
    let call = REST.callService("a", "b", data: ["c": nil], wantsResponse: true)
    line.append(call.path.bytes)
    line.append(call.query[0].name.bytes)
    line.append(call.method == .post)
  }
}

private func write<R: Request>(_ request: R, to transcript: inout Transcript) {
  transcript.line("request") { line in
    line.append(request.command.bytes)
    line.append("\n")
    request.payload.write(into: &line)
    line.append(request.retry == .within(.seconds(10)))
  }
}

private func followEntities(to transcript: inout Transcript) {
  let events: [StaticString] = [
    """
    {"a":{"light.a":{"s":"on","a":{"b":1,"c":null},"c":"c1","lc":1795272779.0789297},
    "light.b":{"s":"off","lc":1},"bad":{}}}
    """,
    #"{"c":{"light.a":{"+":{"lc":1795272783.4273827,"c":{"user_id":"u"}},"-":{"a":["b"]}}}}"#,
    #"{"r":["light.b"],"a":{"light.c":{"s":"x","lc":2}}}"#, #"{"a":[]}"#,
  ]
  var store = EntityStore()
  for event in events {
    transcript.line("entities") { line in
      let bytes = [UInt8](event)
      do throws(JSONError) {
        let change = try store.apply(bytes.span)
        for id in change.added { line.append(id.text.bytes) }
        line.append(decimal: change.changed.count)
        for id in change.removed { line.append(id.text.bytes) }
        line.append(decimal: change.skippedCount)
      } catch {
        line.append(error)
      }
      guard let entity = store["light.a"] else { return line.append("none") }
      entity.attributes.write(into: &line)
      line.append(iso8601: entity.lastUpdated)
      line.append((entity.context.userID ?? "no user").bytes)
    }
  }
}
