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

  /// Members that are not for the board: the first finds it, the second has its webhook's address.
  private static let own: [StaticString] = ["push_token", "registration_info"]

  init(_ body: [UInt8]) throws(Mistake) {
    let fields: Fields
    do throws(JSONError) { fields = try Self.read(body) } catch { throw .isNoJSON }
    guard let token = fields.token, !token.isEmpty else { throw .hasNoToken }
    guard fields.hasMessage else { throw .hasNoMessage }
    push = Digest(of: String(decoding: token, as: UTF8.self))
    content = fields.content
  }

  private struct Fields {
    var token: [UInt8]?
    var hasMessage = false
    var content: [UInt8] = []
  }

  private static func read(_ body: [UInt8]) throws(JSONError) -> Fields {
    var reader = JSONReader(body.span)
    var content = ByteBuffer(capacity: body.count + 2)
    var fields = Fields()
    content.openJSONObject()
    try reader.openObject()
    while let key = try reader.nextKey() {
      if key.elementsEqual("push_token") {
        fields.token = try Array(reader.text().raw)
      } else {
        let isOwn = own.contains { key.elementsEqual($0) }
        if key.elementsEqual("message") { fields.hasMessage = true }
        let name = Array(key.raw)
        let value = try reader.skipValue()
        guard !isOwn else { continue }
        content.appendJSON(written: [UInt8(ascii: "\"")] + name + Array("\":".utf8) + body[value])
      }
    }
    try reader.finish()
    content.closeJSONObject()
    fields.content = Array(content.bytes)
    return fields
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
