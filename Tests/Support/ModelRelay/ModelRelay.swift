public import Bytes
import CSodium

/// A push relay in memory, by the page of `homeward-relay`. It shares no code with it.
public final class ModelRelay {
  /// Number of requests, and the acknowledgement of each.
  public private(set) var acknowledgements: [Int64] = []
  /// Whether it forgets nothing, as one whose answers are lost on the way.
  public var isForgetful = true
  public private(set) var waiting: [(number: Int64, message: String)] = []
  private var last: Int64 = 1_795_867_200_000
  /// Time of every answer, by the relay's clock: 2026-11-28 09:00 UTC.
  public static let time = WallTime(nanoseconds: 1_795_856_400_000_000_000)
  /// `arrived` of every notification; nil without one.
  public var arrived: WallTime? = ModelRelay.time
  /// Most notifications of an answer.
  public var answerCountMax = 100

  public init() {}

  /// Home Assistant posts a notification.
  public func push(_ message: String) {
    last += 1
    waiting.append((last, message))
  }

  /// Answers a request of a board; nil if it is not one.
  public func answer(_ request: [UInt8]) -> [UInt8]? {
    guard let content = try? JSON(parsing: request.span), let members = try? content.object(),
      let acknowledged = try? members.get("acknowledged", as: Int64.self),
      let encoded = try? members.get("public_key", as: String.self),
      let key = decoded(encoded), key.count == 32
    else { return nil }
    acknowledgements.append(acknowledged)
    if isForgetful { waiting.removeAll { $0.number <= acknowledged } }
    let given = waiting.prefix(answerCountMax)
    let arrived = arrived.map { #""arrived":"\#(Text(iso8601: $0))","# } ?? ""
    let rows = given.map { number, message in
      #"{"number":\#(number),"# + arrived
        + #""sealed":"\#(Self.sealed(message, to: key))"}"#
    }
    let list = rows.joined(separator: ",")
    let text = #"{"notifications":[\#(list)],"remaining":\#(waiting.count - given.count)}"#
    return [UInt8](text.utf8)
  }

  private func decoded(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](text.utf8)
    let whole = 0..<bytes.count
    var span = bytes.mutableSpan
    guard let count = Base64.decode(&span, in: whole) else { return nil }
    return [UInt8](bytes[..<count])
  }

  /// Base64 of a key in a sealed box, and of the message in a secret box under that key.
  public static func sealed(_ message: String, to publicKey: [UInt8]) -> String {
    var key = [UInt8](repeating: 0, count: 32)
    var nonce = [UInt8](repeating: 0, count: 24)
    unsafe randombytes_buf(&key, key.count)
    unsafe randombytes_buf(&nonce, nonce.count)
    var sealedKey = [UInt8](repeating: 0, count: 80)
    unsafe crypto_box_seal(&sealedKey, key, 32, publicKey)
    let text = [UInt8](message.utf8)
    var box = [UInt8](repeating: 0, count: text.count + 16)
    unsafe crypto_secretbox_easy(&box, text, UInt64(text.count), nonce, key)
    var buffer = ByteBuffer(capacity: 4 * (sealedKey.count + nonce.count + box.count))
    buffer.append(sealedKey + nonce + box)
    Base64.encodeTail(of: &buffer, from: 0)
    return String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
  }
}
