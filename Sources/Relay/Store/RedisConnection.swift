import Bytes
import CHiredis

/// Reply of a server to a command. Commands of ours have no other kinds of answer.
enum RedisReply {
  case integer(Int64)
  case bytes([UInt8])
  case list([RedisReply])
  case null
  case error([UInt8])
  case other

  fileprivate init(_ reply: UnsafePointer<redisReply>) {
    let kind = unsafe reply.pointee.type
    let text = unsafe Self.text(reply)
    switch kind {
    case REDIS_REPLY_INTEGER: self = unsafe .integer(Int64(reply.pointee.integer))
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(text)
    case REDIS_REPLY_ERROR: self = .error(text)
    case REDIS_REPLY_NIL: self = .null
    case REDIS_REPLY_ARRAY:
      var list: [RedisReply] = []
      for index in 0..<(unsafe reply.pointee.elements) {
        guard let element = unsafe chiredis_element(reply, index) else { break }
        unsafe list.append(RedisReply(element))
      }
      self = .list(list)
    default: self = .other
    }
  }

  private static func text(_ reply: UnsafePointer<redisReply>) -> [UInt8] {
    guard let start = unsafe reply.pointee.str else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: reply.pointee.len))
  }
}

/// A connection to a server. Once it has failed it stays failed.
@safe final class RedisConnection {
  private static let connectSeconds = 2
  /// A server that writes a large file again may pause for seconds.
  private static let readSeconds = 5
  /// Time for all replies that are waited for together.
  private static let repliesTimeout: Duration = .seconds(10)
  private static let replyByteCountMax = 4 * 1024 * 1024

  private let context: UnsafeMutablePointer<redisContext>
  private let address: RedisAddress
  private let monotonic: @Sendable () -> Instant
  private var hasFailed = false
  /// Commands that were added since the last replies.
  private var commandCount = 0

  init(
    _ address: RedisAddress, monotonic: @escaping @Sendable () -> Instant
  ) throws(StoreFailure) {
    let connected = unsafe chiredis_connect(
      address.host.string, address.port, Self.connectSeconds, Self.readSeconds)
    guard let context = unsafe connected else {
      throw StoreFailure(code: 0, message: "hiredis has no memory", remedy: "")
    }
    unsafe self.context = context
    self.address = address
    self.monotonic = monotonic
    // From here on `deinit` closes it.
    guard unsafe !chiredis_failed(context) else { throw lost() }
  }

  deinit { unsafe redisFree(context) }

  /// Whether the next command can be sent. A server that was restarted is found here, before a
  /// command is lost with it.
  var isOpen: Bool { unsafe !hasFailed && chiredis_is_quiet(context) }

  /// Adds a command of some words; `replies` sends it.
  func add(_ words: [[UInt8]]) {
    let bytes = Array(words.joined())
    let lengths = words.map { $0.count }
    let isAdded = unsafe chiredis_append(context, bytes, lengths, Int32(clamping: words.count))
    if !isAdded { hasFailed = true }
    commandCount += 1
  }

  /// Sends the commands that were added, in one piece, and waits for all their replies.
  func replies() throws(StoreFailure) -> [RedisReply] {
    guard !hasFailed else { throw lost() }
    // If it throws, what comes then belongs to no command.
    hasFailed = true
    guard unsafe chiredis_send(context) else { throw lost() }
    let end = monotonic() + Self.repliesTimeout
    var replies: [RedisReply] = []
    while replies.count < commandCount { try replies.append(next(until: end)) }
    commandCount = 0
    hasFailed = false
    return replies
  }

  private func next(until end: Instant) throws(StoreFailure) -> RedisReply {
    var byteCount = 0
    while true {
      if let reply = unsafe chiredis_next(context) {
        defer { unsafe freeReplyObject(reply) }
        return unsafe RedisReply(reply)
      }
      guard unsafe !chiredis_failed(context) else { throw lost() }
      guard monotonic() < end else { throw lost("it does not answer in time") }
      guard byteCount <= Self.replyByteCountMax else { throw lost("its answer is too large") }
      let count = unsafe chiredis_receive(context)
      guard count >= 0 else { throw lost() }
      byteCount += count
    }
  }

  private func lost(_ why: String? = nil) -> StoreFailure {
    let words = unsafe why ?? String(cString: chiredis_words(context))
    return StoreFailure(
      code: 0, message: "\(address.text): \(words)",
      remedy: "the server has to run, and this machine has to reach it")
  }
}
