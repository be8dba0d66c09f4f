public import Bytes

/// A webhook that is called over the WebSocket, which then needs no connection of its own:
/// `webhook/handle`.
///
/// For those who call it all day; `HandleWebhook` is the request for all others. Nothing is
/// allocated.
public enum HandledWebhook {
  /// Appends the members that stand beside the `id` of the message.
  ///
  /// - Parameters:
  ///   - webhookID: a secret.
  ///   - body: what would be the body of the POST: JSON.
  ///   - message: as `Client.sendDirectMessage` gives it.
  public static func appendCall(
    webhookID: [UInt8], body: Span<UInt8>, to message: inout ByteBuffer
  ) {
    message.append(",\"type\":\"webhook/handle\",\"method\":\"POST\"")
    message.appendJSON(key: "webhook_id")
    message.appendJSON(webhookID)
    message.appendJSON(key: "body")
    // Without a query and headers: Home Assistant looks at neither.
    message.appendJSON(body)
  }

  /// Reads the result of such a message.
  ///
  /// - Parameters:
  ///   - result: as `DirectMessageOwner.directMessageAnswered` gets it.
  ///   - body: takes the body of the answer, which is empty where there was none. Whether it
  ///     fitted is seen from `body.isOverflowed`.
  /// - Returns: the status of HTTP. That the command succeeded says nothing of it.
  /// - Throws: where this is no such result.
  public static func readReply(
    _ result: Span<UInt8>, body: inout ByteBuffer
  ) throws(JSONDecodingError) -> Int {
    body.removeAll()
    var reader = JSONReader(result)
    var status: Int?
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        let kind = try reader.nextKind()
        if key.elementsEqual("status"), kind == .number {
          status = Int(exactly: try reader.integer())
        } else if key.elementsEqual("body"), kind == .string {
          try reader.text().append(to: &body)
        } else {
          try reader.skipValue()
        }
      }
      try reader.finish()
    } catch {
      throw .malformed(error)
    }
    guard let status else { throw .missingKey("status") }
    return status
  }
}
