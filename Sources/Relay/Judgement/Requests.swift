import Bytes

/// A notification as Home Assistant posts it.
struct PushRequest: Equatable {
  let push: Digest
  /// JSON for the board: the members of the request as they stand, without the secrets that are
  /// meant for the relay.
  let content: [UInt8]

  enum Mistake: Error, Equatable {
    case isNoJSON
    case hasNoToken
    case hasNoMessage
  }

  /// Bytes of a token, of which a true one has 43.
  private static let tokenByteCountMax = 256
  private static let quote = [UInt8(ascii: "\"")]

  init(_ body: [UInt8]) throws(Mistake) {
    var fields = Fields()
    do throws(JSONError) { try fields.read(body) } catch { throw .isNoJSON }
    guard !fields.token.isEmpty else { throw .hasNoToken }
    guard fields.hasMessage else { throw .hasNoMessage }
    push = Digest(of: fields.token)
    content = fields.content
  }

  private struct Fields {
    /// Empty without one, and if it is too long.
    var token: [UInt8] = []
    var hasMessage = false
    var content: [UInt8] = []

    mutating func read(_ body: [UInt8]) throws(JSONError) {
      var reader = JSONReader(body.span)
      var content = ByteBuffer(capacity: body.count + 2)
      content.openJSONObject()
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("push_token") {
          token = try Self.token(reader.text())
        } else if key.elementsEqual("registration_info") {
          // It has the address of the board's webhook, which is not the relay's to hand on.
          _ = try reader.skipValue()
        } else {
          if key.elementsEqual("message") { hasMessage = true }
          content.appendJSON(written: quote)
          content.append(key.raw)
          content.append("\":")
          content.append(body.span.extracting(try reader.skipValue()))
        }
      }
      try reader.finish()
      content.closeJSONObject()
      self.content = Array(content.bytes)
    }

    private static func token(_ text: JSONReader.Text) -> [UInt8] {
      var token = ByteBuffer(capacity: tokenByteCountMax)
      text.append(to: &token)
      return token.isOverflowed ? [] : Array(token.bytes)
    }
  }
}

/// Question of a board for what waits after `acknowledged`, up to which it has everything.
struct FetchRequest: Equatable {
  let acknowledged: Int64
  let key: PublicKey

  /// Reads a question; returns nil if the body has another form, or nothing can be sealed to its
  /// key.
  init?(_ body: [UInt8]) {
    guard let read = try? Self.read(body), read.acknowledged >= 0, let key = read.key,
      key.seal([]) != nil
    else { return nil }
    acknowledged = read.acknowledged
    self.key = key
  }

  private static func read(
    _ body: [UInt8]
  ) throws(JSONError) -> (acknowledged: Int64, key: PublicKey?) {
    var reader = JSONReader(body.span)
    var acknowledged: Int64 = 0
    var key: PublicKey?
    try reader.openObject()
    while let name = try reader.nextKey() {
      if name.elementsEqual("acknowledged") {
        acknowledged = try reader.integer()
      } else if name.elementsEqual("public_key") {
        key = try PublicKey(base64: Array(reader.text().raw))
      } else {
        _ = try reader.skipValue()
      }
    }
    try reader.finish()
    return (acknowledged, key)
  }
}
