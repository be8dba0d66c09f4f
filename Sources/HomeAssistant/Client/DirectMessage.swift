public import Bytes

/// Receiver of the answers to messages that are sent without a handler.
public protocol DirectMessageOwner: AnyObject {
  /// Receives the JSON of the result, which is valid until this method returns.
  func directMessageAnswered(_ result: Span<UInt8>)
  /// Receives the reason that there is no answer, or the refusal.
  func directMessageFailed(_ error: RequestError)
}

extension Client {
  /// Sends a command that is written directly into the send buffer, without an allocation, for a
  /// program that sends all day. Only one message at a time is allowed; it is never repeated.
  ///
  /// - Parameters:
  ///   - owner: receives the result, once. The caller keeps it alive until then.
  ///   - writeMembers: appends `,"type":"…"` and the other members beside the `id`.
  /// - Returns: false if there is no connection, or the message is too long.
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

  /// Forgets the direct message; its owner calls this before it is released.
  public func cancelDirectMessage() {
    guard let id = directMessage else { return }
    directMessage = nil
    unsafe directOwner = nil
    session.cancel(id)
  }
}
