public import Bytes

// MARK: Requests of the program

extension Session {
  /// Adds a request. `members` is the JSON of its members beside `id`, with the type:
  /// `"type":"get_config"`.
  public mutating func request(
    members: [UInt8], retry: Retry, now: Instant
  ) -> RequestID {
    add(.single(retry), members: members, now: now)
  }

  /// Adds a subscription, which is repeated on every connection if `isResubscribed`.
  public mutating func subscribe(
    members: [UInt8], isResubscribed: Bool, now: Instant
  ) -> RequestID {
    add(.subscription(isResubscribed: isResubscribed), members: members, now: now)
  }

  /// Subscribes again on this connection: Home Assistant drops some subscriptions silently. The old
  /// subscription delivers events until the new one is confirmed, and then ends.
  public mutating func resubscribe(_ id: RequestID) {
    guard let index = table.index(of: id) else { return }
    if table.entries[index].isStarted {
      table.markReplaced(at: index)
    } else if table.entries[index].isRefused {
      table.markUnsent(at: index)
    }
  }

  /// Ends a request or a subscription. Actions for it that are due already still come.
  public mutating func cancel(_ id: RequestID) {
    guard let index = table.index(of: id) else { return }
    let entry = table.entries[index]
    table.remove(at: index)
    guard entry.isSubscription else { return }
    if let replaced = entry.replacedWireID { unsubscribe(replaced) }
    if let wireID = entry.wireID { unsubscribe(wireID) }
  }

  private mutating func add(
    _ kind: RequestTable.Kind, members: [UInt8], now: Instant
  ) -> RequestID {
    let id = table.add(kind, members: members, now: now)
    if isRejected { endImpatientRequests(now: now) }
    if policy.connectsAutomatically, case .down(.idle) = phase { beginAttempt(now: now) }
    return id
  }

  /// Ends all requests with a time limit: the time of the next token is unknown.
  mutating func endImpatientRequests(now: Instant) {
    endRequests(.rejected, now: now) { !$0.isPatient }
  }
}

// MARK: Messages of Home Assistant

extension Session {
  /// Reports a text message. The caller keeps it until there are no more actions, which refer to
  /// it.
  public mutating func received(_ text: Span<UInt8>, now: Instant) {
    keepAlive.heard(now: now)
    do throws(JSONError) {
      var messages = try ServerMessages(text)
      while let message = try messages.next() { received(message, in: text, now: now) }
    } catch {
      unreadableCount += 1
    }
  }

  private mutating func received(
    _ message: ServerMessage, in text: Span<UInt8>, now: Instant
  ) {
    switch (phase, message.kind) {
    case (.authenticating, .authOK): accepted(message, in: text, now: now)
    case (.authenticating, .authInvalid):
      reconnection.loginAnswered()
      let words = Self.text(message.words, in: text)
      reject(words, TokenVerdict(authInvalid: words), now: now)
    case (.ready, .result): resultReceived(message, now: now)
    case (.ready, .event): eventReceived(message, now: now)
    case (.ready, .pong):
      if let id = message.id { keepAlive.pongReceived(id: id, now: now) }
      finish(message, .success(nil))
    case (_, .authRequired): break
    default: unreadableCount += 1
    }
  }

  private mutating func accepted(
    _ message: ServerMessage, in text: Span<UInt8>, now: Instant
  ) {
    let version = ServerVersion(Self.text(message.version, in: text))
    tokenReason = .connect
    reconnection.loginAnswered()
    keepAlive.start(now: now)
    enter(.ready(version, since: now))
    if policy.coalescesMessages { enqueue(.offerFeatures) }
  }

  private mutating func resultReceived(_ message: ServerMessage, now: Instant) {
    guard let wireID = message.id else { return unreadableCount += 1 }
    // A server that refuses a ping is alive too.
    keepAlive.pongReceived(id: wireID, now: now)
    // Cancelled requests, and the session's own messages, have no entry.
    guard let index = table.index(ofWireID: wireID) else {
      return resultWithoutEntryReceived(wireID, isSuccess: message.isSuccess)
    }
    let outcome: SessionOutcome =
      message.isSuccess ? .success(message.result) : .refused(message.error)
    guard table.entries[index].isSubscription else { return finish(message, outcome) }
    guard message.isSuccess else { return subscriptionFailed(at: index, outcome, now: now) }
    enqueue(.started(table.entries[index].id, outcome))
    if let replaced = table.entries[index].replacedWireID { unsubscribe(replaced) }
    table.markStarted(at: index)
  }

  /// Handles a subscription that was refused, or not confirmed in time. It is retried later, unless
  /// it is for this connection only.
  mutating func subscriptionFailed(at index: Int, _ outcome: SessionOutcome, now: Instant) {
    let entry = table.entries[index]
    guard entry.isPatient else {
      table.remove(at: index)
      return enqueue(.finished(entry.id, outcome))
    }
    table.markRefused(at: index)
    watchComponentsOnce(now: now)
    enqueue(.started(entry.id, outcome))
  }

  private mutating func finish(_ message: ServerMessage, _ outcome: SessionOutcome) {
    guard let wireID = message.id, let index = table.index(ofWireID: wireID) else { return }
    enqueue(.finished(table.entries[index].id, outcome))
    table.remove(at: index)
  }

  private mutating func eventReceived(_ message: ServerMessage, now: Instant) {
    guard let wireID = message.id, let event = message.event else { return unreadableCount += 1 }
    if let index = table.index(ofWireID: wireID) {
      enqueue(.event(table.entries[index].id, event))
    } else if watch.isToldBy(wireID) {
      retrySubscriptionsAt = now + policy.resubscribeDelay
    } else {
      unsubscribe(wireID)
    }
  }

  /// Subscribes to the loading of components: Home Assistant may refuse a subscription only until
  /// it has loaded a component, such as the push channel during its start. The component may be
  /// loaded before this subscription, so one retry is always scheduled.
  private mutating func watchComponentsOnce(now: Instant) {
    guard watch == .none else { return }
    watch = .wanted
    enqueue(.watchComponents)
    retrySubscriptionsAt = now + policy.resubscribeDelay
  }

  private static func text(_ place: Range<Int>?, in text: Span<UInt8>) -> Text {
    guard let place, case .text(let text) = try? JSON(parsing: text.extracting(place)) else {
      return "unknown"
    }
    return text
  }
}

/// Message of Home Assistant's WebSocket, as positions in its text.
///
/// The members come in any order; `id` is the last one of an event.
struct ServerMessage {
  enum Kind { case authRequired, authOK, authInvalid, result, event, pong }

  var kind: Kind?
  var id: Int64?
  var isSuccess = false
  /// Positions of the values of `result`, `event` and `error`.
  var result: Range<Int>?
  var event: Range<Int>?
  var error: Range<Int>?
  /// Positions of the strings of `ha_version` and `message`.
  var version: Range<Int>?
  var words: Range<Int>?
}

/// Messages of one frame: an object, or an array of objects if the client allowed it.
struct ServerMessages: ~Escapable {
  private let text: Span<UInt8>
  private var reader: JSONReader
  private var isArray = false
  private var isDone = false

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) throws(JSONError) {
    self.text = text
    reader = JSONReader(text)
    isArray = try reader.nextKind() == .array
    if isArray { try reader.openArray() }
  }

  /// Returns the next message, or nil at the end. Other values than objects are skipped.
  mutating func next() throws(JSONError) -> ServerMessage? {
    while !isDone {
      if isArray {
        guard try reader.nextElement() else { break }
      } else {
        isDone = true
      }
      if try reader.nextKind() == .object { return try readMessage() }
      try reader.skipValue()
    }
    if isArray { isDone = true }
    try reader.finish()
    return nil
  }

  private mutating func readMessage() throws(JSONError) -> ServerMessage {
    var message = ServerMessage()
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if key.elementsEqual("id"), kind == .number {
        // A number that is too large or has a fraction belongs to no request.
        message.id = try reader.integerIfWhole()
      } else if key.elementsEqual("success"), kind == .boolean {
        message.isSuccess = try reader.boolean()
      } else if key.elementsEqual("type"), kind == .string {
        message.kind = ServerMessage.Kind(try reader.text())
      } else if key.elementsEqual("result") {
        message.result = try reader.skipValue()
      } else if key.elementsEqual("event") {
        message.event = try reader.skipValue()
      } else if key.elementsEqual("error"), kind == .object {
        message.error = try reader.skipValue()
      } else if key.elementsEqual("ha_version"), kind == .string {
        message.version = try reader.skipValue()
      } else if key.elementsEqual("message"), kind == .string {
        message.words = try reader.skipValue()
      } else {
        try reader.skipValue()
      }
    }
    return message
  }
}

extension ServerMessage.Kind {
  fileprivate init?(_ name: JSONReader.Text) {
    if name.elementsEqual("event") {
      self = .event
    } else if name.elementsEqual("result") {
      self = .result
    } else if name.elementsEqual("pong") {
      self = .pong
    } else if name.elementsEqual("auth_required") {
      self = .authRequired
    } else if name.elementsEqual("auth_ok") {
      self = .authOK
    } else if name.elementsEqual("auth_invalid") {
      self = .authInvalid
    } else {
      return nil
    }
  }
}
