/// Why a message left no trace. Most of these Home Assistant answers with 200 and no word.
public enum Refusal: Error, Sendable, Equatable {
  // The request
  case unauthorized
  case notFound(path: String)
  case methodNotAllowed(String)
  /// A webhook knows the method and does not take it; the answer differs in its body.
  case webhookMethod(String)
  case tooLarge
  /// The body is not what it must be, in the words of the answer.
  case badRequest(String)
  case login(LoginRefusal)
  /// A WebSocket that did not come about, in the words of the answer.
  case handshake(String)
  /// A command over a WebSocket that was answered with an error.
  case command(code: String, String)
  /// A WebSocket that was ended because of what came over it.
  case socket(String)
  // The webhook id
  case unknownWebhook
  case supersededWebhook
  case goneWebhook
  case failedSetUp
  /// The webhook is not there yet, shortly after a start.
  case stillStarting
  /// Not even the paths of the integration are there yet.
  case notLoaded
  // The message
  case invalidJSON(String)
  case schema(String)
  case notAContainer
  case encryptionRequired
  case encryptionAlreadyEnabled
  case noSecret
  case encryptedDataMissing
  case undecryptable(String)
  case unknownType
  case trackerTaken
  case trackerDisabled
  case eventTypeTooLong
  /// An action that does not exist or did not succeed, and why.
  case failedService(String, String)
  case unknownCamera
  /// An answer with an integer wider than what is written there.
  case unwritable
  // One sensor of a message
  case notRegistered(uniqueID: String, kind: String)
  case invalidReading(uniqueID: String, String)
  case disabledSensor(uniqueID: String)
  case valueIgnored(uniqueID: String, String)
  case entityCannotStart(uniqueID: String, String)
  // The practice home's own
  case fault(Fault)

  /// In the words of a person; says what to do where it is not obvious.
  public func reason(type: String?) -> String {
    requestReason ?? webhookReason ?? messageReason(type ?? "the message") ?? sensorReason
      ?? "the practice home was told to misbehave"
  }

  private var requestReason: String? {
    switch self {
    case .unauthorized: "no token, or a wrong one: send Authorization: Bearer TOKEN"
    case .notFound(let path): "nothing lives at \(path)"
    case .methodNotAllowed(let method), .webhookMethod(let method):
      "method \(method) is not allowed here, POST is"
    case .tooLarge: "the body is larger than 16 MiB"
    case .badRequest(let message): message
    case .login(let refusal): refusal.reason
    case .handshake(let message): message
    case .command(let code, let message): "\(code): \(message)"
    case .socket(let why): why
    default: nil
    }
  }

  private var webhookReason: String? {
    switch self {
    case .unknownWebhook: "no such webhook id: never registered here, or forgotten"
    case .supersededWebhook: "this webhook id is from a registration that was replaced or deleted"
    case .goneWebhook: "this registration was deleted before the last restart: register again"
    case .failedSetUp:
      "the registration had no os_version, so its webhook never came to life: register with one"
    case .stillStarting: "Home Assistant is still starting: this webhook is not there yet"
    case .notLoaded: "Home Assistant is still starting: the integration is not loaded yet"
    default: nil
    }
  }

  private func messageReason(_ type: String) -> String? {
    switch self {
    case .invalidJSON(let why): "the body is not JSON: \(why)"
    case .schema(let why): "\(why) in \(type)"
    case .notAContainer: "the body is neither an object nor a list"
    case .encryptionRequired: "a readable message to a registration that has a secret: seal it"
    case .encryptionAlreadyEnabled: "encryption is already enabled; its secret cannot be had again"
    case .noSecret: "a sealed message to a registration that has no secret"
    case .encryptedDataMissing: "encrypted is true but encrypted_data is missing"
    case .undecryptable(let why): why
    case .unknownType: "unknown type \"\(type)\""
    case .trackerTaken:
      "another app registered the same device_id first, so this one has no device tracker"
    case .trackerDisabled: "the device tracker is disabled, so its location goes nowhere"
    case .eventTypeTooLong: "event_type is longer than 64 characters"
    case .failedService(let name, let why): "the action \(name) failed: \(why)"
    case .unknownCamera: "there is no such camera"
    case .unwritable: "the answer would hold an integer of more than 64 bits"
    default: nil
    }
  }

  private var sensorReason: String? {
    switch self {
    case .notRegistered(let id, let kind): "\(kind) \(id) is not registered: register_sensor first"
    case .invalidReading(let id, let why): "\(why) in the reading of \(id)"
    case .disabledSensor(let id): "\(id) is disabled, so its value goes nowhere"
    case .valueIgnored(let id, let why): "\(id) keeps its old value: \(why)"
    case .entityCannotStart(let id, let why): "\(id) was registered but shows nothing: \(why)"
    case .fault(let fault): "the practice home plays \"\(fault.name)\""
    default: nil
    }
  }
}

extension Refusal {
  /// How Home Assistant answers.
  var answer: Answer {
    switch self {
    case .unauthorized: .text(401, "401: Unauthorized")
    case .notFound, .notLoaded: .text(404, "404: Not Found")
    case .methodNotAllowed: .text(405, "405: Method Not Allowed")
    case .webhookMethod: .nothing(405)
    case .badRequest(let message): .open(["message": .string(message)], status: 400)
    case .login(let refusal): refusal.answer
    case .handshake(let message): .text(400, message)
    case .goneWebhook: .nothing(410)
    case .invalidJSON: .braces(400)
    case .encryptionRequired: .failure("encryption_required", "Encryption required")
    case .encryptionAlreadyEnabled:
      .failure("encryption_already_enabled", "Encryption already enabled")
    case .unknownCamera: .content(["success": false], status: 400)
    case .schema, .undecryptable, .unknownType, .trackerTaken, .trackerDisabled: .braces(200)
    case .unknownWebhook, .supersededWebhook, .failedSetUp, .tooLarge, .notAContainer, .noSecret,
      .encryptedDataMissing, .eventTypeTooLong, .failedService, .unwritable, .stillStarting:
      .nothing(200)
    case .fault: .text(404, "404: Not Found")
    // Never an answer of their own: the rest of the message decides.
    case .notRegistered, .invalidReading, .disabledSensor, .valueIgnored, .entityCannotStart,
      .command, .socket:
      .nothing(200)
    }
  }

  /// What the sender saw of it, for people.
  public func manner(status: Int) -> String {
    switch self {
    case .notRegistered, .invalidReading: "refused in the answer"
    case .disabledSensor: "answered with success and is_disabled"
    case .valueIgnored, .entityCannotStart: "answered with success all the same"
    case .fault: "not taken"
    case .command: "answered with an error"
    case .socket: "the socket was closed"
    case .login where status == 200: "answered 200, with the error in the content"
    default: status == 200 ? "dropped silently, as Home Assistant does" : "answered \(status)"
    }
  }
}
