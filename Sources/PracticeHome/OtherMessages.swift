extension Home {
  /// Every location replaces the last one whole, and its answer is the same when it is dropped.
  mutating func updateLocation(_ message: Message) throws(Refusal) -> Answer {
    let location = try checked(MessageSchema.updateLocation, message.data).object ?? [:]
    let index = message.registration
    guard registrations[index].tracker != nil else { throw .trackerTaken }
    registrations[index].tracker?.location = location
    writeTracker(of: index, now: message.now)
    note(.located(location), message)
    return .braces(200)
  }

  mutating func updateRegistration(_ message: Message) throws(Refusal) -> Answer {
    let changes = try checked(MessageSchema.updateRegistration, message.data).object ?? [:]
    registrations[message.registration].update(changes)
    let registration = registrations[message.registration]
    note(.registrationUpdated(registration.description), message)
    return .content(.object(registration.safeContent))
  }

  /// The secret travels in clear, once. Whoever loses the answer is locked out for good.
  mutating func enableEncryption(_ message: Message) throws(Refusal) -> Answer {
    let index = message.registration
    if registrations[index].supportsEncryption { throw .encryptionAlreadyEnabled }
    let secret = random(SealingKey.byteCount).hexadecimal
    registrations[index].enableEncryption(secret: secret)
    note(.encryptionEnabled, message)
    return .secret(secret)
  }

  mutating func fireEvent(_ message: Message) throws(Refusal) -> Answer {
    let event = try checked(MessageSchema.fireEvent, message.data)
    let type = event["event_type"]?.string ?? ""
    if type.unicodeScalars.count > 64 { throw .eventTypeTooLong }
    note(.eventFired(type: type, data: event["event_data"]?.object ?? [:]), message)
    return .braces(200)
  }

  mutating func scanTag(_ message: Message) throws(Refusal) -> Answer {
    let tag = try checked(MessageSchema.scanTag, message.data)
    note(.tagScanned(tag["tag_id"]?.string ?? ""), message)
    return .braces(200)
  }

  /// The actions every Home Assistant has; the practice home does nothing on any of them.
  private static let services: [String: Set<String>] = [
    "persistent_notification": ["create", "dismiss", "dismiss_all"],
    "homeassistant": [
      "turn_on", "turn_off", "toggle", "update_entity", "check_config", "save_persistent_states",
    ],
  ]

  mutating func callService(_ message: Message) throws(Refusal) -> Answer {
    let call = try checked(MessageSchema.callService, message.data)
    let domain = call["domain"]?.string ?? ""
    let service = call["service"]?.string ?? ""
    guard Self.services[domain]?.contains(service) == true else {
      throw .unknownService("\(domain).\(service)")
    }
    note(
      .serviceCalled(
        domain: domain, service: service, data: call["service_data"]?.object ?? [:]), message)
    return .braces(200)
  }

  func streamCamera(_ message: Message) throws(Refusal) -> Answer {
    _ = try checked(MessageSchema.streamCamera, message.data)
    throw .unknownCamera
  }

  func converse(_ message: Message) throws(Refusal) -> Answer {
    _ = try checked(MessageSchema.converse, message.data)
    throw .notPlayed
  }
}

// MARK: Questions

extension Home {
  mutating func config(_ message: Message) -> Answer {
    let registration = registrations[message.registration]
    var entities = JSONObject()
    if registration.tracker != nil { entities[registration.deviceID] = ["disabled": false] }
    for sensor in registration.sensors {
      entities[sensor.uniqueID] = ["disabled": .bool(sensor.isDisabled)]
    }
    note(.asked(message.type), message)
    return .content([
      "latitude": .float(zone.latitude), "longitude": .float(zone.longitude), "elevation": 0,
      "hass_device_id": .string(registration.registryID),
      "unit_system": [
        "length": "km", "accumulated_precipitation": "mm", "area": "m²", "mass": "g",
        "pressure": "Pa", "temperature": "°C", "volume": "L", "wind_speed": "m/s",
      ],
      "location_name": .string(zone.name), "time_zone": "Etc/UTC",
      "components": [
        "api", "binary_sensor", "device_tracker", "homeassistant", "http", "mobile_app",
        "mobile_app.binary_sensor", "mobile_app.device_tracker", "mobile_app.sensor",
        "persistent_notification", "sensor", "tag", "webhook", "zone",
      ],
      "version": .string(Self.version), "theme_color": "#03A9F4",
      "entities": .object(entities),
    ])
  }

  mutating func zones(_ message: Message) -> Answer {
    let persons = states.all.count {
      $0.entityID.hasPrefix("device_tracker.") && $0.state == "home"
    }
    let home = EntityState(
      entityID: "zone.home", state: "\(persons)", attributes: zone.attributes,
      lastChanged: message.now, lastUpdated: message.now, lastReported: message.now,
      contextID: States.contextID(message.now))
    note(.asked(message.type), message)
    return .content([home.json])
  }

  mutating func renderTemplates(_ message: Message) throws(Refusal) -> Answer {
    let templates = try checked(MessageSchema.renderTemplate, message.data).object ?? [:]
    var results = JSONObject()
    for (key, template) in templates.pairs {
      results[key] = Template.render(template["template"]?.string ?? "")
    }
    note(.asked(message.type), message)
    return .content(.object(results))
  }
}

/// Literal templates only: "1" is the number 1 and "hello" is itself.
enum Template {
  static func render(_ source: String) -> JSON {
    let text = source.trimmed
    if ["{{", "{%", "{#"].contains(where: text.contains) {
      return [
        "error": "TemplateError: the practice home renders literal text only, no template syntax"
      ]
    }
    switch text {
    case "True": return true
    case "False": return false
    case "None": return .null
    default: return number(text) ?? container(text) ?? .string(text)
    }
  }

  private static func number(_ text: String) -> JSON? {
    let digits = text.drop { $0 == "+" || $0 == "-" }
    guard text.count - digits.count <= 1, digits.contains(where: \.isNumber),
      digits.allSatisfy({ $0 == "." || ($0.isASCII && $0.isNumber) }),
      !(digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true)
    else { return nil }
    if let integer = Int64(text) { return .integer(Int128(integer)) }
    return Double(text).map(JSON.float)
  }

  private static func container(_ text: String) -> JSON? {
    guard text.hasPrefix("[") || text.hasPrefix("{") else { return nil }
    return try? JSONParser.parse(Array(text.utf8))
  }
}
