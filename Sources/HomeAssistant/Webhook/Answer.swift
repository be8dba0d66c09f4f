public import Bytes

/// Meaning of an answer to a webhook message.
///
/// Home Assistant's status proves nothing: it is 200 for almost everything, even for an
/// undecryptable message. An envelope that opens with the registration's key shows that Home
/// Assistant holds the key, and once wrote this answer. Only a `Challenge` proves that it belongs
/// to this message.
public enum Answer: Equatable, Sendable {
  /// A handler completed, and Home Assistant holds the key. The range is the JSON of its answer in
  /// the buffer, which may be the replay of an earlier answer.
  case opened(Range<Int>)
  /// An opened answer whose status is an error: the handler could not process the message, for
  /// example for a camera that does not exist. The answer to a plain message is plain.
  case refused(Range<Int>)
  /// Plain JSON in answer to a plain message, in this range of the buffer. Nothing proves its
  /// author.
  case content(Range<Int>)
  /// An envelope with another key: the registration is no longer this device's.
  case otherKey
  /// A plain `{}`: success of a message that needs no answer, or a silently dropped message. For a
  /// message that must be answered it means dropped.
  case unproven
  /// An empty body: the webhook is not active (Home Assistant starts or reloads, or the
  /// registration was deleted), or its handler failed.
  case notLive
  /// 400 `encryption_required`: the webhook is active, but the message was not encrypted.
  case encryptionRequired
  /// Another 400 with JSON: the body of the message was not JSON.
  case badRequest
  /// 410: the registration was deleted, and Home Assistant has restarted since.
  case gone
  /// The answer is not from a handler of Home Assistant.
  case server(ServerRefusal)
}

extension Answer {
  /// Judges an answer to an encrypted message; an envelope is decrypted in place.
  public static func read(
    _ head: AnswerHead, body: inout ByteBuffer, with key: SecretKey
  ) -> Answer {
    if let answer = Answer(head, body: body) { return answer }
    let isRefusal = head.status == 400
    switch Envelope.open(&body, with: key) {
    case .message(let range): return isRefusal ? .refused(range) : .opened(range)
    case .otherKey: return .otherKey
    case .notAnEnvelope where isRefusal && jsonKind(of: body.bytes) != nil: return .badRequest
    case .notAnEnvelope: return .server(ServerRefusal(head, body.bytes))
    }
  }

  /// Judges an answer to a plain message, which any machine on the path may have written or
  /// changed. Here `{}` can also be a complete answer: to `update_sensor_states` without a sensor,
  /// or to `render_template` without a template.
  public static func read(_ head: AnswerHead, plain body: borrowing ByteBuffer) -> Answer {
    if let answer = Answer(head, body: body) { return answer }
    let isRefusal = head.status == 400
    switch jsonKind(of: body.bytes) {
    case .object? where Envelope.encryptedData(in: body.bytes) != nil: return .otherKey
    case .object? where isRefusal && !body.bytes.trimmed().elementsEqual("{}"):
      return .refused(0..<body.count)
    case .object?, .array?: return isRefusal ? .badRequest : .content(0..<body.count)
    default: return .server(ServerRefusal(head, body.bytes))
    }
  }

  /// Judges an answer from its head. Fails if the body decides: it is not empty, and the status is
  /// one of Home Assistant's handlers.
  private init?(_ head: AnswerHead, body: borrowing ByteBuffer) {
    switch head.status {
    case 200, 201:
      if body.isOverflowed {
        self = .server(.notHomeAssistant(status: head.status))
      } else if body.isEmpty {
        self = .notLive
      } else if body.bytes.trimmed().elementsEqual("{}") {
        self = .unproven
      } else {
        return nil
      }
    case 400:
      guard body.bytes.contains("encryption_required") else { return nil }
      self = .encryptionRequired
    case 410 where body.isEmpty: self = .gone
    default: self = .server(ServerRefusal(head, body.bytes))
    }
  }

  /// Returns the kind of the value if the bytes are one JSON value, else nil.
  private static func jsonKind(of bytes: Span<UInt8>) -> JSONReader.Kind? {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      let kind = try reader.nextKind()
      try reader.skipValue()
      try reader.finish()
      return kind
    } catch {
      return nil
    }
  }
}

extension Webhook {
  /// Answer to `enable_encryption`, the request for a key for a plain registration. After it, Home
  /// Assistant accepts only encrypted messages.
  ///
  /// If the answer is lost, no request returns that key again: the registration is locked, and the
  /// device must register again. A registration with encryption avoids this.
  public enum EnableEncryption {
    /// Result of the request.
    public enum Result: Sendable {
      /// Key, which was sent unencrypted. Store it before any other step.
      case enabled(SecretKey)
      /// The registration already has a key, which Home Assistant does not send again.
      case alreadyEnabled
      /// This Home Assistant does not support encryption; such versions are older than 2022.
      case notAvailable
      /// Another answer, from Home Assistant or from another server.
      case unanswered(Answer)
    }

    /// Reads the answer, which is always plain.
    public static func read(_ head: AnswerHead, body: borrowing ByteBuffer) -> Result {
      let answer = Answer.read(head, plain: body)
      switch answer {
      case .content(let range):
        guard let key = key(in: body.bytes.extracting(range)) else {
          return .unanswered(.server(ServerRefusal(head, body.bytes)))
        }
        return .enabled(key)
      case .encryptionRequired: return .alreadyEnabled
      case .refused where body.bytes.contains("encryption_already_enabled"): return .alreadyEnabled
      case .refused where body.bytes.contains("encryption_not_available"): return .notAvailable
      default: return .unanswered(answer)
      }
    }

    private static func key(in answer: Span<UInt8>) -> SecretKey? {
      guard let json = try? JSON(parsing: answer),
        let secret = try? json.get("secret", as: Text.self)
      else { return nil }
      return SecretKey(hexadecimal: secret.bytes.span)
    }
  }
}
