import Foundation
import Testing

/// One registration of its own, so that expectations do not disturb each other on one server.
struct Device: Sendable {
  let server: Server
  let identity: Identity
  let webhookID: String
  let secret: String?

  /// The names that make a device unique, kept to register it again.
  struct Identity: Sendable {
    let suffix = String(UUID().uuidString.prefix(8)).lowercased()

    var registration: JSON {
      [
        "device_id": "contract-\(suffix)", "app_id": "contract", "app_name": "Contract",
        "app_version": "1", "device_name": "Contract \(suffix)", "manufacturer": "Nobody",
        "model": "None", "os_name": "Linux", "os_version": "6.12", "supports_encryption": true,
        "app_data": [:],
      ]
    }
  }

  /// Registers a new device, or one of a known identity again.
  static func registered(
    _ identity: Identity = Identity(), encrypted: Bool = true, token: String? = nil
  ) async throws -> Device {
    let body = identity.registration.replacing("supports_encryption", .bool(encrypted))
    return try await registered(identity, as: body, token: token)
  }

  /// Registers with exactly this body, which must be accepted: as the server's owner, or as the
  /// user of another token.
  static func registered(
    _ identity: Identity, as body: JSON, token: String? = nil
  ) async throws -> Device {
    let server = try Server.required()
    let response = try await register(body, token: token)
    let answer = try #require(response.json)
    try #require(response.status == 201, "\(answer)")
    return Device(
      server: server, identity: identity, webhookID: try #require(answer["webhook_id"].text),
      secret: answer["secret"].text)
  }

  /// Registers a new device, and a sensor of the soil with these members.
  static func withSoil(_ members: String) async throws -> Device {
    let device = try await registered()
    try await device.register("soil", "sensor", members)
    return device
  }

  /// Registers with whatever answer there is.
  static func register(_ body: JSON, token: String? = nil) async throws -> Response {
    let server = try Server.required()
    return try await server.post(
      "/api/mobile_app/registrations", body.encoded(), token: token ?? server.token)
  }
}

// MARK: - Messages

extension Device {
  var box: Secretbox? { secret.flatMap(Secretbox.init(secret:)) }
  var path: String { "/api/webhook/\(webhookID)" }

  /// Sends a message as this registration must: sealed when it has a secret, in clear when not.
  /// The data are JSON text, so that they can also be what no JSON encoder would write.
  func send(_ type: String, _ data: String) async throws -> Answer {
    guard let box else { return try await post(#"{"type":"\#(type)","data":\#(data)}"#) }
    return try await post(envelope(type, box.seal(data)))
  }

  /// The envelope around data that are sealed already.
  func envelope(_ type: String, _ sealed: String) -> String {
    #"{"type":"\#(type)","encrypted":true,"encrypted_data":"\#(sealed)"}"#
  }

  /// Sends an update of sensors, whose data are sealed already.
  func post(sealed: String) async throws -> Answer {
    try await post(envelope("update_sensor_states", sealed))
  }

  /// Sends this body and nothing else.
  func post(_ body: String) async throws -> Answer {
    Answer(try await server.post(path, body), openedWith: box)
  }

  /// Sends the cheapest message whose answer can only be right if the server opened it.
  func prove() async throws -> Answer { try await send("update_sensor_states", "[]") }

  /// What proves that the server holds our key and took the message.
  static let proof = Answer.sealed(200, [:])
}

// MARK: - In the server's registries

extension Device {
  /// What the device registry says of this device.
  func registryEntry() async throws -> JSON {
    let identifiers: JSON = [["mobile_app", identity.registration["device_id"]]]
    let devices = try await WebSocket.opened().result("config/device_registry/list").elements
    return try #require(devices.first { $0["identifiers"] == identifiers })
  }
}

// MARK: - Location

extension Device {
  var tracker: String { "device_tracker.contract_\(identity.suffix)" }

  /// The fix that a test starts from, and what the tracker then shows of it.
  static let firstFix = #"{"gps":[48.25,-4.5],"gps_accuracy":12,"battery":77}"#

  /// A new device whose tracker shows `firstFix`.
  static func located() async throws -> Device {
    let device = try await registered()
    _ = try await device.send("update_location", firstFix)
    let tracker = try await device.position(once: "latitude", is: 48.25)
    try #require(tracker?.attributes["battery_level"] == 77)
    return device
  }

  func position() async throws -> Entity { try await server.existing(tracker) }

  /// The tracker once an attribute has this value, or as it still is after the settling time.
  func position(once attribute: String, is value: JSON) async throws -> Entity? {
    try await server.entity(tracker) { $0?.attributes[attribute] == value }
  }

  /// The home zone, as a device is told of it.
  func homeZone() async throws -> JSON {
    guard case .array(let zones) = try await send("get_zones", "{}").content else { return .absent }
    return try #require(zones.first { $0["entity_id"] == "zone.home" })
  }
}

// MARK: - Sensors

extension Device {
  func entityID(_ sensor: String, _ type: String = "sensor") -> String {
    "\(type).contract_\(identity.suffix)_\(sensor)"
  }

  /// Registers a sensor, named like its unique id, and waits until its entity exists.
  func register(_ sensor: String, _ type: String = "sensor", _ more: String = "") async throws {
    let answer = try await tryRegister(sensor, type, more)
    try #require(answer == .sealed(201, ["success": true]))
    _ = try await server.existing(entityID(sensor, type))
  }

  /// Registers a sensor with whatever answer there is.
  func tryRegister(
    _ sensor: String, _ type: String = "sensor", _ more: String = ""
  ) async throws -> Answer {
    let rest = more.isEmpty ? "" : "," + more
    return try await send(
      "register_sensor",
      #"{"name":"\#(sensor)","unique_id":"\#(sensor)","type":"\#(type)"\#(rest)}"#)
  }

  /// Updates one sensor with these further members, and returns its own part of the answer.
  func update(_ sensor: String, _ more: String, type: String = "sensor") async throws -> JSON {
    let element = #"{"type":"\#(type)","unique_id":"\#(sensor)",\#(more)}"#
    return try await send("update_sensor_states", "[\(element)]").content[sensor]
  }

  func reading(_ sensor: String, _ type: String = "sensor") async throws -> Entity {
    try await server.existing(entityID(sensor, type))
  }
}
