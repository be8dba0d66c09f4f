import Bytes
import HomeAssistant
import HomeAssistantClient

/// Caches over a server that answers from a script.
func keepCaches(to transcript: inout Transcript) {
  let server = Server()
  let client = Client(driver: server, seed: 7)
  server.client = client
  let caches = Caches(client)
  let notes = Notes()
  let names = caches.areas.map { areas in areas.map { $0.name } }.withoutRepeats()
  let observations = Observations(caches, names, notes)
  server.serve()
  server.tell(#"{"event_type":"area_registry_updated"}"#, of: "area_registry_updated")
  server.tell(
    #"""
    {"event_type":"component_loaded","origin":"LOCAL","data":{"component":"tag"},"time_fired":1,
    "context":{"id":"c"}}
    """#, of: "component_loaded")
  server.tell(
    #"{"c":{"light.a":{"+":{"s":"off","lc":2}}},"r":["light.b"]}"#, of: "subscribe_entities")
  server.pass(.seconds(1))
  server.breakOff()
  server.pass(.seconds(5))
  for note in notes.taken { transcript.line("cache") { $0.append(note.bytes) } }
  observations.end()
  server.serve()
  for message in server.messages { transcript.line("sent") { $0.append(message) } }
  transcript.line("entities") { $0.append(decimal: Int64(caches.states().count)) }
  server.client = nil
}

/// A Home Assistant, and the way to it, that does as little as it can.
private final class Server: Driver {
  var client: Client?
  private(set) var now = Instant(nanoseconds: 0)
  private(set) var messages: [[UInt8]] = []
  private var unanswered: [(id: Int64, type: Text)] = []
  /// By their types, or those of their events.
  private var subscriptions: [(id: Int64, type: Text)] = []
  private var isOpening = false
  private var isTokenWanted = false

  func openSocket() { isOpening = true }
  func closeSocket(code: UInt16) {}
  func fetchToken(_ reason: TokenReason) { isTokenWanted = true }
  func send(_ call: HTTPCall) {}
  func cancelHTTP(_ id: RequestID) {}

  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    messages.append([UInt8](message))
    guard let message = try? JSON(parsing: message) else { preconditionFailure("it sends JSON") }
    let type: Text = message.get("type", orOnFailure: "")
    let id: Int64 = message.get("id", orOnFailure: 0)
    unanswered.append((id, type))
    subscriptions.append((id, message.get("event_type", orOnFailure: type)))
  }

  /// Lets time pass, with the deadlines in it.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = client?.deadline, deadline <= end {
      now = max(now, deadline)
      client?.deadlineReached()
      serve()
    }
    now = end
  }

  func breakOff() {
    subscriptions = []
    client?.socketClosed(.closed(code: nil))
  }

  func serve() {
    if isOpening {
      isOpening = false
      client?.socketOpened()
    }
    if isTokenWanted {
      isTokenWanted = false
      client?.tokenFetched(.token([UInt8(ascii: "t")]))
    }
    while !unanswered.isEmpty {
      let (id, type) = unanswered.removeFirst()
      answer(id, type)
    }
  }

  func tell(_ event: StaticString, of type: Text) {
    guard let subscription = subscriptions.last(where: { $0.type == type }) else { return }
    var text = ByteBuffer(capacity: 1024)
    text.append(#"{"type":"event","event":"#)
    text.append(event)
    text.append(#","id":"#)
    text.append(decimal: subscription.id)
    text.append("}")
    client?.received(text.bytes)
  }

  private func answer(_ id: Int64, _ type: Text) {
    var text = ByteBuffer(capacity: 1024)
    if type == "auth" {
      text.append(#"{"type":"auth_ok","ha_version":"2026.11.0"}"#)
    } else {
      text.append(#"{"type":"result","success":true,"id":"#)
      text.append(decimal: id)
      text.append(#","result":"#)
      text.append(result(of: type))
      text.append("}")
    }
    client?.received(text.bytes)
    guard type == "subscribe_entities" else { return }
    tell(
      #"{"a":{"light.a":{"s":"on","lc":1},"light.b":{"s":"on","lc":1}}}"#, of: "subscribe_entities")
  }

  private func result(of type: Text) -> StaticString {
    if type == "config/area_registry/list" { return #"[{"area_id":"k","name":"Kitchen"}]"# }
    guard type == "get_config" else { return "null" }
    return #"""
      {"location_name":"B","latitude":1,"longitude":2,"elevation":3,"time_zone":"UTC",
      "unit_system":{},"version":"2026.11.0","components":["sun"]}
      """#
  }
}

private final class Notes {
  private(set) var taken: [Text] = []

  func take(_ title: Text, _ values: [Text]) {
    taken.append(title)
    taken += values
  }
}

private final class Observations {
  private var entities: Observation?
  private var names: Observation?
  private var light: Observation?
  private var config: Observation?

  init(_ caches: Caches, _ areas: Cache<[Text]>, _ notes: Notes) {
    entities = caches.states().observe { entities, change in
      notes.take("added", change.added.map { $0.text })
      notes.take("changed", change.changed.map { $0.text })
      notes.take("removed", change.removed.map { $0.text })
    }
    names = areas.observe { notes.take("areas", $0) }
    light = caches.states().entity("light.a").observe { notes.take("light", [$0?.state ?? "none"]) }
    config = caches.config.observe { notes.take("components", $0.components) }
  }

  func end() {
    entities = nil
    names = nil
    light = nil
    config = nil
  }
}
