public import Bytes

extension Webhook {
  /// Asks Home Assistant for a key for a plain registration. From the moment it answers, it takes
  /// sealed messages only.
  ///
  /// Where the answer is lost on the way, no request gets that key again: the registration is
  /// locked, and the device must register again. Registering with encryption avoids it.
  public struct EnableEncryption: Message {
    /// `enable_encryption`
    public static let type = MessageType.enableEncryption

    /// It says nothing but what it is.
    public init() {}

    public func write(into data: inout ByteBuffer) { data.append("{}") }

    /// What came of it.
    public enum Result: Sendable {
      /// The key, which came in clear. It is to be kept before anything else is done.
      case enabled(SecretKey)
      /// The registration has a key, which cannot be had again.
      case alreadyEnabled
      /// This Home Assistant cannot encrypt; such ones are from before 2022.
      case notAvailable
      /// Home Assistant answered something else, or another server did.
      case unanswered(Answer)
    }

    /// Reads the answer, which is plain always.
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
