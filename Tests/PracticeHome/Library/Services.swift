/// Why an action did not happen.
enum ServiceFailure: Error {
  case notFound(domain: String, service: String)
  case invalid(Invalid)
  case noResponse
  /// What Home Assistant says when something it tried went wrong.
  case failed(String)

  var message: String {
    switch self {
    case .notFound(let domain, let service): "Service \(domain).\(service) not found."
    case .invalid(let problems): problems.message
    case .noResponse:
      "An action which does not return responses can't be called with return_response=True"
    case .failed(let message): message
    }
  }

  /// The error a command is answered with.
  var commandFailure: CommandFailure {
    switch self {
    case .notFound(let domain, let service):
      CommandFailure(
        code: "not_found", message: message,
        translation: (
          "service_not_found", ["domain": .string(domain), "service": .string(service)]
        ))
    case .invalid: CommandFailure(code: "invalid_format", message: message)
    case .noResponse:
      CommandFailure(code: "service_validation_error", message: "Validation error: \(message)")
    case .failed: CommandFailure(code: "home_assistant_error", message: message)
    }
  }
}

/// An action of the home.
struct Service: Sendable {
  typealias Run = @Sendable (inout Home, JSONObject, Moment) throws(ServiceFailure) -> JSON

  var name: String
  var description: String
  /// The data it takes; nil if it takes anything and does nothing with it.
  var fields: [Field]?
  var hasResponse = false
  var run: Run

  init(
    _ name: String, _ description: String, _ fields: [Field]?, hasResponse: Bool = false,
    _ run: @escaping Run = { (_, _, _) throws(ServiceFailure) in [:] }
  ) {
    self.name = name
    self.description = description
    self.fields = fields
    self.hasResponse = hasResponse
    self.run = run
  }

  var schema: Schema { fields.map { .shape($0) } ?? .dictionary }

  var json: JSON {
    let fields = (fields ?? []).map { field in
      (field.key, ["required": .bool(field.isRequired), "name": .string(field.key)] as JSON)
    }
    var content: JSONObject = [
      "name": .string(name), "description": .string(description),
      "fields": .object(JSONObject(fields)),
    ]
    if hasResponse { content["response"] = ["optional": true] }
    return .object(content)
  }

  /// Some actions that every Home Assistant has; the practice home does nothing on most of them.
  static let standing: [String: [String: Service]] = [
    "homeassistant": [
      "turn_on": Service("Generic turn on", "Turns things on.", nil)
    ],
    "persistent_notification": [
      "create": Service(
        "Create", "Shows a notification in the user interface.",
        [
          .required("message", .string), .optional("title", .string),
          .optional("notification_id", .string),
        ]),
      "dismiss_all": Service("Dismiss all", "Removes all notifications.", nil),
    ],
    "conversation": [
      "process": Service(
        "Process", "Answers a sentence.",
        [
          .required("text", .string), .optional("language", .string),
          .optional("agent_id", .string), .optional("conversation_id", .string),
        ], hasResponse: true
      ) { (home, data, _) throws(ServiceFailure) in home.conversation(data) }
    ],
    "notify": [
      "notify": Service(
        "Send a notification with notify", "Sends a notification to every device.",
        Notification.fields
      ) { (home, data, now) throws(ServiceFailure) in
        let targets = home.registrations.filter(\.takesNotifications).map(\.webhookID)
        try home.notify(targets, Notification(data), now: now)
        return [:]
      }
    ],
  ]
}

extension Home {
  /// Every action there is now. Those that notify one device come and go with it.
  var services: [String: [String: Service]] {
    var services = Service.standing
    for registration in registrations where registration.takesNotifications {
      let name = "mobile_app_\(Slug.make(registration.deviceName))"
      let target = registration.webhookID
      // Devices of the same name share one; the last of them has it.
      services["notify"]?[name] = Service(
        "Send a notification via \(name)", "Sends a notification to one device.",
        Notification.fields
      ) { (home, data, now) throws(ServiceFailure) in
        try home.notify([target], Notification(data), now: now)
        return [:]
      }
    }
    return services
  }

  /// Does what an action is for.
  ///
  /// - Returns: its response, if it has one and it is wanted; else an empty object.
  /// - Throws: `ServiceFailure` if there is no such action, or it does not succeed.
  mutating func perform(
    _ domain: String, _ name: String, _ data: JSONObject, wantsResponse: Bool, now: Moment
  ) throws(ServiceFailure) -> JSON {
    let (domain, name) = (domain.lowercased(), name.lowercased())
    guard let service = services[domain]?[name] else {
      throw .notFound(domain: domain, service: name)
    }
    if wantsResponse && !service.hasResponse { throw .noResponse }
    let content: JSONObject
    do throws(Invalid) { content = try service.schema(.object(data)).object ?? [:] } catch {
      throw .invalid(error)
    }
    emit(
      "call_service",
      ["domain": .string(domain), "service": .string(name), "service_data": .object(data)],
      isRemote: false, now: now)
    return try service.run(&self, content, now)
  }
}

// MARK: Commands

extension Command {
  /// Commands about actions.
  static let services: [String: Command] = [
    "get_services": Command { (home, call) throws(CommandFailure) in
      home.succeed(call, .object(home.serviceDescriptions))
    },
    "call_service": Command([
      .required("domain", .text), .required("service", .text), .optional("target", target),
      .optional("service_data", .dictionary),
      .optional("return_response", .strictBoolean, default: false),
    ]) { (home, call) throws(CommandFailure) in try home.callService(call) },
  ]

  private static let target = Schema.shape(
    ["entity_id", "device_id", "area_id", "floor_id", "label_id"].map {
      .optional($0, .anything)
    })
}

extension Home {
  var serviceDescriptions: JSONObject {
    JSONObject(
      services.sorted { $0.key < $1.key }.map { domain, services in
        let descriptions = services.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        return (domain, .object(JSONObject(descriptions)))
      })
  }

  fileprivate mutating func callService(_ call: Call) throws(CommandFailure) {
    var data = call.content["service_data"]?.object ?? [:]
    data.merge(call.content["target"]?.object ?? [:])
    let (domain, service) = (call.text("domain"), call.text("service"))
    let wantsResponse = call.content["return_response"] == true
    var result: JSONObject = ["context": context(call.now)]
    do throws(ServiceFailure) {
      let response = try perform(
        domain, service, data, wantsResponse: wantsResponse, now: call.now)
      if wantsResponse { result["response"] = response }
    } catch { throw error.commandFailure }
    note(.serviceCalled(domain: domain, service: service, data: data), at: call.now)
    succeed(call, .object(result))
  }
}
