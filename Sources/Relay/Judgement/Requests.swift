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
    do {
      self = try Self.read(body)
    } catch {
      throw error as? Mistake ?? .isNoJSON
    }
  }

  private static func read(_ body: [UInt8]) throws -> PushRequest {
    var reader = JSONReader(body.span)
    var content = ByteBuffer(capacity: body.count + 2)
    var token: [UInt8]?
    var hasMessage = false
    content.openJSONObject()
    try reader.openObject()
    while let key = try reader.nextKey() {
      if key.elementsEqual("push_token") {
        token = try Array(reader.text().raw)
      } else {
        let isOwn = own.contains { key.elementsEqual($0) }
        if key.elementsEqual("message") { hasMessage = true }
        let name = Array(key.raw)
        let value = try reader.skipValue()
        guard !isOwn else { continue }
        content.appendJSON(written: [UInt8(ascii: "\"")] + name + Array("\":".utf8) + body[value])
      }
    }
    try reader.finish()
    content.closeJSONObject()
    guard let token, !token.isEmpty else { throw Mistake.hasNoToken }
    guard hasMessage else { throw Mistake.hasNoMessage }
    return PushRequest(
      push: Digest(of: String(decoding: token, as: UTF8.self)), content: Array(content.bytes))
  }

  private init(push: Digest, content: [UInt8]) {
    self.push = push
    self.content = content
  }
}

/// Question of a board for what waits after `acknowledged`, up to which it has everything.
struct FetchRequest: Equatable {
  let acknowledged: Int64
  let key: PublicKey

  /// Reads a question; returns nil if the body has another form, or nothing can be sealed to its
  /// key.
  init?(_ body: [UInt8]) {
    guard let read = try? Self.read(body) else { return nil }
    self = read
  }

  private struct Mistake: Error {}

  private static func read(_ body: [UInt8]) throws -> FetchRequest {
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
    guard acknowledged >= 0, let key, key.seal([]) != nil else { throw Mistake() }
    return FetchRequest(acknowledged: acknowledged, key: key)
  }

  private init(acknowledged: Int64, key: PublicKey) {
    self.acknowledged = acknowledged
    self.key = key
  }
}
