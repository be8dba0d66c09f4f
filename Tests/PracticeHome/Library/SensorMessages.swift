extension Home {
  /// 201, whether the sensor is new or known, and whether or not anything will show.
  mutating func registerSensor(_ message: Message) throws(Refusal) -> Answer {
    guard let content = try checked(MessageSchema.registerSensor, message.data).object,
      let kind = content["type"]?.string.flatMap(Sensor.Kind.init(rawValue:))
    else { preconditionFailure("the schema makes an object with a type") }
    let index = message.registration
    let uniqueID = content["unique_id"]?.string ?? ""
    let name = "\(registrations[index].deviceName) \(content["name"]?.string ?? "")"
    let rendering: Sensor.Rendering
    if let place = place(of: kind, uniqueID, in: index) {
      reregister(place, of: index, name: name, content: content, now: message.now)
      rendering = dispatch(content, to: uniqueID, of: index, now: message.now, answering: place)
    } else {
      let sensor = Sensor(
        kind: kind, entityID: freeEntityID(domain: kind.rawValue, name: name),
        friendlyName: name, entryID: random(16).hexadecimal, registration: content,
        now: message.now)
      registrations[index].sensors.append(sensor)
      rendering = startSensor(
        registrations[index].sensors.count - 1, of: index, now: message.now)
    }
    noteRegistration(content, kind, rendering, message)
    return .content(["success": true], status: 201)
  }

  private func place(of kind: Sensor.Kind, _ uniqueID: String, in index: Int) -> Int? {
    registrations[index].sensors.firstIndex { $0.kind == kind && $0.uniqueID == uniqueID }
  }

  /// What registering a known sensor changes besides its state: its name for later, and whether
  /// it is enabled.
  private mutating func reregister(
    _ place: Int, of index: Int, name: String, content: JSONObject, now: Moment
  ) {
    registrations[index].sensors[place].registeredName = name
    if let deviceClass = content["device_class"] {
      registrations[index].sensors[place].registryClass = deviceClass.string
    }
    let sensor = registrations[index].sensors[place]
    if let shouldBeDisabled = content["disabled"]?.bool, shouldBeDisabled != sensor.isDisabled {
      disableSensor(
        place, of: index, by: shouldBeDisabled ? "integration" : nil, now: now)
    }
    let changed = registrations[index].sensors[place]
    // The registry's change is written at once, with the state as it was before, even for an
    // entity that hears nothing else.
    if !changed.isDisabled, changed.returnsAt == nil { _ = show(changed, now: now) }
    if !changed.isListening {
      // No subscriber hears the state now, but the rest is there at the next start.
      var lasting = content
      lasting["state"] = nil
      registrations[index].sensors[place].merge(lasting)
    }
  }

  /// Hands an update to every entity of that id: a sensor and a binary sensor that share one
  /// overwrite each other. Returns what became of the one that was meant.
  private mutating func dispatch(
    _ update: JSONObject, to uniqueID: String, of index: Int, now: Moment, answering place: Int
  ) -> Sensor.Rendering {
    var outcome = Sensor.Rendering.ignored(registrations[index].sensors[place].silence)
    for other in registrations[index].sensors.indices {
      let sensor = registrations[index].sensors[other]
      guard sensor.uniqueID == uniqueID, sensor.isListening else { continue }
      var update = update
      update["type"] = .string(sensor.kind.rawValue)
      registrations[index].sensors[other].merge(update)
      let rendering = writeSensor(other, of: index, now: now)
      if other == place { outcome = rendering }
    }
    return outcome
  }

  private mutating func noteRegistration(
    _ content: JSONObject, _ kind: Sensor.Kind, _ rendering: Sensor.Rendering, _ message: Message
  ) {
    let uniqueID = content["unique_id"]?.string ?? ""
    guard let place = place(of: kind, uniqueID, in: message.registration) else { return }
    let sensor = registrations[message.registration].sensors[place]
    note(
      .sensorRegistered(
        SensorDescription(
          entityID: sensor.entityID, content: content, shown: states[sensor.entityID]?.state,
          unit: unit(of: sensor))), message)
    guard case .ignored(let reason) = rendering, !sensor.isDisabled else { return }
    noteRefused(.entityCannotStart(uniqueID: uniqueID, reason), .object(content), message)
  }
}

// MARK: Readings

extension Home {
  /// Each reading has its own answer; a batch with one that names no sensor is dropped whole.
  mutating func updateSensorStates(_ message: Message) throws(Refusal) -> Answer {
    let batch = try checked(MessageSchema.sensorStates, message.data)
    var answers = JSONObject()
    var stored: [SensorReading] = []
    var isOneRefused = false
    for element in batch.array ?? [] {
      let uniqueID = element["unique_id"]?.string ?? ""
      do throws(ReadingFailure) {
        stored.append(try store(element, uniqueID, message))
        answers[uniqueID] = ["success": true]
      } catch {
        answers[uniqueID] = error.answer
        // Without a state it brings nothing: its sender wants to see the answer.
        if element["state"] == nil, case .notRegistered = error.refusal { continue }
        isOneRefused = true
        noteRefused(error.refusal, element, message)
      }
    }
    if !stored.isEmpty || !isOneRefused { note(.readings(stored), message) }
    return .content(.object(answers))
  }

  /// A reading that changed nothing, and the answer that may not admit it.
  private struct ReadingFailure: Error {
    var refusal: Refusal
    var answer: JSON = ["success": true]

    static func named(_ code: String, _ message: String, _ refusal: Refusal) -> ReadingFailure {
      ReadingFailure(
        refusal: refusal,
        answer: [
          "success": false, "error": ["code": .string(code), "message": .string(message)],
        ])
    }
  }

  private mutating func store(
    _ element: JSON, _ uniqueID: String, _ message: Message
  ) throws(ReadingFailure) -> SensorReading {
    let type = element["type"]?.string ?? ""
    let index = message.registration
    guard let kind = Sensor.Kind(rawValue: type), let place = place(of: kind, uniqueID, in: index)
    else {
      throw .named(
        "not_registered", "\(type) \(uniqueID) is not registered",
        .notRegistered(uniqueID: uniqueID, kind: type))
    }
    let reading = try complete(element, uniqueID)
    let outcome = dispatch(
      reading, to: uniqueID, of: index, now: message.now, answering: place)
    let sensor = registrations[index].sensors[place]
    if sensor.isDisabled {
      throw ReadingFailure(
        refusal: .disabledSensor(uniqueID: uniqueID),
        answer: ["success": true, "is_disabled": true])
    }
    switch outcome {
    case .ignored(let reason):
      throw ReadingFailure(refusal: .valueIgnored(uniqueID: uniqueID, reason))
    case .shown:
      return SensorReading(
        uniqueID: uniqueID, entityID: sensor.entityID, state: reading["state"] ?? .null,
        shown: states[sensor.entityID]?.state ?? "", unit: unit(of: sensor),
        icon: reading["icon"] ?? .null,
        attributes: reading["attributes"]?.object ?? [:])
    }
  }

  private func complete(
    _ element: JSON, _ uniqueID: String
  ) throws(ReadingFailure) -> JSONObject {
    do throws(Invalid) {
      return try MessageSchema.sensorState(element).object ?? [:]
    } catch {
      throw .named(
        "invalid_format", error.message,
        .invalidReading(uniqueID: uniqueID, error.message))
    }
  }

  private func unit(of sensor: Sensor) -> String? {
    states[sensor.entityID]?.attributes["unit_of_measurement"]?.string
  }

  func deviceName(_ message: Message) -> String { registrations[message.registration].deviceName }

  mutating func note(_ event: Event, _ message: Message) {
    record(
      event, device: deviceName(message), deviceID: registrations[message.registration].deviceID,
      sealed: message.sealed, at: message.now)
  }

  private mutating func noteRefused(_ refusal: Refusal, _ content: JSON, _ message: Message) {
    let refused = Refused(refusal: refusal, type: message.type, status: 200, content: content)
    note(.refused(refused), message)
  }
}
