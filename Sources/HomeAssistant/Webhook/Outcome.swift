/// Outcome of a message: the meaning of its answer for a message of its type.
public enum Outcome: Equatable, Sendable {
  /// Home Assistant encrypted the answer with the registration's key: it decrypted a message and
  /// carried it out. Only a `Challenge` proves that it was this message. The range is the JSON of
  /// the answer in the buffer.
  case sealed(Range<Int>)
  /// Answer to a plain registration: nothing proves its author.
  case answered(Range<Int>)
  /// Answer with an error status: Home Assistant could not carry the message out. The range is the
  /// JSON of the answer in the buffer.
  case refused(Range<Int>)
  /// Home Assistant received the message. Its answer does not show whether it carried the message
  /// out or could not read it.
  case accepted
  /// Home Assistant dropped the message: it could not decrypt it, or the content is invalid.
  case dropped
  /// The service does not exist, rejected its data, is not allowed for the user who registered the
  /// device, or failed. An inactive webhook gives the same answer.
  case failed
  /// The webhook is not active: Home Assistant starts or reloads, or the registration was deleted.
  /// A failed handler gives the same answer.
  case notLive
  /// The message reached no handler, or one of another registration; the answer holds the reason.
  case undelivered(Answer)

  /// - Parameters:
  ///   - answer: answer to the message.
  ///   - type: type of the message.
  public init(_ answer: Answer, to type: MessageType) {
    switch answer {
    case .opened(let range): self = .sealed(range)
    case .content(let range): self = .answered(range)
    case .refused(let range): self = .refused(range)
    case .unproven: self = type.isAnswered ? .dropped : .accepted
    case .notLive: self = type == .callService ? .failed : .notLive
    case .otherKey, .encryptionRequired, .badRequest, .gone, .server:
      self = .undelivered(answer)
    }
  }
}
