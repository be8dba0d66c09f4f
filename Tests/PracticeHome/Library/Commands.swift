/// One command that came over a WebSocket, its content as the schema leaves it.
struct Call {
  var session: Int
  var id: Int128
  var type: String
  var content: JSONObject
  var now: Moment

  func text(_ key: String) -> String { content[key]?.string ?? "" }
}

/// Why a command was answered with an error.
struct CommandFailure: Error, Equatable {
  var code: String
  var message: String
  /// How the message is found in other languages: its key and what to put into it.
  var translation: (key: String, placeholders: JSONObject)?

  static func == (left: CommandFailure, right: CommandFailure) -> Bool {
    left.code == right.code && left.message == right.message
  }

  static func notFound(_ message: String) -> CommandFailure {
    CommandFailure(code: "not_found", message: message)
  }

  static let unknown = CommandFailure(code: "unknown_error", message: "Unknown error")
  static let unauthorized = CommandFailure(code: "unauthorized", message: "Unauthorized")

  var json: JSON {
    var error: JSONObject = ["code": .string(code), "message": .string(message)]
    if let translation {
      error["translation_key"] = .string(translation.key)
      error["translation_placeholders"] = .object(translation.placeholders)
      error["translation_domain"] = "homeassistant"
    }
    return .object(error)
  }
}

/// What can be asked for over a WebSocket.
struct Command: Sendable {
  typealias Run = @Sendable (inout Home, Call) throws(CommandFailure) -> Void

  /// Nil if a command has nothing but its id and type.
  var schema: Schema?
  var isForAdministrators: Bool
  var run: Run

  init(_ fields: [Field] = [], isForAdministrators: Bool = false, _ run: @escaping Run) {
    let all = [.required("id", .anything), .required("type", .anything)] + fields
    schema = fields.isEmpty ? nil : Schema.shape(all)
    self.isForAdministrators = isForAdministrators
    self.run = run
  }

  func content(of message: JSON) throws(CommandFailure) -> JSONObject {
    let object = message.object ?? [:]
    do throws(Invalid) {
      guard let schema else {
        if object.count > 2 { throw Invalid("an extra key") }
        return object
      }
      return try schema(message).object ?? [:]
    } catch {
      throw CommandFailure(code: "invalid_format", message: error.message)
    }
  }

  static let all = core.merging(states).merging(services).merging(devices).merging(people)
    .merging(search).merging(statistics)

  private static let core: [String: Command] = [
    "ping": Command { (home, call) throws(CommandFailure) in
      home.post(["id": .integer(call.id), "type": "pong"], to: call.session)
    },
    "supported_features": Command([
      .required("features", .dictionary(of: .integer))
    ]) { (home, call) throws(CommandFailure) in home.setFeatures(call) },
    "auth/current_user": Command { (home, call) throws(CommandFailure) in
      home.describeResident(call)
    },
    "auth/long_lived_access_token": Command([
      .required("lifespan", .integer), .required("client_name", .text),
      .optional("client_icon", .text),
    ]) { (home, call) throws(CommandFailure) in try home.makeLongLivedToken(call) },
    "get_config": Command { (home, call) throws(CommandFailure) in
      home.succeed(call, home.wholeConfig)
    },
  ]
}

extension [String: Command] {
  func merging(_ others: [String: Command]) -> [String: Command] {
    merging(others) { _, _ in preconditionFailure("a command has one meaning") }
  }
}

// MARK: Receiving

extension Home {
  /// A text came over a WebSocket.
  mutating func received(_ text: [UInt8], on id: Int, now: Moment) {
    catchUp(now)
    guard sessions[id] != nil, fault != .hang else { return }
    let message: JSON
    do throws(JSONParser.Failure) { message = try JSONParser.parse(text) } catch {
      return close(id, because: "a message that is not JSON: \(error.reason)", now: now)
    }
    guard sessions[id]?.isGuest == true else {
      admit(message, on: id, now: now)
      return
    }
    for command in message.array ?? [message] where sessions[id] != nil {
      perform(command, on: id, now: now)
    }
    settle(now)
  }

  /// Bytes came over a WebSocket. No command takes any; only an empty message is a mistake.
  mutating func received(binary bytes: [UInt8], on id: Int, now: Moment) {
    if sessions[id]?.isGuest != true {
      close(id, because: "the first message must be text", now: now)
    } else if bytes.isEmpty {
      close(id, because: "an empty binary message", now: now)
    }
  }

  /// The first message must bring a token.
  private mutating func admit(_ message: JSON, on id: Int, now: Moment) {
    do throws(Invalid) {
      _ = try Self.authentication(message)
    } catch {
      // The objection repeats what was sent, and that may be a token.
      return turnAway(
        id, "Auth message incorrectly formatted: \(error.message)",
        because: "the first message is no auth message as it must be", now: now)
    }
    guard let token = message["access_token"]?.string,
      let credential = grants.credential(ofAccessToken: token, now: now)
    else {
      door.noteFailure()
      return turnAway(
        id, "Invalid access token or password", because: "the access token is not good (any more)",
        now: now)
    }
    door.noteSuccess()
    sessions[id]?.standing = .guest(credential: credential)
    post(["type": "auth_ok", "ha_version": .string(Home.version)], to: id)
    note(.socketAdmitted(id), at: now)
  }

  private static let authentication = Schema.shape([
    .required("type", .word(of: ["auth"])), .optional("api_password", .text),
    .optional("access_token", .text),
  ])

  private mutating func turnAway(
    _ id: Int, _ message: String, because why: String, now: Moment
  ) {
    post(["type": "auth_invalid", "message": .string(message)], to: id)
    close(id, because: why, now: now)
  }

  private mutating func perform(_ message: JSON, on session: Int, now: Moment) {
    guard case .integer(let id) = message["id"], id > 0, let type = message["type"]?.string,
      !type.isEmpty
    else {
      let failure = CommandFailure(
        code: "invalid_format", message: "Message incorrectly formatted.")
      let echo = message.object.map { $0["id"] ?? .null } ?? 0
      return fail(echo, failure, type: nil, to: session, now: now)
    }
    guard let last = sessions[session]?.lastID, id > last else {
      let failure = CommandFailure(
        code: "id_reuse", message: "Identifier values have to increase.")
      return fail(.integer(id), failure, type: type, to: session, now: now)
    }
    guard let command = command(type, now: now) else {
      let failure = CommandFailure(code: "unknown_command", message: "Unknown command.")
      return fail(.integer(id), failure, type: type, to: session, now: now)
    }
    sessions[session]?.lastID = id
    do throws(CommandFailure) {
      let content = try command.content(of: message)
      guard household.resident.isAdministrator || !command.isForAdministrators else {
        throw .unauthorized
      }
      try command.run(
        &self, Call(session: session, id: id, type: type, content: content, now: now))
      if !Self.silentCommands.contains(type) { note(.commanded(type), at: now) }
    } catch { fail(.integer(id), error, type: type, to: session, now: now) }
  }

  /// Commands that tell of themselves, or whose success is no news.
  private static let silentCommands: Set = [
    "ping", "webhook/handle", "mobile_app/push_notification_channel",
    "mobile_app/push_notification_confirm", "recorder/import_statistics",
  ]
}

// MARK: Answering

extension Home {
  mutating func post(_ message: JSON, to session: Int) {
    guard sessions[session] != nil else { return }
    mail.append(.message(message), to: session)
  }

  /// Answers a command. What it changed is told before.
  mutating func succeed(_ call: Call, _ result: JSON = .null) {
    settle(call.now)
    guard !result.hasOversizedInteger else {
      let failure = CommandFailure(code: "unknown_error", message: "Invalid JSON in response")
      return fail(.integer(call.id), failure, type: call.type, to: call.session, now: call.now)
    }
    post(
      ["id": .integer(call.id), "type": "result", "success": true, "result": result],
      to: call.session)
  }

  /// Tells a subscriber something besides.
  mutating func tell(_ call: Call, _ event: JSON) {
    post(["id": .integer(call.id), "type": "event", "event": event], to: call.session)
  }

  private mutating func fail(
    _ id: JSON, _ failure: CommandFailure, type: String?, to session: Int, now: Moment
  ) {
    post(["id": id, "type": "result", "success": false, "error": failure.json], to: session)
    // The message repeats what was sent, and that may be secret.
    let words =
      failure.code == "invalid_format" ? "the command is not as it must be" : failure.message
    record(
      .refused(
        Refused(
          refusal: .command(code: failure.code, words), type: type, status: 200, content: nil)),
      device: nil, sealed: nil, at: now)
  }

  /// Who did something, and when, as Home Assistant keeps it with every event.
  func context(_ now: Moment) -> JSON {
    [
      "id": .string(States.contextID(now)), "parent_id": nil,
      "user_id": .string(household.resident.id),
    ]
  }
}

// MARK: The first commands

extension Home {
  fileprivate mutating func setFeatures(_ call: Call) {
    // Once on, it stays on, whatever a later message says.
    if call.content["features"]?["coalesce_messages"] != nil {
      sessions[call.session]?.coalesces = true
    }
    succeed(call)
  }

  fileprivate mutating func describeResident(_ call: Call) {
    let resident = household.resident
    succeed(
      call,
      [
        "id": .string(resident.id), "name": .string(resident.displayName),
        "is_owner": .bool(resident.isAdministrator),
        "is_admin": .bool(resident.isAdministrator),
        "credentials": [["auth_provider_type": "homeassistant", "auth_provider_id": nil]],
        "mfa_modules": [
          [
            "id": "totp", "name": "Authenticator app", "enabled": .bool(resident.code != nil),
          ]
        ],
      ])
  }

  fileprivate mutating func makeLongLivedToken(_ call: Call) throws(CommandFailure) {
    let days = call.content["lifespan"].flatMap(Python.int) ?? 0
    let lifetime = Duration.seconds(86_400 * Int64(clamping: min(max(days, -36_500), 36_500)))
    guard
      let token = grants.makeLongLivedToken(
        named: call.text("client_name"), lifetime: lifetime, now: call.now)
    else { throw .unknown }
    succeed(call, .string(token))
  }
}
