extension Command {
  /// Commands about entities and events.
  static let states: [String: Command] = [
    "get_states": Command { (home, call) throws(CommandFailure) in
      let readable = home.states.all.map(\.json).filter { !$0.hasOversizedInteger }
      home.succeed(call, .array(readable))
    },
    "subscribe_entities": Command([.optional("entity_ids", .entityIDs)]) {
      (home, call) throws(CommandFailure) in home.subscribeEntities(call)
    },
    "subscribe_events": Command([.optional("event_type", .text, default: "*")]) {
      (home, call) throws(CommandFailure) in
      let type = call.text("event_type")
      home.subscribe(call, .events(type: type == "*" ? nil : type))
      home.succeed(call)
    },
    "unsubscribe_events": Command([.required("subscription", .positiveInteger)]) {
      (home, call) throws(CommandFailure) in try home.unsubscribe(call)
    },
    "fire_event": Command(
      [
        .required("event_type", .text), .optional("event_data", .dictionary, default: [:]),
      ], isForAdministrators: true
    ) { (home, call) throws(CommandFailure) in try home.fireEvent(call) },
    "render_template": Command([
      .required("template", .text), .optional("entity_ids", .entityIDs),
      .optional("variables", .dictionary), .optional("timeout", .float),
      .optional("strict", .strictBoolean), .optional("report_errors", .strictBoolean),
    ]) { (home, call) throws(CommandFailure) in home.runTemplate(call) },
  ]
}

// MARK: Subscribing

extension Home {
  mutating func subscribe(_ call: Call, _ subscription: Session.Subscription) {
    sessions[call.session]?.subscriptions[call.id] = subscription
  }

  fileprivate mutating func unsubscribe(_ call: Call) throws(CommandFailure) {
    guard case .integer(let id) = call.content["subscription"],
      let subscription = sessions[call.session]?.subscriptions.removeValue(forKey: id)
    else { throw .notFound("Subscription not found.") }
    tearDown(subscription, now: call.now)
    succeed(call)
  }

  mutating func tearDown(_ subscription: Session.Subscription, now: Moment) {
    guard case .channel(let webhookID, let serial) = subscription else { return }
    closeChannel(of: webhookID, serial: serial, now: now)
  }

  fileprivate mutating func subscribeEntities(_ call: Call) {
    let ids = Set(call.content["entity_ids"]?.array?.compactMap(\.string) ?? [])
    let wanted = ids.isEmpty ? nil : ids
    succeed(call)
    subscribe(call, .entities(wanted))
    let all = states.all.map { (entityID: $0.entityID, content: $0.compressed) }
    let chosen = all.filter { wanted?.contains($0.entityID) ?? true }
    // If one of the home's states cannot be written, all others are told, whatever was wanted.
    let told =
      all.contains { $0.content.hasOversizedInteger }
      ? all.filter { !$0.content.hasOversizedInteger } : chosen
    tell(call, ["a": .object(JSONObject(told))])
  }
}

// MARK: Telling

extension Home {
  /// Tells everybody who wants to know what changed, and what follows from it.
  mutating func settle(_ now: Moment) {
    while true {
      let changes = states.takeChanges()
      if changes.isEmpty { return }
      for change in changes {
        // A change without a subscription is not put into words.
        if !sessions.isEmpty { tell(change, now: now) }
        follow(change, now: now)
      }
    }
  }

  private mutating func tell(_ change: StateChange, now: Moment) {
    lazy var compressed = change.compressed
    for session in sessions.values.sorted(by: { $0.id < $1.id }) {
      for (id, subscription) in session.subscriptions.sorted(by: { $0.key < $1.key }) {
        switch subscription {
        case .entities(let wanted) where wanted?.contains(change.entityID) ?? true:
          post(Self.change(compressed, for: id), to: session.id)
        case .template(let template) where template.watches(change.entityID):
          renew(template, id: id, on: session.id, now: now)
        default: break
        }
      }
    }
    guard hasListener(to: Self.stateChanged) else { return }
    // An event that cannot be written is lost without a word.
    let content = change.content
    if !JSON.object(content).hasOversizedInteger {
      emit(Self.stateChanged, content, isRemote: false, user: false, now: now)
    }
  }

  private static let stateChanged = "state_changed"

  /// Whether any session subscribed to events of this type.
  private func hasListener(to type: String) -> Bool {
    sessions.values.contains { session in
      session.subscriptions.values.contains { subscription in
        guard case .events(let wanted) = subscription else { return false }
        return wanted == nil || wanted == type
      }
    }
  }

  private static func change(_ content: JSON, for id: Int128) -> JSON {
    guard content.hasOversizedInteger else {
      return ["type": "event", "event": content, "id": .integer(id)]
    }
    return [
      "type": "result", "success": false,
      "error": ["code": "unknown_error", "message": "Invalid JSON in response"],
      "id": .integer(id),
    ]
  }

  /// Fires an event inside the home, towards everybody who listens. It may have come over the
  /// network, and a person may have caused it.
  mutating func emit(
    _ type: String, _ content: JSONObject, isRemote: Bool, user: Bool = true, now: Moment
  ) {
    guard hasListener(to: type) else { return }
    var context = context(now)
    if !user, case .object(var object) = context {
      object["user_id"] = .null
      context = .object(object)
    }
    let event: JSON = [
      "event_type": .string(type), "data": .object(content),
      "origin": isRemote ? "REMOTE" : "LOCAL", "time_fired": .string(now.isoformat),
      "context": context,
    ]
    for session in sessions.values.sorted(by: { $0.id < $1.id }) {
      for (id, subscription) in session.subscriptions.sorted(by: { $0.key < $1.key }) {
        guard case .events(let wanted) = subscription, wanted == nil || wanted == type else {
          continue
        }
        post(["type": "event", "event": event, "id": .integer(id)], to: session.id)
      }
    }
  }

  fileprivate mutating func fireEvent(_ call: Call) throws(CommandFailure) {
    let type = call.text("event_type")
    guard type.unicodeScalars.count <= Self.eventTypeLengthMax else {
      throw CommandFailure(
        code: "home_assistant_error",
        message: "event_type is longer than \(Self.eventTypeLengthMax) characters")
    }
    let content = call.content["event_data"]?.object ?? [:]
    emit(type, content, isRemote: false, now: call.now)
    note(.eventFired(type: type, data: content), at: call.now)
    succeed(call, ["context": context(call.now)])
  }
}

// MARK: Templates that go on

/// A template that a client looks at.
struct RunningTemplate: Sendable {
  var source: String
  var variables: JSONObject
  var reportsErrors: Bool
  /// What it was last; nil before the first time.
  var last: Template.Rendering?

  func watches(_ entityID: String) -> Bool { last?.entities.contains(entityID) ?? false }
}

extension Home {
  fileprivate mutating func runTemplate(_ call: Call) {
    let template = RunningTemplate(
      source: call.text("template"), variables: call.content["variables"]?.object ?? [:],
      reportsErrors: call.content["report_errors"] == true)
    succeed(call)
    subscribe(call, .template(template))
    renew(template, id: call.id, on: call.session, now: call.now)
  }

  /// Renders a template, and tells its onlooker if it is not what it was.
  fileprivate mutating func renew(
    _ template: RunningTemplate, id: Int128, on session: Int, now: Moment
  ) {
    let rendering = render(template.source, template.variables, now: now)
    if rendering == template.last { return }
    var renewed = template
    renewed.last = rendering
    sessions[session]?.subscriptions[id] = .template(renewed)
    let event: JSON
    switch rendering.outcome {
    case .value(let value):
      event = ["result": value, "listeners": rendering.listeners]
    case .error(let message):
      guard template.reportsErrors else { return }
      event = ["error": .string(message), "level": "ERROR"]
    }
    post(["id": .integer(id), "type": "event", "event": event], to: session)
  }
}
