@testable import PracticeHome

/// A client of the core, without a network: registers, seals, sends, opens.
struct Visitor {
  /// What came back, opened if it was sealed.
  struct Reply: Equatable {
    var status: Int
    var contentType: String?
    var text: String
    /// The opened content; nil if the answer was not an envelope that opens.
    var opened: JSON?

    /// 200, `{}`, in the clear: success of some types, and the silence of all.
    static let silence = Reply(
      status: 200, contentType: "application/json; charset=utf-8", text: "{}", opened: nil)
    /// 200, no body and no content type: no such device.
    static let noBody = Reply(status: 200, contentType: nil, text: "", opened: nil)
  }

  var home: Home
  var now = Moment(seconds: 1_795_000_000)
  private(set) var webhookID = ""
  private(set) var secret: String?

  init(
    _ household: Household = Household(), sealed: Bool = true, changes: JSONObject = [:]
  ) {
    // Not random at all, and never the same twice.
    let counter = Counter()
    home = Home(household) { byteCount in counter.bytes(byteCount) }
    register(sealed: sealed, changes: changes)
  }

  static let registration: JSONObject = [
    "device_id": "board-1", "app_id": "homeward", "app_name": "Homeward", "app_version": "0.1",
    "device_name": "Boat", "manufacturer": "RPi", "model": "Zero", "os_name": "Linux",
    "os_version": "6.12",
  ]

  /// Registers, and talks as the new registration from then on. A null removes a key.
  @discardableResult
  mutating func register(sealed: Bool = true, changes: JSONObject = [:]) -> Reply {
    var content = Self.registration
    if sealed { content["supports_encryption"] = true }
    for (key, value) in changes.pairs { content[key] = value.isNull ? .none : value }
    let reply = post("/api/mobile_app/registrations", JSON.object(content).bytes, "practice")
    if let answer = try? JSONParser.parse(Array(reply.text.utf8)), reply.status == 201 {
      webhookID = answer["webhook_id"]?.string ?? ""
      secret = answer["secret"]?.string
    }
    return reply
  }

  @discardableResult
  mutating func post(_ path: String, _ body: [UInt8], _ token: String? = nil) -> Reply {
    let headers = token.map { [(name: "authorization", value: "Bearer \($0)")] } ?? []
    return ask(Request(method: "POST", path: path, headers: headers, body: body))
  }

  mutating func ask(_ request: Request) -> Reply {
    let response = home.answer(request, now: now)
    return Reply(
      status: response.status, contentType: response.contentType,
      text: String(decoding: response.body, as: UTF8.self), opened: opened(response.body))
  }

  private func opened(_ body: [UInt8]) -> JSON? {
    guard let secret, let envelope = try? JSONParser.parse(body), envelope["encrypted"] == true,
      let text = envelope["encrypted_data"]?.string,
      let plain = try? SealingKey(secret: secret).open(text)
    else { return nil }
    return try? JSONParser.parse(plain)
  }

  /// Sends the body as it is.
  @discardableResult
  mutating func send(raw body: String) -> Reply {
    post("/api/webhook/\(webhookID)", Array(body.utf8))
  }

  /// Sends a message as the registration should: sealed if it has a secret.
  @discardableResult
  mutating func send(_ type: String, _ data: JSON) -> Reply { send(type, text: data.text) }

  /// The same for data that is not to be touched by our own writer.
  @discardableResult
  mutating func send(_ type: String, text: String) -> Reply {
    guard secret != nil else { return send(raw: "{\"type\":\"\(type)\",\"data\":\(text)}") }
    return send(envelope: type, seal(text))
  }

  mutating func send(envelope type: String, _ data: String) -> Reply {
    let message: JSON = ["type": .string(type), "encrypted": true, "encrypted_data": .string(data)]
    return send(raw: message.text)
  }

  func seal(_ text: String) -> String {
    let nonce = [UInt8](repeating: 0xFB, count: SealingKey.nonceByteCount)
    let key = SealingKey(secret: secret ?? String(repeating: "0", count: 64))
    return key.seal(Array(text.utf8), nonce: nonce)
  }

  /// Registers a sensor, and expects nothing of it.
  mutating func sensor(_ id: String, _ more: JSONObject = [:]) {
    let basic: JSONObject = ["name": .string(id), "type": "sensor", "unique_id": .string(id)]
    send("register_sensor", .object(basic.merging(more)))
  }

  /// Updates one sensor.
  @discardableResult
  mutating func update(_ id: String, _ state: JSON, _ more: JSONObject = [:]) -> Reply {
    let basic: JSONObject = ["type": "sensor", "unique_id": .string(id), "state": state]
    return send("update_sensor_states", [.object(basic.merging(more))])
  }

  func shown(_ entityID: String) -> String? { home.state(of: entityID)?.state }
  func attribute(_ name: String, _ entityID: String) -> JSON? {
    home.state(of: entityID)?.attributes[name]
  }

  /// Why the last thing was refused, if it was.
  var lastRefusal: Refusal? {
    guard case .refused(let refused) = home.journal.last?.event else { return nil }
    return refused.refusal
  }

  var lastReason: String? {
    guard case .refused(let refused) = home.journal.last?.event else { return nil }
    return refused.reason
  }
}

/// Bytes that count upwards, so that ids differ and tests repeat.
private final class Counter: @unchecked Sendable {
  private var next: UInt8 = 0

  func bytes(_ count: Int) -> [UInt8] {
    next &+= 1
    return (0..<count).map { next &+ UInt8(truncatingIfNeeded: $0) }
  }
}
