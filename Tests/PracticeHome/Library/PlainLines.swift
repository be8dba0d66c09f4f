/// The journal as lines of text, for people whose output is not a terminal.
enum PlainLine {
  /// One line per change; nothing for questions, which change nothing.
  static func entry(_ entry: JournalEntry, style: Style = .plain) -> [String] {
    let front =
      style.dim(entry.time.clockText) + "  " + style.bold((entry.device ?? "-").harmless) + "  "
    return texts(entry).map { (text, isAlarming) in
      front + (isAlarming ? style.alarm(text.harmless) : text.harmless)
    }
  }

  private typealias Text = (text: String, isAlarming: Bool)

  private static func texts(_ entry: JournalEntry) -> [Text] {
    switch entry.event {
    case .registered(let device, let replaced):
      introduction(device, replaced: replaced, sealed: entry.sealed == true)
    case .refused(let refused): [(describe(refused), true)]
    default: changes(entry.event).map { ($0, false) }
    }
  }

  private static func changes(_ event: Event) -> [String] {
    switch event {
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
    case .asked, .registered, .refused: []
    }
  }

  private static func introduction(
    _ device: DeviceDescription, replaced: Bool, sealed: Bool
  ) -> [Text] {
    let app = "\(device.manufacturer) \(device.model), \(device.appID) \(device.appVersion)"
    let manner = sealed ? "its messages will be sealed" : "its messages are readable to everybody"
    let first = ("\(replaced ? "registered again" : "registered") (\(app)), \(manner)", false)
    if device.osVersion != nil { return [first] }
    return [
      first,
      ("there is no os_version: Home Assistant answers 201 and never hears this device", true),
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
