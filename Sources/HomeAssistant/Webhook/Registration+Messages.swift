public import Bytes

extension Registration {
  /// Writes a message in place of the content of `buffer`: encrypted with `nonce`, or plain, as the
  /// registration requires. `writeData` writes the JSON of `data`.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true.
  public func write(
    _ type: MessageType, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    switch protection {
    case .sealed(let key):
      Envelope.seal(type, with: key, nonce: nonce, into: &buffer, writeData: writeData)
    case .plain:
      // Only registrations without a key accept it; any machine on the path can read and change it.
      buffer.removeAll()
      buffer.openJSONObject()
      buffer.appendJSON(key: "type")
      buffer.appendJSON(type.name)
      buffer.appendJSON(key: "data")
      writeData(&buffer)
      buffer.closeJSONObject()
    }
  }

  /// Judges an answer to such a message; an envelope is decrypted in place.
  public func readAnswer(_ head: AnswerHead, body: inout ByteBuffer) -> Answer {
    switch protection {
    case .sealed(let key): Answer.read(head, body: &body, with: key)
    case .plain: Answer.read(head, plain: body)
    }
  }
}

/// Webhook call over the WebSocket, without a connection of its own: `webhook/handle`.
///
/// It allocates nothing, for programs that call webhooks all day.
public enum HandledWebhook {
  /// Appends the members beside the `id` to the message of `Client.sendDirectMessage`; `body` is
  /// the JSON of the `POST`.
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

  /// Reads the result of such a message, and returns the HTTP status, which is independent of the
  /// command's success. `body` receives the body of the answer; it is empty if there was none.
  ///
  /// - Throws: `JSONDecodingError` if the result has another form.
  public static func readReply(
    _ result: Span<UInt8>, body: inout ByteBuffer
  ) throws(JSONDecodingError) -> Int {
    body.removeAll()
    var status: Int?
    try JSONReader.forEachMember(of: result) { key, reader throws(JSONError) in
      let kind = try reader.nextKind()
      if key.elementsEqual("status"), kind == .number {
        status = Int(exactly: try reader.integer())
      } else if key.elementsEqual("body"), kind == .string {
        try reader.text().append(to: &body)
      } else {
        try reader.skipValue()
      }
    }
    guard let status else { throw .missingKey("status") }
    return status
  }
}
