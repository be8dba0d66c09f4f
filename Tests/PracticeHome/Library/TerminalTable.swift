/// What the terminal shows: devices, sensors, the last location, counters, the last refusals.
struct TerminalTable {
  private struct Row {
    var name: String
    var value: String
    var time: Moment
    var count: Int
  }

  private struct Device {
    var name: String
    var rows: [String: Row] = [:]
    var location: (text: String, time: Moment, count: Int)?
  }

  /// Refusals that stay on the screen.
  static let refusalsMax = 6
  /// The least width that is drawn for; a narrower terminal wraps.
  static let columnsMin = 40

  private var devices: [Device] = []
  private var refusals: [(time: Moment, device: String?, text: String)] = []

  mutating func note(_ entry: JournalEntry) {
    switch entry.event {
    case .registered(let device, let replaced):
      let place = place(of: device.deviceName)
      if replaced { devices[place].rows = [:] }
    case .sensorRegistered(let sensor):
      show(
        sensor.entityID, PlainLine.value(sensor.shown, sensor.unit), entry, counts: false)
    case .readings(let readings):
      for reading in readings {
        show(reading.entityID, PlainLine.value(reading.shown, reading.unit), entry, counts: true)
      }
    case .located(let location):
      let place = place(of: entry.device ?? "")
      let count = (devices[place].location?.count ?? 0) + 1
      devices[place].location = (PlainLine.describe(location), entry.time, count)
    case .refused(let refused):
      refusals.append((entry.time, entry.device, PlainLine.describe(refused)))
      if refusals.count > Self.refusalsMax { refusals.removeFirst() }
    default: break
    }
  }

  private mutating func place(of name: String) -> Int {
    if let place = devices.firstIndex(where: { $0.name == name }) { return place }
    devices.append(Device(name: name))
    return devices.count - 1
  }

  private mutating func show(
    _ entityID: String, _ value: String, _ entry: JournalEntry, counts: Bool
  ) {
    let place = place(of: entry.device ?? "")
    let count = (devices[place].rows[entityID]?.count ?? 0) + (counts ? 1 : 0)
    devices[place].rows[entityID] = Row(
      name: entityID, value: value, time: entry.time, count: count)
  }

  // MARK: Drawing

  func lines(counters: Counters, columns: Int, style: Style) -> [String] {
    let width = max(Self.columnsMin, columns)
    var lines: [String] = []
    for device in devices { lines += [""] + draw(device, width, style) }
    if devices.isEmpty { lines += ["", style.dim("Nothing has registered yet.")] }
    if !refusals.isEmpty {
      lines += ["", style.bold("Left no trace")]
      for refusal in refusals {
        let text = "\(refusal.time.clockText)  \(refusal.device ?? "-")  \(refusal.text)"
        lines += text.wrapped(to: width - 2, indent: 10).map { "  " + style.alarm($0) }
      }
    }
    let numbers =
      "registrations \(counters.registrations)  readings \(counters.readings)"
      + "  locations \(counters.locations)  refused \(counters.refused)"
      + "  sealed \(counters.sealed)  plain \(counters.plain)"
    return lines + ["", style.dim(numbers.cut(to: width))]
  }

  private func draw(_ device: Device, _ width: Int, _ style: Style) -> [String] {
    var lines = [style.bold(device.name.cut(to: width))]
    if let location = device.location {
      let text = "  \(location.time.clockText)  location  \(location.text)  (\(location.count)x)"
      lines.append(text.cut(to: width))
    }
    let rows = device.rows.values.sorted { $0.name < $1.name }
    let nameWidth = min(rows.map(\.name.count).max() ?? 0, width / 2)
    let valueWidth = min(rows.map(\.value.count).max() ?? 0, width / 3)
    for row in rows {
      let name = row.name.cut(to: nameWidth).padding(to: nameWidth)
      let value = row.value.cut(to: valueWidth).padding(to: valueWidth)
      lines.append(
        "  \(row.time.clockText)  \(name)  \(style.good(value))  \(style.dim("\(row.count)x"))")
    }
    return lines
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

  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// Lines of at most so many characters, broken between words; all but the first are indented.
  func wrapped(to width: Int, indent: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in harmless.split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line.cut(to: width))
        line = String(repeating: " ", count: indent) + word
      } else {
        line += (line.isEmpty && lines.isEmpty ? "" : " ") + word
      }
    }
    return lines + [line.cut(to: width)]
  }
}
