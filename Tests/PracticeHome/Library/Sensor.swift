/// One sensor or binary sensor of a registration, with everything last said about it.
struct Sensor: Sendable {
  enum Kind: String, Sendable {
    case sensor
    case binarySensor = "binary_sensor"
  }

  /// What an entity shows, or why Home Assistant keeps showing what it showed before.
  enum Rendering: Equatable {
    case shown(String)
    case ignored(String)
  }

  let kind: Kind
  let uniqueID: String
  let entityID: String
  /// A new name shows only after a restart.
  private(set) var friendlyName: String
  var registeredName: String
  /// The keys of `register_sensor` and `update_sensor_states`, the last word on each.
  private(set) var config: JSONObject
  var entry: RegistryEntry
  /// The class as registered again; it shows even when the state that came with it does not.
  var registryClass: String?
  /// False if the entity never came up; it then hears nothing until a restart.
  var isListening = true
  /// When an enabled-again entity comes back: Home Assistant reloads it half a minute later.
  var returnsAt: Moment?

  /// The unit the household shows it in, settled when it first registered.
  private let shownUnit: String?

  init(
    kind: Kind, entityID: String, friendlyName: String, entryID: String,
    registration: JSONObject, now: Moment
  ) {
    self.kind = kind
    uniqueID = registration["unique_id"]?.string ?? ""
    self.entityID = entityID
    self.friendlyName = friendlyName
    registeredName = friendlyName
    config = registration
    shownUnit =
      UnitConversion.find(
        deviceClass: registration["device_class"]?.string,
        unit: registration["unit_of_measurement"]?.string)?.unit
    let isDisabled = registration["disabled"] == true
    entry = RegistryEntry(id: entryID, disabledBy: isDisabled ? "integration" : nil, now: now)
  }

  var isDisabled: Bool { entry.isDisabled }

  mutating func merge(_ update: JSONObject) { config.merge(update) }

  /// What an entity leaves behind when it goes, for the next one of its name.
  struct Remains: Sendable {
    var shown: EntityState
    var state: JSON?
    var unit: JSON?
  }

  /// Starts the entity: under its newest name, and with the remains of its earlier life. What
  /// was just registered as its state loses against them, as in Home Assistant.
  mutating func start(from remains: Remains?) {
    friendlyName = registeredName
    returnsAt = nil
    isListening = !isDisabled && !isConfiguration
    guard isListening, let remains else { return }
    let attributes = config["attributes"]?.object ?? [:]
    config["attributes"] = .object(remains.shown.attributes.merging(attributes))
    if let icon = remains.shown.attributes["icon"] { config["icon"] = icon }
    switch kind {
    case .binarySensor: config["state"] = .bool(remains.shown.state == "on")
    case .sensor:
      config["state"] = remains.state ?? .null
      config["unit_of_measurement"] = remains.unit
    }
  }

  func remains(shown: EntityState) -> Remains {
    Remains(shown: shown, state: config["state"], unit: config["unit_of_measurement"])
  }

  private func text(_ key: String) -> String? { config[key]?.string }

  private var deviceClass: String? { text("device_class") }

  /// The class, if it is one of a sensor: those of binary sensors are decoration here.
  private var sensorClass: String? {
    deviceClass.flatMap { Vocabulary.sensorClasses.contains($0) ? $0 : nil }
  }

  private var unit: String? { text("unit_of_measurement") }

  private var isNumeric: Bool {
    if let sensorClass, Vocabulary.textClasses.contains(sensorClass) { return false }
    return !(text("state_class") ?? "").isEmpty || unit != nil || sensorClass != nil
  }

  /// An entity of this category never comes up.
  private var isConfiguration: Bool { text("entity_category") == "config" }

  static let silenceOfEnabled = "it was just enabled again and takes half a minute"

  /// Why an entity that does not listen is silent.
  var silence: String {
    if isDisabled { return "it is disabled" }
    if returnsAt != nil { return Self.silenceOfEnabled }
    return "entity_category \"config\" is not for sensors"
  }
}

// MARK: Rendering

extension Sensor {
  var isAvailable: Bool { text("state") != "unavailable" }

  var rendering: Rendering {
    if !isAvailable { return .shown("unavailable") }
    let state = config["state"] ?? .null
    if kind == .binarySensor {
      return .shown(state.isNull ? "unknown" : Python.isTrue(state) ? "on" : "off")
    }
    if let sensorClass, Vocabulary.textClasses.contains(sensorClass), !(unit ?? "").isEmpty {
      return .ignored("a sensor of class \(sensorClass) cannot have a unit")
    }
    if state.isNull || state == "unknown" { return .shown("unknown") }
    switch sensorClass {
    case "timestamp": return timestamp(state)
    case "date": return date(state)
    case "enum": return .shown(Self.stateText(state))
    default: return isNumeric ? number(state) : .shown(Self.stateText(state))
    }
  }

  private static func stateText(_ state: JSON) -> String {
    if case .float(let value) = state { return Python.state(value) }
    return Python.str(state)
  }

  private func timestamp(_ state: JSON) -> Rendering {
    guard let text = state.string, let timestamp = Timestamp(text) else {
      return .ignored("\(state.abbreviated) is not a timestamp")
    }
    return timestamp.utcText.map(Rendering.shown)
      ?? .ignored("the timestamp \(state.abbreviated) has no offset from UTC")
  }

  private func date(_ state: JSON) -> Rendering {
    guard let text = state.string, let timestamp = Timestamp(text) else {
      return .ignored("\(state.abbreviated) is not a date")
    }
    return .shown(timestamp.dayText)
  }

  private func number(_ state: JSON) -> Rendering {
    guard let value = numericValue(state) else {
      return .ignored("\(state.abbreviated) is not a number, and this sensor is numeric")
    }
    guard value.isFinite else { return .ignored("\(state.abbreviated) is not finite") }
    if text("state_class") == "measurement_angle", unit != "°" {
      return .ignored("state_class measurement_angle needs the unit °")
    }
    guard let conversion else {
      return .shown(Self.stateText(state))
    }
    return .shown(conversion.text(of: value, sentAs: Python.str(state)))
  }

  /// Temperatures follow the household at any time, the rest only as settled at first.
  private var conversion: UnitConversion? {
    let conversion = UnitConversion.find(deviceClass: sensorClass, unit: unit)
    return sensorClass == "temperature" || conversion?.unit == shownUnit ? conversion : nil
  }

  private func numericValue(_ state: JSON) -> Double? {
    if case .string(let text) = state, let integer = Python.int(text) { return Double(integer) }
    return Python.float(state)
  }

  /// In the order Home Assistant lists them.
  var attributes: JSONObject {
    var attributes = JSONObject()
    if kind == .sensor, let stateClass = text("state_class"), !stateClass.isEmpty {
      attributes["state_class"] = .string(stateClass)
    }
    if isAvailable, let own = config["attributes"]?.object { attributes.merge(own) }
    if kind == .sensor, let unit {
      attributes["unit_of_measurement"] = .string(conversion?.unit ?? unit)
    }
    if let shownClass = registryClass ?? deviceClass {
      attributes["device_class"] = .string(shownClass)
    }
    if let icon = text("icon") { attributes["icon"] = .string(icon) }
    attributes["friendly_name"] = .string(friendlyName)
    return attributes
  }
}
