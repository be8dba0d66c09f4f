/// What became of a message: what its answer means for a message of its type.
public enum Outcome: Equatable, Sendable {
  /// Home Assistant sealed the answer with our key: it opened a message with it, and did what that
  /// says. That it was this message only a `Challenge` in it proves. The JSON of the answer stands
  /// in this part of the buffer.
  case sealed(Range<Int>)
  /// An answer to a plain registration: nothing proves who wrote it.
  case answered(Range<Int>)
  /// The same with a status that says no: Home Assistant could not do what the message says. The
  /// JSON of its answer stands in this part of the buffer.
  case refused(Range<Int>)
  /// It says nothing but that it got the message. It did what the message says, or it could not
  /// read it: the answer is the same.
  case accepted
  /// It dropped the message: it could not open it, or did not like what stands in it.
  case dropped
  /// The service does not exist, did not like its data, may not be called by the user who
  /// registered the device, or failed. A webhook that does not live now looks the same.
  case failed
  /// The webhook does not live now: Home Assistant starts, reloads, or the registration is gone.
  /// A message whose handler failed looks the same.
  case notLive
  /// The message came to no handler, or to one of another registration; the answer says why.
  case undelivered(Answer)

  /// - Parameters:
  ///   - answer: to the message.
  ///   - type: of the message.
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
