public import Bytes

/// What an answer to a webhook message means.
///
/// Home Assistant's status proves nothing: it is 200 for almost everything, the undecryptable
/// included. An envelope that opens with our key shows that Home Assistant holds the key, and that
/// it wrote this answer once. That it wrote it for this message only a `Challenge` shows.
public enum Answer: Equatable, Sendable {
  /// A handler ran to its end and Home Assistant holds our key. The JSON of its answer stands in
  /// this part of the buffer. It may be an old one, which was given again on the way.
  case opened(Range<Int>)
  /// The same under a status that says no: the handler could not do what the message says, such as
  /// showing a camera that does not exist. To a plain message it comes in plain.
  case refused(Range<Int>)
  /// JSON in plain to a plain message; it stands in this part of the buffer. Nothing proves whose
  /// it is.
  case content(Range<Int>)
  /// An envelope sealed with another key: the registration is not ours any more.
  case otherKey
  /// A plain `{}`: success of a message that needs no answer, or a message dropped without a
  /// word. For a message that must be answered it means dropped.
  case unproven
  /// A body of no bytes: the webhook does not live now (Home Assistant starts, reloads, or the
  /// registration is gone), or its handler failed.
  case notLive
  /// 400 `encryption_required`: the webhook lives, and what we sent was not sealed.
  case encryptionRequired
  /// Another 400 with JSON: the body was not.
  case badRequest
  /// 410: the registration was deleted and Home Assistant has restarted since.
  case gone
  /// No handler of Home Assistant answered.
  case server(ServerRefusal)
}

extension Answer {
  /// Judges an answer to a sealed message; an envelope is opened in place.
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

  /// Judges an answer to a plain message, which a machine on the way may have written or changed. A
  /// `{}` may also be the whole of an answer here: of `update_sensor_states` without a sensor, or
  /// of `render_template` without a template.
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

  /// Nil where the body has to be looked into: there is one, under a status with which Home
  /// Assistant's handlers answer.
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

  /// What the bytes are, where they are one JSON value.
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

extension Span where Element == UInt8 {
  func contains(_ text: StaticString) -> Bool {
    for start in indices where extracting(start..<count).starts(with: text) { return true }
    return false
  }
}
