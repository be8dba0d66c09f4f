public import Bytes
import CSodium

/// Token with which a board fetches its notifications from a push relay, a secret. The command
/// `homeward-relay token add` makes it.
///
/// It has no description on purpose, so that no log can hold it.
public struct PushRelayToken: Equatable, Sendable {
  private static let characterCount = 43
  /// 43 characters of Base64 for URLs.
  public let text: [UInt8]

  /// Fails if `text` is not such a token.
  public init?(_ text: [UInt8]) {
    guard text.count == Self.characterCount, text.allSatisfy({ $0.isPathSafe }) else { return nil }
    self.text = text
  }

  /// `push_token` of the registration, with which Home Assistant sends to the relay. It is computed
  /// from the token, which cannot be computed from it.
  public var pushToken: Text {
    let input = [UInt8]("homeward relay: push token\n") + text
    var hash = [UInt8](repeating: 0, count: 32)
    unsafe csodium_hash(&hash, hash.count, input, input.count)
    var characters = [CChar](repeating: 0, count: Self.characterCount + 1)
    unsafe csodium_base64url(&characters, characters.count, hash, hash.count)
    return Text(characters.dropLast().map { UInt8(bitPattern: $0) })
  }
}

/// Key pair of a board. A push relay seals notifications to its public half.
public struct PushKeys: Sendable {
  private static let file = KeptTexts(version: 1, keys: ["key"])
  /// Maximum size of a file of `writeFile`.
  public static let fileByteCountMax = 256

  private let secret: SecretKey
  /// Public half, 32 bytes.
  let publicKey: [UInt8]

  /// Creates the pair of a secret half.
  public init(_ secret: SecretKey) {
    self.secret = secret
    publicKey = secret.publicKey()
  }

  /// Reads a file of `writeFile`.
  public init(file: Span<UInt8>) throws(KeptFileError) {
    let digits = try Self.file.read(file)[0]
    guard let secret = SecretKey(hexadecimal: digits.span) else { throw .damaged }
    self.init(secret)
  }

  /// Writes the file in place of the buffer's content, which is a secret.
  public func writeFile(into buffer: inout ByteBuffer) {
    var digits = ByteBuffer(capacity: 64)
    defer { digits.wipe() }
    secret.append(to: &digits)
    Self.file.write([[UInt8](digits.bytes)], into: &buffer)
  }

  /// Decrypts a sealed notification in place. Returns its position; nil if it was sealed to another
  /// key, or changed.
  ///
  ///     offset  size  content
  ///          0    80  sealed box with the key of the rest
  ///         80    40  nonce and authenticator, as in an envelope
  ///        120     –  message
  func open(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) -> Range<Int>? {
    let start = range.lowerBound + SecretKey.sealedByteCount
    guard start < range.upperBound,
      let key = secret.openKey(
        bytes.span.extracting(range.lowerBound..<start), publicKey: publicKey)
    else { return nil }
    return SecretBox.open(&bytes, in: start..<range.upperBound, with: key)
  }
}

/// Request of a board for its notifications at a push relay, `POST /fetch`.
public enum PushFetch {
  /// Path below the address of the relay.
  public static let path: StaticString = "/fetch"
  /// Maximum size of the request.
  public static let requestByteCountMax = 256
  /// Maximum number of notifications in an answer.
  static let notificationCountMax = 100
  /// Maximum size of an answer: a relay ends one after 96 KiB of sealed bytes.
  public static let responseByteCountMax = 192 * 1024
  /// Numbers that a relay may give: milliseconds since 1970, before 2100. The acknowledgement of a
  /// greater one would cover every later notification.
  static let numberRange: ClosedRange<Int64> = 1...4_102_444_800_000

  /// Reason that a request brought nothing.
  public enum Problem: Error, Equatable, Sendable {
    /// The connection failed. Indirect: the other problems are small.
    indirect case noConnection(InlineText)
    /// The relay does not know the token: it was revoked or replaced.
    case tokenUnknown
    /// The relay gives a number that is not in `numberRange`. The answer is dropped.
    case impossibleNumber
    /// Any other answer, perhaps of another server in the relay's place.
    case refused(status: Int)
  }

  /// Content of an answer.
  public struct Answer: Equatable, Sendable {
    /// Notifications that the board does not have yet, the oldest first.
    public var notifications: [PushNotification] = []
    /// Number of notifications that cannot be read, such as those sealed to an earlier key.
    public var unreadableCount = 0
    /// Number to acknowledge; nil if nothing waits.
    public var newest: Int64?
  }

  /// Writes the request in place of the buffer's content: the relay forgets what it has up to the
  /// number `acknowledged`, and hands out what comes next.
  public static func write(
    acknowledged: Int64, _ keys: PushKeys, into buffer: inout ByteBuffer
  ) {
    buffer.removeAll()
    buffer.openJSONObject()
    buffer.appendMember("acknowledged", acknowledged)
    buffer.appendMember("public_key") { buffer in
      buffer.append(UInt8(ascii: "\""))
      let start = buffer.count
      buffer.append(keys.publicKey)
      Base64.encodeTail(of: &buffer, from: start)
      buffer.append(UInt8(ascii: "\""))
    }
    buffer.closeJSONObject()
  }

  /// Reads an answer that came at `now`, whose notifications are decrypted in place. Those up to
  /// `acknowledged` came before and are left out.
  public static func read(
    _ head: AnswerHead, _ body: inout ByteBuffer, after acknowledged: Int64, with keys: PushKeys,
    now: Instant
  ) -> Result<Answer, Problem> {
    guard head.status == 200 else {
      let isOfRelay = head.status == 403 && isRefusal(body.bytes)
      return .failure(isOfRelay ? .tokenUnknown : .refused(status: head.status))
    }
    guard !body.isOverflowed, let sealed = sealedNotifications(in: body.bytes) else {
      return .failure(.refused(status: head.status))
    }
    guard sealed.allSatisfy({ numberRange.contains($0.number) }) else {
      return .failure(.impossibleNumber)
    }
    var answer = Answer()
    for one in sealed where one.number > acknowledged {
      answer.newest = max(answer.newest ?? one.number, one.number)
      if var notification = open(one.text, of: &body, with: keys) {
        notification.wait = PushWait(from: one.arrived, to: head.time, now: now)
        answer.notifications.append(notification)
      } else {
        answer.unreadableCount += 1
      }
    }
    return .success(answer)
  }

  /// Whether the body is a relay's, and not the page of a proxy that lets no board through.
  private static func isRefusal(_ body: Span<UInt8>) -> Bool {
    guard case .object(let members)? = try? JSON(parsing: body, valueCountMax: 16) else {
      return false
    }
    return members["message"] != nil
  }

  /// Number of a notification, its arrival at the relay, and the place of its Base64 in the answer.
  private struct Sealed {
    let number: Int64
    let arrived: WallTime?
    let text: Range<Int>
  }

  /// Returns the sealed notifications; nil if the body is not a relay's.
  private static func sealedNotifications(
    in body: Span<UInt8>
  ) -> [Sealed]? {
    var sealed: [Sealed]?
    do throws(JSONDecodingError) {
      try JSONReader.forEachMember(of: body) { key, reader throws(JSONError) in
        guard key.elementsEqual("notifications") else {
          try reader.skipValue()
          return
        }
        var list: [Sealed] = []
        try reader.openArray()
        while try reader.nextElement() {
          guard list.count < notificationCountMax else { throw .tooLarge }
          if let one = try sealedNotification(&reader) { list.append(one) }
        }
        sealed = list
      }
    } catch { return nil }
    return sealed
  }

  private static func sealedNotification(
    _ reader: inout JSONReader
  ) throws(JSONError) -> Sealed? {
    var number: Int64?
    var arrived: WallTime?
    var text: Range<Int>?
    try reader.openObject()
    while let key = try reader.nextKey() {
      if key.elementsEqual("number") {
        number = try reader.integer()
      } else if key.elementsEqual("arrived"), try reader.nextKind() == .string {
        arrived = WallTime(iso8601: Text(try reader.text()).bytes.span)
      } else if key.elementsEqual("sealed"), try reader.nextKind() == .string {
        let quoted = try reader.skipValue()
        text = quoted.lowerBound + 1..<quoted.upperBound - 1
      } else {
        try reader.skipValue()
      }
    }
    guard let number, let text else { return nil }
    return Sealed(number: number, arrived: arrived, text: text)
  }

  private static func open(
    _ text: Range<Int>, of body: inout ByteBuffer, with keys: PushKeys
  ) -> PushNotification? {
    let message = body.withMutableBytes { bytes -> Range<Int>? in
      guard let count = Base64.decode(&bytes, in: text) else { return nil }
      return keys.open(&bytes, in: text.lowerBound..<text.lowerBound + count)
    }
    guard let message,
      case .success(let notification) = PushChannel.notification(
        in: body.bytes.extracting(message))
    else { return nil }
    return notification
  }
}
