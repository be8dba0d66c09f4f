/// What one sensor showed, and when, for its page.
struct PageSensor: Sendable {
  /// Readings that are drawn as a line.
  static let valuesMax = 400
  /// Changes of a binary sensor that are drawn.
  static let changesMax = 200

  /// From when on a number held, or that there was none.
  private struct Value: Timed, Sendable {
    var time: Moment
    var number: Double?
  }

  /// From when on a state held.
  private struct Change: Timed, Sendable {
    var time: Moment
    var state: String
  }

  let uniqueID: String
  let entityID: String
  private let isBinary: Bool
  private var name = ""
  private var deviceClass: String?
  /// As the device names it, and as it is shown.
  private var sentUnit: String?
  private var unit: String?
  private var shown = "unknown"
  private var time: Moment
  /// Values that were told: with the registration, as readings, and late.
  private(set) var count = 0
  private(set) var revision = 0
  private var values = Trail<Value>(capacity: valuesMax, overflow: .thinned)
  private var changes = Trail<Change>(capacity: changesMax, overflow: .cutOff)
  /// Of all numbers, those that were thinned out included.
  private var lowest: Double?
  private var highest: Double?

  init(uniqueID: String, entityID: String, at time: Moment) {
    (self.uniqueID, self.entityID, self.time) = (uniqueID, entityID, time)
    isBinary = entityID.hasPrefix("binary_sensor.")
    name = entityID.cut(to: PageContent.textLengthMax)
  }

  mutating func note(_ sensor: SensorDescription, at time: Moment, revision: Int) {
    self.revision = revision
    name = sensor.name.cut(to: PageContent.textLengthMax)
    deviceClass = sensor.content["device_class"]?.string?.cut(to: PageContent.textLengthMax)
    sentUnit = sensor.content["unit_of_measurement"]?.string
    if let shown = sensor.shown { show(shown, sensor.unit, at: time) }
  }

  mutating func note(_ reading: SensorReading, at time: Moment, revision: Int) {
    self.revision = revision
    show(reading.shown, reading.unit, at: time)
  }

  private mutating func show(_ shown: String, _ unit: String?, at time: Moment) {
    self.shown = shown.cut(to: PageContent.textLengthMax)
    self.unit = unit?.cut(to: PageContent.textLengthMax)
    self.time = time
    count += 1
    draw(state: self.shown, number: Double(shown), at: time)
  }

  /// A reading that was missed when it was made, in the unit of the device.
  mutating func note(late value: JSON, at time: Moment, revision: Int) {
    // It was never shown, so no unit was converted.
    guard sentUnit == unit || isBinary else { return }
    self.revision = revision
    count += 1
    switch value {
    case .bool(let isOn): draw(state: isOn ? "on" : "off", number: nil, at: time)
    case .null: draw(state: "unknown", number: nil, at: time)
    default:
      let state = value.string ?? "unknown"
      draw(state: state.cut(to: PageContent.textLengthMax), number: value.number, at: time)
    }
  }

  private mutating func draw(state: String, number: Double?, at time: Moment) {
    if isBinary {
      if changes.value(at: time)?.state == state { return }
      return changes.insert(Change(time: time, state: state))
    }
    let number = number.flatMap { $0.isFinite ? $0 : nil }
    // A gap has to be told once; a sensor of texts has nothing but gaps.
    if number == nil, values.value(at: time)?.number == nil { return }
    values.insert(Value(time: time, number: number))
    guard let number else { return }
    lowest = min(lowest ?? number, number)
    highest = max(highest ?? number, number)
  }

  var json: JSON {
    [
      // Two that differ only behind the cut are drawn as one.
      "id": .string(entityID.cut(to: PageContent.textLengthMax)),
      "name": .string(name), "class": JSON(deviceClass),
      "binary": .bool(isBinary), "shown": .string(shown), "unit": JSON(unit), "time": time.json,
      "count": .count(count), "lowest": lowest.map(JSON.float) ?? nil,
      "highest": highest.map(JSON.float) ?? nil,
      "values": .array(
        values.elements.map { [$0.time.json, $0.number.map(JSON.float) ?? nil] }),
      "changes": .array(changes.elements.map { [$0.time.json, .string($0.state)] }),
    ]
  }
}
