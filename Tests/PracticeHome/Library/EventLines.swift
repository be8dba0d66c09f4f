/// The journal as one JSON object per line, for programs.
enum EventLine {
  static func listening(url: String, port: UInt16, _ household: Household) -> JSON {
    var line: JSONObject = [
      "event": "listening", "url": .string(url), "page": .string(url + Page.path),
      "port": .integer(Int128(port)),
      "username": .string(household.resident.userName),
      "password": .string(household.resident.password),
      "version": .string(Home.version),
    ]
    // A token that the person chose is not printed.
    if household.token == Home.defaultToken { line["token"] = .string(household.token) }
    return .object(line)
  }

  static func summary(_ counters: Counters) -> JSON {
    let name: JSONObject = ["event": "summary"]
    return .object(name.merging(counters.json))
  }

  static func entry(_ entry: JournalEntry) -> JSON {
    let (name, content) = describe(entry.event)
    var line: JSONObject = ["event": .string(name)]
    if let sealed = entry.sealed { line["sealed"] = .bool(sealed) }
    if let device = entry.device { line["device"] = .string(device) }
    line.merge(content)
    line["time"] = .string(entry.time.isoformat)
    return .object(line)
  }

  private static func describe(_ event: Event) -> (name: String, content: JSONObject) {
    switch event {
    case .registered(let device, let replaced):
      var content = describe(device)
      content["replaced"] = .bool(replaced)
      return ("registration", content)
    case .registrationUpdated(let device): return ("registration_updated", describe(device))
    case .encryptionEnabled: return ("encryption_enabled", [:])
    case .sensorRegistered(let sensor):
      return (
        "sensor_registered",
        ["entity_id": .string(sensor.entityID), "sensor": .object(sensor.content)]
      )
    case .readings(let readings): return ("readings", ["readings": .array(readings.map(describe))])
    case .located(let location): return ("location", ["location": .object(location)])
    case .eventFired(let type, let data):
      return ("event_fired", ["event_type": .string(type), "event_data": .object(data)])
    case .tagScanned(let tag): return ("tag_scanned", ["tag_id": .string(tag)])
    case .serviceCalled(let domain, let service, let data):
      return (
        "service_called",
        ["domain": .string(domain), "service": .string(service), "service_data": .object(data)]
      )
    case .asked(let type): return ("asked", ["type": .string(type)])
    case .refused(let refused): return ("refused", describe(refused))
    case .occurred(let occurrence): return (occurrence.name, occurrence.content)
    }
  }

  private static func describe(_ device: DeviceDescription) -> JSONObject {
    [
      "app_id": .string(device.appID), "app_version": .string(device.appVersion),
      "device_id": .string(device.deviceID), "device_name": .string(device.deviceName),
      "manufacturer": .string(device.manufacturer), "model": .string(device.model),
      "os_version": JSON(device.osVersion),
      "supports_encryption": .bool(device.supportsEncryption),
    ]
  }

  private static func describe(_ reading: SensorReading) -> JSON {
    [
      "unique_id": .string(reading.uniqueID), "entity_id": .string(reading.entityID),
      "state": reading.state, "shown": .string(reading.shown), "unit": JSON(reading.unit),
      "icon": reading.icon, "attributes": .object(reading.attributes),
    ]
  }

  private static func describe(_ refused: Refused) -> JSONObject {
    var content: JSONObject = [
      "reason": .string(refused.reason),
      "manner": .string(refused.refusal.manner(status: refused.status)),
      "status": .count(refused.status),
    ]
    if let type = refused.type { content["type"] = .string(type) }
    if let opened = refused.content { content["content"] = opened }
    return content
  }
}

extension Counters {
  var json: JSONObject {
    [
      "registrations": .count(registrations), "readings": .count(readings),
      "locations": .count(locations), "refused": .count(refused), "sealed": .count(sealed),
      "plain": .count(plain),
    ]
  }
}

extension JSON {
  static func count(_ value: Int) -> JSON { .integer(Int128(value)) }
}
