public import Bytes

/// The sender of messages without a handler of their own, which gets the answers.
public protocol DirectMessageOwner: AnyObject {
  /// The JSON of the result, which stands there until this returns.
  func directMessageAnswered(_ result: Span<UInt8>)
  /// There will be no answer, or it was a refusal.
  func directMessageFailed(_ error: RequestError)
}

extension Client {
  /// Sends a command that is written straight into the send buffer, for a program that sends
  /// all day: nothing is allocated for it. One at a time; it is never repeated.
  ///
  /// - Parameters:
  ///   - owner: is told the end, once. It stays alive until then.
  ///   - writeMembers: appends `,"type":"…"` and what else stands beside the `id`.
  /// - Returns: false where there is no connection, or the message is too long.
  public func sendDirectMessage(
    telling owner: any DirectMessageOwner, _ writeMembers: (inout ByteBuffer) -> Void
  ) -> Bool {
    precondition(directMessage == nil, "one direct message at a time")
    guard let id = session.beginDirectMessage(now: driver.now, writeMembers) else { return false }
    directMessage = id
    unsafe directOwner = owner
    session.withOutput { driver.send(.text, $0) }
    return true
  }

  /// Forgets the direct message, whose owner goes away.
  public func cancelDirectMessage() {
    guard let id = directMessage else { return }
    directMessage = nil
    unsafe directOwner = nil
    session.cancel(id)
  }
}
