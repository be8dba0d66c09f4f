/// The journal as lines of text, for people whose output is not a terminal.
enum PlainLine {
  /// One line per change; nothing for questions, which change nothing.
  static func entry(_ entry: JournalEntry, style: Style = .plain) -> [String] {
    let front = style.dim(entry.time.clockText) + "  " + style.bold(entry.device ?? "-") + "  "
    return texts(entry, style).map { front + $0 }
  }

  private static func texts(_ entry: JournalEntry, _ style: Style) -> [String] {
    let manner = entry.sealed == true ? "sealed" : "readable to everybody"
    switch entry.event {
    case .registered(let device, let replaced):
      return [
        (replaced ? "registered again" : "registered")
          + " (\(device.manufacturer) \(device.model), \(device.appID) \(device.appVersion)), \(manner)"
      ] + warnings(device, style)
    case .registrationUpdated(let device): return ["registration updated: \(device.deviceName)"]
    case .encryptionEnabled: return ["encryption enabled"]
    case .sensorRegistered(let sensor):
      return ["\(sensor.entityID) registered: \(value(sensor.shown, sensor.unit))"]
    case .readings(let readings):
      return readings.map { "\($0.entityID) = \(value($0.shown, $0.unit))" }
    case .located(let location): return ["location " + describe(location)]
    case .eventFired(let type, let data):
      return ["event \(type) \(JSON.object(data).abbreviated)"]
    case .tagScanned(let tag): return ["tag \(tag) scanned"]
    case .serviceCalled(let domain, let service, let data):
      return ["action \(domain).\(service) \(JSON.object(data).abbreviated)"]
    case .asked: return []
    case .refused(let refused): return [style.alarm(describe(refused))]
    }
  }

  private static func warnings(_ device: DeviceDescription, _ style: Style) -> [String] {
    if device.osVersion != nil { return [] }
    return [
      style.alarm(
        "the registration has no os_version: Home Assistant answers 201 and never hears it again")
    ]
  }

  static func describe(_ refused: Refused) -> String {
    "\(refused.refusal.manner(status: refused.status)): \(refused.reason)"
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

/// Colour, or none of it.
struct Style {
  var isColoured: Bool

  static let plain = Style(isColoured: false)

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func good(_ text: String) -> String { wrap(text, "32") }
  func alarm(_ text: String) -> String { wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
