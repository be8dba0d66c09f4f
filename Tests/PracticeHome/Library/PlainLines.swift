/// The journal as lines of text, for people.
enum PlainLine {
  /// One line per change; nothing for questions, which change nothing.
  static func entry(_ entry: JournalEntry) -> [String] {
    texts(entry).map { "\(entry.time.clockText)  \(entry.device ?? "-")  \($0)".harmless }
  }

  private static func texts(_ entry: JournalEntry) -> [String] {
    switch entry.event {
    case .registered(let device, let replaced):
      introduction(device, replaced: replaced, sealed: entry.sealed == true)
    case .refused(let refused):
      ["\(refused.refusal.manner(status: refused.status)): \(refused.reason)"]
    case .registrationUpdated(let device): ["registration updated: \(device.deviceName)"]
    case .encryptionEnabled: ["encryption enabled"]
    case .sensorRegistered(let sensor):
      ["\(sensor.entityID) registered: \(value(sensor.shown, sensor.unit))"]
    case .readings(let readings):
      readings.map { "\($0.entityID) = \(value($0.shown, $0.unit))" }
    case .located(let location): ["location " + describe(location)]
    case .eventFired(let type, let data): ["event \(type) \(JSON.object(data).abbreviated)"]
    case .tagScanned(let tag): ["tag \(tag) scanned"]
    case .serviceCalled(let domain, let service, let data):
      ["action \(domain).\(service) \(JSON.object(data).abbreviated)"]
    case .occurred(let occurrence): occurrence.text.map { [$0] } ?? []
    case .asked: []
    }
  }

  private static func introduction(
    _ device: DeviceDescription, replaced: Bool, sealed: Bool
  ) -> [String] {
    let app = "\(device.manufacturer) \(device.model), \(device.appID) \(device.appVersion)"
    let manner = sealed ? "its messages will be sealed" : "its messages are readable to everybody"
    let first = "\(replaced ? "registered again" : "registered") (\(app)), \(manner)"
    if device.osVersion != nil { return [first] }
    return [
      first, "there is no os_version: Home Assistant answers 201 and never hears this device",
    ]
  }

  static func value(_ shown: String?, _ unit: String?) -> String {
    (shown ?? "nothing shown") + (unit.map { " \($0)" } ?? "")
  }

  static func describe(_ location: JSONObject) -> String {
    var parts: [String] = []
    if let name = location["location_name"]?.string, !name.isEmpty { parts.append("\"\(name)\"") }
    if let gps = location["gps"], let latitude = gps[0], let longitude = gps[1] {
      parts.append("\(latitude.text), \(longitude.text)")
    }
    if let accuracy = location["gps_accuracy"] { parts.append("±\(accuracy.text) m") }
    for (key, unit) in [
      ("speed", " m/s"), ("course", "°"), ("altitude", " m"), ("battery", " %"),
    ] {
      if let value = location[key] { parts.append("\(key) \(value.text)\(unit)") }
    }
    return parts.isEmpty ? "wiped: the message had no fields" : parts.joined(separator: "  ")
  }
}

extension Counters {
  var text: String {
    json.pairs.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
  }
}

extension String {
  /// Without control characters: what the world sends must not steer the terminal.
  var harmless: String {
    String(
      map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
  }

  /// At most so many characters; what is cut off shows as an ellipsis.
  func cut(to width: Int) -> String {
    let text = harmless
    return text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }
}
