extension Home {
  /// Every location replaces the last one whole, and its answer is the same when it is dropped.
  mutating func updateLocation(_ message: Message) throws(Refusal) -> Answer {
    let location = try checked(MessageSchema.updateLocation, message.data).object ?? [:]
    let index = message.registration
    guard let tracker = registrations[index].tracker else { throw .trackerTaken }
    guard tracker.isListening else { throw .trackerDisabled }
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

  /// The secret travels in clear, once. A device that loses the answer is locked out for good.
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
    if type.unicodeScalars.count > Self.eventTypeLengthMax { throw .eventTypeTooLong }
    let data = event["event_data"]?.object ?? [:]
    emit(type, data, isRemote: true, now: message.now)
    note(.eventFired(type: type, data: data), message)
    return .braces(200)
  }

  mutating func scanTag(_ message: Message) throws(Refusal) -> Answer {
    let tag = try checked(MessageSchema.scanTag, message.data)
    let id = tag["tag_id"]?.string ?? ""
    let device = registrations[message.registration].registryID
    emit(
      "tag_scanned", ["tag_id": .string(id), "name": nil, "device_id": .string(device)],
      isRemote: false, now: message.now)
    note(.tagScanned(id), message)
    return .braces(200)
  }

  mutating func callService(_ message: Message) throws(Refusal) -> Answer {
    let call = try checked(MessageSchema.callService, message.data)
    let domain = call["domain"]?.string ?? ""
    let service = call["service"]?.string ?? ""
    let data = call["service_data"]?.object ?? [:]
    do throws(ServiceFailure) {
      _ = try perform(domain, service, data, wantsResponse: false, now: message.now)
    } catch { throw .failedService("\(domain).\(service)", error.message) }
    note(.serviceCalled(domain: domain, service: service, data: data), message)
    return .braces(200)
  }

  mutating func streamCamera(_ message: Message) throws(Refusal) -> Answer {
    let camera = try checked(MessageSchema.streamCamera, message.data)
    let id = camera["camera_entity_id"]?.string ?? ""
    guard id == Self.cameraID else { throw .unknownCamera }
    note(.asked(message.type), message)
    return .content([
      "mjpeg_path": .string("/api/camera_proxy_stream/\(id)"), "hls_path": nil,
    ])
  }

  mutating func converse(_ message: Message) throws(Refusal) -> Answer {
    let said = try checked(MessageSchema.converse, message.data)
    note(.asked(message.type), message)
    return .content(conversation(said.object ?? [:]))
  }

  /// The practice home has one thing to say.
  func conversation(_ said: JSONObject) -> JSON {
    [
      "response": [
        "speech": ["plain": ["speech": "This is only practice.", "extra_data": nil]],
        "card": [:], "language": said["language"] ?? "en", "response_type": "action_done",
        "data": ["targets": [], "success": [], "failed": []],
      ],
      "conversation_id": said["conversation_id"] ?? .string(random(13).hexadecimal.uppercased()),
      "continue_conversation": false,
    ]
  }
}

// MARK: Questions

extension Home {
  mutating func config(_ message: Message) -> Answer {
    let registration = registrations[message.registration]
    var entities = JSONObject()
    if let tracker = registration.tracker {
      entities[registration.deviceID] = ["disabled": .bool(tracker.isDisabled)]
    }
    for sensor in registration.sensors {
      entities[sensor.uniqueID] = ["disabled": .bool(sensor.isDisabled)]
    }
    note(.asked(message.type), message)
    let whole = wholeConfig
    var config = JSONObject()
    for key in ["latitude", "longitude", "elevation"] { config[key] = whole[key] }
    config["hass_device_id"] = .string(registration.registryID)
    for key in ["unit_system", "location_name", "time_zone", "components", "version"] {
      config[key] = whole[key]
    }
    config["theme_color"] = "#03A9F4"
    if let url = household.cloud.cloudhook { config["cloudhook_url"] = .string(url) }
    if let url = household.cloud.remoteUI { config["remote_ui_url"] = .string(url) }
    config["entities"] = .object(entities)
    return .content(.object(config))
  }

  /// What the home tells of itself to everybody who has a token.
  var wholeConfig: JSON {
    [
      "allowlist_external_dirs": [], "allowlist_external_urls": [],
      "components": [
        "api", "auth", "binary_sensor", "camera", "config", "conversation", "device_tracker",
        "homeassistant", "http", "mobile_app", "mobile_app.binary_sensor",
        "mobile_app.device_tracker", "mobile_app.notify", "mobile_app.sensor", "notify",
        "persistent_notification", "person", "sensor", "tag", "webhook", "websocket_api", "zone",
      ],
      "config_dir": "/config", "config_source": "storage", "country": "NL", "currency": "EUR",
      "debug": false, "elevation": 0, "external_url": nil, "internal_url": nil,
      "language": "en", "latitude": .float(zone.latitude), "location_name": .string(zone.name),
      "longitude": .float(zone.longitude), "radius": .integer(Int128(zone.radiusMeters)),
      "recovery_mode": false, "safe_mode": false, "state": "RUNNING", "time_zone": "Etc/UTC",
      "unit_system": [
        "length": "km", "accumulated_precipitation": "mm", "area": "m²", "mass": "g",
        "pressure": "Pa", "temperature": "°C", "volume": "L", "wind_speed": "m/s",
      ],
      "version": .string(Home.version), "whitelist_external_dirs": [],
    ]
  }

  mutating func zones(_ message: Message) -> Answer {
    note(.asked(message.type), message)
    return .content(.array(states[Zone.entityID].map { [$0.json] } ?? []))
  }

  mutating func renderTemplates(_ message: Message) throws(Refusal) -> Answer {
    let templates = try checked(MessageSchema.renderTemplate, message.data).object ?? [:]
    var results = JSONObject()
    for (key, template) in templates.pairs {
      results[key] =
        render(
          template["template"]?.string ?? "", template["variables"]?.object ?? [:],
          now: message.now
        ).json
    }
    if JSON.object(results).hasOversizedInteger { throw .unwritable }
    note(.asked(message.type), message)
    return .content(.object(results))
  }
}
