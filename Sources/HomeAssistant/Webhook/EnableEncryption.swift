public import Bytes

extension Webhook {
  /// Request for a key for a plain registration. From its answer on, Home Assistant accepts only
  /// encrypted messages.
  ///
  /// If the answer is lost, no request returns that key again: the registration is locked, and the
  /// device must register again. A registration with encryption avoids this.
  public struct EnableEncryption: Message {
    /// Type `enable_encryption`.
    public static let type = MessageType.enableEncryption

    /// Creates the message.
    public init() {}

    public func write(into data: inout ByteBuffer) { data.append("{}") }

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
