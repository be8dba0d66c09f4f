public import Bytes

/// Webhook call over the WebSocket, without a connection of its own: `webhook/handle`.
///
/// It allocates nothing, for programs that call webhooks all day; others use the request
/// `HandleWebhook`.
public enum HandledWebhook {
  /// Appends the members beside the `id` of the message.
  ///
  /// - Parameters:
  ///   - webhookID: webhook; a secret.
  ///   - body: body of the `POST`: JSON.
  ///   - message: buffer from `Client.sendDirectMessage`.
  public static func appendCall(
    webhookID: [UInt8], body: Span<UInt8>, to message: inout ByteBuffer
  ) {
    message.append(",\"type\":\"webhook/handle\",\"method\":\"POST\"")
    message.appendJSON(key: "webhook_id")
    message.appendJSON(webhookID)
    message.appendJSON(key: "body")
    // Home Assistant ignores the query and the headers, so they are left out.
    message.appendJSON(body)
  }

  /// Reads the result of such a message.
  ///
  /// - Parameters:
  ///   - result: argument of `DirectMessageOwner.directMessageAnswered`.
  ///   - body: receives the body of the answer, which is empty if there was none. If it does not
  ///     fit, `body.isOverflowed` is true.
  /// - Returns: the HTTP status, which is independent of the command's success.
  /// - Throws: `JSONDecodingError` if the result has another form.
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
