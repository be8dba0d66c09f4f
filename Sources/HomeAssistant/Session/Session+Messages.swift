public import Bytes

// MARK: Messages of Home Assistant

extension Session {
  /// Reports a text message. The caller keeps it until there are no more actions, which refer to
  /// it.
  public mutating func received(_ text: Span<UInt8>, now: Instant) {
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
      reject(Self.text(message.words, in: text), now: now)
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
    guard let index = table.index(ofWireID: wireID) else { return }
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

  /// Ends an unwanted subscription, once; events may already be on their way.
  mutating func unsubscribe(_ wireID: Int64) {
    guard !unsubscribed.contains(wireID) else { return }
    if unsubscribed.count == Self.unsubscribedMax { unsubscribed.removeFirst() }
    unsubscribed.append(wireID)
    enqueue(.unsubscribe(wireID: wireID))
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
