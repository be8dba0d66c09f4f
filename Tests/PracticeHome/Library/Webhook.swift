/// One message to a live registration, opened.
struct Message {
  /// The registration's place in the list.
  var registration: Int
  var type: String
  var data: JSON
  var sealed: Bool
  var now: Moment
}

extension Home {
  /// What is known of a message so far, for the journal.
  private struct Trace {
    var registration: Int?
    var device: String?
    var deviceID: String?
    var sealed: Bool?
    var type: String?
    var content: JSON?
  }

  private typealias Handler =
    @Sendable (inout Home, Message) throws(Refusal) -> Answer

  private static let handlers: [String: Handler] = [
    "update_location": { (home, message) throws(Refusal) in try home.updateLocation(message) },
    "register_sensor": { (home, message) throws(Refusal) in try home.registerSensor(message) },
    "update_sensor_states": { (home, message) throws(Refusal) in
      try home.updateSensorStates(message)
    },
    "update_registration": { (home, message) throws(Refusal) in
      try home.updateRegistration(message)
    },
    "enable_encryption": { (home, message) throws(Refusal) in try home.enableEncryption(message) },
    "get_config": { (home, message) throws(Refusal) in home.config(message) },
    "get_zones": { (home, message) throws(Refusal) in home.zones(message) },
    "render_template": { (home, message) throws(Refusal) in try home.renderTemplates(message) },
    "fire_event": { (home, message) throws(Refusal) in try home.fireEvent(message) },
    "scan_tag": { (home, message) throws(Refusal) in try home.scanTag(message) },
    "call_service": { (home, message) throws(Refusal) in try home.callService(message) },
    "stream_camera": { (home, message) throws(Refusal) in try home.streamCamera(message) },
    "conversation_process": { (home, message) throws(Refusal) in try home.converse(message) },
  ]

  mutating func webhook(_ id: String, _ request: Request, now: Moment) -> Response {
    if fault == .replay { return replayed(request, now: now) }
    var trace = Trace()
    let response = answered(id, request, now: now, trace: &trace)
    if let type = trace.type { lastAnswers[type] = response }
    return response
  }

  private mutating func replayed(_ request: Request, now: Moment) -> Response {
    let type = (try? JSONParser.parse(request.body))?["type"].map(Python.str)
    let response =
      type.flatMap { lastAnswers[$0] } ?? Answer.text(502, "502: Bad Gateway").response()
    refuse(.fault(.replay), status: response.status, at: now)
    return response
  }

  private mutating func answered(
    _ id: String, _ request: Request, now: Moment, trace: inout Trace
  ) -> Response {
    var answer: Answer
    do throws(Refusal) {
      answer = try handle(id, request, now: now, trace: &trace)
    } catch {
      answer = error.answer
      let refused = Refused(
        refusal: error, type: trace.type, status: answer.response().status,
        content: trace.content)
      record(
        .refused(refused), device: trace.device, deviceID: trace.deviceID, sealed: trace.sealed,
        at: now)
    }
    guard let index = trace.registration, let key = sealingKey(of: index) else {
      return answer.response()
    }
    let nonce = random(SealingKey.nonceByteCount)
    return answer.response { content in
      ["encrypted": true, "encrypted_data": .string(key.seal(content.bytes, nonce: nonce))]
    }
  }

  private func sealingKey(of index: Int) -> SealingKey? {
    guard let key = registrations[index].sealingKey else { return nil }
    return fault == .wrongKey ? SealingKey(random(SealingKey.byteCount)) : key
  }

  private mutating func handle(
    _ id: String, _ request: Request, now: Moment, trace: inout Trace
  ) throws(Refusal) -> Answer {
    if isSilent(now) { throw .stillStarting }
    let index = try find(id)
    if request.method == "HEAD" { return .nothing(200) }
    guard request.method != "GET" else { throw .webhookMethod(request.method) }
    guard let index else { throw .goneWebhook }
    trace.registration = index
    trace.device = registrations[index].deviceName
    trace.deviceID = registrations[index].deviceID
    if request.isTooLarge { throw .tooLarge }
    var message = try open(request.body, of: index, now: now, trace: &trace)
    guard let handler = Self.handlers[message.type] else { throw .unknownType }
    // A type that takes no data gets an empty object, and must not mind.
    message.now = now
    return try handler(&self, message)
  }

  /// The registration behind an id; nil if it is gone for good.
  private func find(_ id: String) throws(Refusal) -> Int? {
    if gone.contains(id) { return nil }
    if superseded.contains(id) { throw .supersededWebhook }
    guard let index = registrations.firstIndex(where: { $0.webhookID == id }) else {
      throw .unknownWebhook
    }
    guard registrations[index].isAlive else { throw .failedSetUp }
    return index
  }

  private mutating func open(
    _ body: [UInt8], of index: Int, now: Moment, trace: inout Trace
  ) throws(Refusal) -> Message {
    let raw: JSON
    do throws(JSONParser.Failure) { raw = try JSONParser.parse(body) } catch {
      throw .invalidJSON("\(error.reason), at byte \(error.offset)")
    }
    let isSealed = try Self.mentionsEncrypted(raw)
    trace.sealed = isSealed
    trace.type = raw["type"].map(Python.str)
    countMessage(sealed: isSealed)
    if !isSealed {
      trace.content = raw["data"]
      if registrations[index].supportsEncryption { throw .encryptionRequired }
    }
    let outer = try checked(
      isSealed ? MessageSchema.sealedMessage : MessageSchema.plainMessage, raw)
    trace.type = outer["type"]?.string
    let data =
      isSealed ? try unseal(outer["encrypted_data"]?.string, of: index) : outer["data"] ?? [:]
    trace.content = data
    return Message(
      registration: index, type: outer["type"]?.string ?? "", data: data, sealed: isSealed,
      now: now)
  }

  /// Python's `"encrypted" in body`, for whatever the body is.
  private static func mentionsEncrypted(_ body: JSON) throws(Refusal) -> Bool {
    switch body {
    case .object(let object): object["encrypted"] != nil
    case .array(let array): array.contains("encrypted")
    case .string(let text): text.contains("encrypted")
    default: throw .notAContainer
    }
  }

  private mutating func unseal(_ text: String?, of index: Int) throws(Refusal) -> JSON {
    guard let text else { throw .encryptedDataMissing }
    guard let secret = registrations[index].secret else { throw .noSecret }
    var isRealKey = true
    var plain: [UInt8]
    do throws(SealingKey.Failure) { plain = try SealingKey(secret: secret).open(text) } catch {
      guard error == .wrongKey, !registrations[index].knowsRealKey else {
        throw .undecryptable("encrypted_data \(error.rawValue)")
      }
      isRealKey = false
      do throws(SealingKey.Failure) {
        plain = try SealingKey(legacySecret: secret).open(text)
      } catch { throw .undecryptable("encrypted_data \(error.rawValue)") }
    }
    let content: JSON
    do throws(JSONParser.Failure) { content = try JSONParser.parse(plain) } catch {
      throw .undecryptable("the envelope opened, but inside is no JSON: \(error.reason)")
    }
    if isRealKey { registrations[index].knowsRealKey = true }
    if content.isNull { throw .undecryptable("the envelope opened, but inside is null") }
    return content
  }

  /// The value as the schema leaves it.
  func checked(_ schema: Schema, _ value: JSON) throws(Refusal) -> JSON {
    do throws(Invalid) { return try schema(value) } catch {
      throw .schema(error.message)
    }
  }
}
