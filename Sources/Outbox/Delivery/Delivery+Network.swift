public import Bytes
public import Sensing

// What a change of the network, or of the supply, means for messages.

extension Delivery {
  /// The message that is under way had no answer: there is no connection, or none came in time.
  public func connectionFailed(_ reason: InlineText, now: Instant) {
    guard case .awaitingAnswer(_, let route) = state else { return }
    failed(.noConnection(reason), over: route, now: now)
  }

  /// The connection ended between two cycles: Home Assistant may have restarted, and shows sensors
  /// as it remembers them.
  public func connectionEnded() {
    guard isIdle else { return }
    batch.doubtAcknowledgements()
    cycle.serverDoubted()
  }

  /// The board came home or left. What waits for the end of an outage is tried earlier.
  public func presenceChanged(_ presence: HomeNetworks.Presence, now: Instant) {
    chooseRoute { $0.presenceChanged(presence, now: now) }
    let route = routes.current?.route
    switch state {
    case .resting where route != nil:
      outage.tryEarlier(now: now)
      beginIfDue(now: now)
    // It is not sent over a way that may not be taken any more.
    case .messageDue(_, let former) where former != route:
      batch.forgetDeclined()
      history.chunkFailed()
      begin(now: now)
    case .resting, .messageDue, .awaitingAnswer: break
    }
  }

  /// Messages leave through another network, or there is one again: what waits for the end of an
  /// outage is tried earlier.
  public func networkChanged(now: Instant) { tryEarlier(now: now) }

  /// Home Assistant takes the WebSocket: it is within reach, whatever the last attempt found.
  public func webSocketOpened(now: Instant) { tryEarlier(now: now) }

  private func tryEarlier(now: Instant) {
    guard case .resting = state, outage.isUnderWay else { return }
    chooseRoute { $0.retryDue(now: now) }
    outage.tryEarlier(now: now)
    beginIfDue(now: now)
  }

  /// On a battery the attempts of an outage become ever rarer; on mains each cycle makes one.
  /// Returns whether it was otherwise before.
  public func supplyChanged(isOnBattery: Bool, now: Instant) -> Bool {
    outage.supplyChanged(isOnBattery: isOnBattery, now: now)
  }

  private func beginIfDue(now: Instant) {
    if let retryAt = outage.deadline, now >= retryAt { begin(now: now) }
  }

  /// At the end of another route there may be another Home Assistant.
  func chooseRoute(_ change: (inout Routes) -> Void) {
    let former = routes.current?.route
    change(&routes)
    if routes.current?.route != former { cycle.serverDoubted() }
  }
}
