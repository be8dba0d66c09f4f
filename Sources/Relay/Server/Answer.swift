import Bytes

/// An answer to a request: a status and JSON, which Home Assistant needs even with an error.
struct Answer: Error, Equatable {
  let status: UInt32
  let body: [UInt8]

  /// Largest answer but one to a board.
  private static let capacity = 1024

  private init(_ status: UInt32, capacity: Int = capacity, _ write: (inout ByteBuffer) -> Void) {
    var body = ByteBuffer(capacity: capacity)
    body.openJSONObject()
    write(&body)
    body.closeJSONObject()
    self.status = status
    self.body = Array(body.bytes)
  }

  /// An error that a person has to do something about. Home Assistant logs `message` as it is.
  private init(_ status: UInt32, message: StaticString, _ counts: RateLimits? = nil) {
    self.init(status) { body in
      body.appendMember("message", message)
      if let counts { body.appendMember("rateLimits") { counts.write(into: &$0) } }
    }
  }

  init(_ outcome: Outcome, to operation: StoreOperation) {
    switch outcome {
    case .accepted(let counts):
      self.init(201) { $0.appendMember("rateLimits") { counts.write(into: &$0) } }
    case .overLimit(let counts):
      self.init(
        429,
        message: """
          The relay takes no more notifications for this board today; resetsAt says when the next day \
          begins. Send fewer, or raise --notifications-a-day of homeward-relay
          """, counts)
    case .hasNoKey(let counts):
      self.init(
        409,
        message: """
          This board has not asked the relay for notifications since its token was made, so there is no \
          key to seal them to. Run "homeward pair --relay" on the board
          """, counts)
    case .isFull(let counts):
      self.init(
        507,
        message: """
          Too many notifications wait for this board. Look whether it wakes up, and whether its relay \
          token is right
          """, counts)
    case .unknown:
      self =
        switch operation {
        case .push: .isUnknown(404)
        case .fetch: .mayNotFetch
        }
    case .waiting(let notifications, let remaining): self.init(notifications, remaining)
    }
  }

  private init(_ notifications: [SealedNotification], _ remaining: Int64) {
    let byteCount = notifications.reduce(0) { $0 + Base64.encodedCount(of: $1.sealed.count) + 128 }
    // Members leave a 32nd of the buffer free.
    self.init(200, capacity: Self.capacity + byteCount + byteCount / 16) { body in
      body.appendMember("notifications") { body in
        body.openJSONArray()
        for notification in notifications { notification.write(into: &body) }
        body.closeJSONArray()
      }
      body.appendMember("remaining", remaining)
    }
  }

  private static func isUnknown(_ status: UInt32) -> Answer {
    Answer(
      status,
      message: """
        The relay does not know this token: it was revoked or replaced. Make one with \
        "homeward-relay token add" or "rotate", and pair the board with it
        """)
  }

  // Mistakes in a request of Home Assistant or of a board.
  /// Not 404: that is a wrong path for a board, and no reason to pair again.
  static let mayNotFetch = isUnknown(403)
  static let isNoJSON = Answer(400, message: "The body has to be a JSON object")
  static let hasNoToken = Answer(
    400, message: "push_token is missing. Run \"homeward pair --relay\" on the board")
  static let hasNoMessage = Answer(400, message: "The notification has no message")
  static let isNoQuestion = Answer(
    400, message: "The body has to be {\"acknowledged\": NUMBER, \"public_key\": \"BASE64\"}")
  static let isTooLarge = Answer(
    413, message: "The notification is too large for the relay: send less text or data")
  static let isAmbiguous = Answer(
    400, message: "The headers do not say clearly how long the body is")
  static let isNotThere = Answer(
    404,
    message: """
      A relay has /push, /fetch, /healthz and /metrics. The address that Home Assistant has of it must \
      end in /push: look at push.relay on the board, and at the proxy
      """)
  static let isNotAllowed = Answer(405, message: "This address does not take that method")
  static let isIll = Answer(503) { $0.appendMember("status", "the store keeps nothing now") }
  /// The server works, with this limit of a board's day.
  static func isWell(notificationsADay: Int64) -> Answer {
    Answer(200) { body in
      body.appendMember("status", "ok")
      body.appendMember("notifications_a_day", notificationsADay)
    }
  }
  static let stops = Answer(503) { $0.appendMember("errorMessage", "the relay is stopping") }

  /// The store keeps nothing now. Home Assistant puts "please try again later" before it.
  static func failed(_ failure: StoreFailure) -> Answer {
    Answer(503) { body in
      body.appendMember("errorMessage", Array("the relay's store: \(failure)".utf8).span)
    }
  }
}

extension SealedNotification {
  fileprivate func write(into body: inout ByteBuffer) {
    body.openJSONObject()
    body.appendMember("number", number)
    body.appendMember("arrived", Text(iso8601: arrived).bytes.span)
    body.appendMember("sealed") { body in
      body.appendJSON(written: [UInt8(ascii: "\"")])
      let start = body.count
      body.append(sealed)
      Base64.encodeTail(of: &body, from: start)
      body.append(UInt8(ascii: "\""))
    }
    body.closeJSONObject()
  }
}
