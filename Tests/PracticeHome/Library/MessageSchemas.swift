/// What each message must look like, as Home Assistant 2025.4 demands it.
enum MessageSchema {
  static let sensorTypes = ["binary_sensor", "sensor"]

  static let registration = Schema.shape(
    [
      .optional("app_data", appData, default: [:]),
      .required("app_id", .string),
      .required("app_name", .string),
      .required("app_version", .string),
      .required("device_name", .string),
      .required("manufacturer", .string),
      .required("model", .string),
      .optional("device_id", .string),
      .required("os_name", .string),
      .optional("os_version", .string),
      .optional("supports_encryption", .boolean, default: false),
    ], extra: .removed)

  static let appData = Schema.shape(
    [
      .optional("push_token", .string),
      .optional("push_url", .url),
      .optional("push_websocket_channel", .boolean),
    ], extra: .kept
  ).then(.together(["push_token", "push_url"]))

  static let plainMessage = Schema.shape([
    .required("type", .string), .optional("data", .dictionaryOrList),
  ])

  static let sealedMessage = Schema.shape([
    .required("type", .string), .required("encrypted", .literalTrue),
    .optional("encrypted_data", .string),
  ])

  static let updateLocation = Schema.key("gps", needs: "gps_accuracy").then(
    .shape([
      .optional("location_name", .string),
      .optional("gps", .sequence(.float(in: -90...90), .float(in: -180...180))),
      .optional("gps_accuracy", .positiveInteger),
      .optional("battery", .positiveInteger),
      .optional("speed", .positiveInteger),
      .optional("altitude", .float),
      .optional("course", .positiveInteger),
      .optional("vertical_accuracy", .positiveInteger),
    ]))

  static let registerSensor = Schema.shape([
    .optional("attributes", .dictionary, default: [:]),
    .optional("device_class", .nullOr(.word(of: Vocabulary.deviceClasses, ignoringCase: true))),
    .required("name", .string),
    .required("type", .oneOf(sensorTypes)),
    .required("unique_id", .string),
    .optional("unit_of_measurement", .nullOr(.string)),
    .optional("state", .scalar, default: .null),
    .optional("entity_category", .nullOr(.word(of: ["config", "diagnostic"]))),
    .optional("icon", .nullOr(.icon), default: "mdi:cellphone"),
    .optional("state_class", .nullOr(.word(of: Vocabulary.stateClasses))),
    .optional("disabled", .strictBoolean),
  ]).then(
    Schema("state_class only allowed for sensors") { value in
      value["state_class"] != nil && value["type"] != "sensor" ? .none : value
    })

  /// Enough to know which sensor is meant; one element that fails drops the whole batch.
  static let sensorStates = Schema.listOrOne(
    of: .shape(
      [.required("type", .oneOf(sensorTypes)), .required("unique_id", .string)], extra: .kept))

  /// One element in full; it fails alone.
  static let sensorState = Schema.shape([
    .optional("attributes", .dictionary, default: [:]),
    .optional("icon", .nullOr(.icon), default: "mdi:cellphone"),
    .required("state", .scalar),
    .required("type", .oneOf(sensorTypes)),
    .required("unique_id", .string),
  ])

  static let updateRegistration = Schema.shape([
    .optional("app_data", appData),
    .required("app_version", .string),
    .required("device_name", .string),
    .required("manufacturer", .string),
    .required("model", .string),
    .optional("os_version", .string),
  ])

  static let renderTemplate = Schema.dictionary(
    of: .shape([
      .required("template", .string), .optional("variables", .dictionary, default: [:]),
    ]))

  static let fireEvent = Schema.shape([
    .required("event_type", .string), .optional("event_data", .dictionary, default: [:]),
  ])

  static let callService = Schema.shape([
    .required("domain", .string), .required("service", .string),
    .optional("service_data", .dictionary, default: [:]),
  ])

  static let scanTag = Schema.shape([.required("tag_id", .string)])

  static let streamCamera = Schema.shape([.required("camera_entity_id", .string)])

  static let converse = Schema.shape([
    .required("text", .string), .optional("language", .string),
    .optional("conversation_id", .string),
  ])
}

extension Schema {
  /// An http or https address with a host.
  static let url = Schema("invalid url") { value in
    let text = Python.str(value)
    guard let range = text.firstRange(of: "://"),
      ["http", "https"].contains(text[..<range.lowerBound]),
      let next = text[range.upperBound...].first, !"/?#".contains(next)
    else { return nil }
    return .string(text)
  }
}

/// The words Home Assistant 2025.4 knows; a newer word drops the whole registration.
enum Vocabulary {
  static let stateClasses: Set = [
    "measurement", "measurement_angle", "total", "total_increasing",
  ]

  static let deviceClasses = sensorClasses.union(binarySensorClasses)

  /// Classes whose state is not a number.
  static let textClasses: Set = ["date", "enum", "timestamp"]

  static let sensorClasses: Set = [
    "apparent_power", "aqi", "area", "atmospheric_pressure", "battery",
    "blood_glucose_concentration", "carbon_dioxide", "carbon_monoxide", "conductivity", "current",
    "data_rate", "data_size", "date", "distance", "duration", "energy", "energy_distance",
    "energy_storage", "enum", "frequency", "gas", "humidity", "illuminance", "irradiance",
    "moisture", "monetary", "nitrogen_dioxide", "nitrogen_monoxide", "nitrous_oxide", "ozone",
    "ph", "pm1", "pm10", "pm25", "power", "power_factor", "precipitation",
    "precipitation_intensity", "pressure", "reactive_power", "signal_strength", "sound_pressure",
    "speed", "sulphur_dioxide", "temperature", "timestamp", "volatile_organic_compounds",
    "volatile_organic_compounds_parts", "voltage", "volume", "volume_flow_rate",
    "volume_storage", "water", "weight", "wind_direction", "wind_speed",
  ]

  static let binarySensorClasses: Set = [
    "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
    "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
    "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
    "tamper", "update", "vibration", "window",
  ]
}
