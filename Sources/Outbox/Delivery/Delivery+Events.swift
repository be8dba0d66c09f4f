public import Bytes
import HomeAssistant
public import Sensing

// Events of the sources and the network. The batch stores the latest readings and fix, the history
// all of them.

extension Delivery {
  // MARK: Sources

  /// Stores a reading, if its value differs from the one before.
  public func record(_ reading: Reading) {
    guard batch.record(reading) else { return }
    history.record(reading)
  }

  public func record(_ fix: Fix) {
    batch.record(fix)
    history.record(fix)
  }

  /// Postpones the recorded entries to the next upload. If that takes long, they are written to the
  /// disk at an existing cycle: writing wakes no processor.
  func uploadPutOff(now: Instant) {
    if openBatch.uploadPutOff(now: now) { history.writeBatch() }
  }

  /// Makes all states due in the next cycle.
  func restatementWanted() { restatementDueAt = Instant(nanoseconds: 0) }

  /// Stores the result of a command until Home Assistant is proven to have it.
  func report(_ result: CommandResult) {
    cycle.results.append(result)
    hasNewResult = true
  }

  var commandResults: CommandResults { cycle.results }

  /// Whether a change or a result must be sent without waiting for an upload.
  var hasUrgentNews: Bool { batch.hasUrgentChange || cycle.results.count > 0 }

  // MARK: Network

  /// Handles a message without an answer: the connection failed, or the answer came too late.
  public func connectionFailed(_ reason: InlineText, now: Instant) {
    guard case .underWay(_, let route, let carrier) = state else { return }
    carriers.ended(carrier, isAnswered: false)
    failed(.noConnection(reason), over: route, now: now)
  }

  /// Handles a look at the connections between two cycles.
  func connectionLooked(isHTTPKept: Bool) {
    if !carriers.isConnectionKept(isHTTPKept: isHTTPKept) { connectionEnded() }
  }

  /// Handles the end of the connection between two cycles: Home Assistant may have restarted, and
  /// shows sensors with values from its memory.
  public func connectionEnded() {
    guard isIdle else { return }
    batch.doubtAcknowledgements()
    cycle.serverDoubted()
  }

  /// Handles the board's arrival or departure, and makes the next attempt of an outage earlier.
  public func presenceChanged(_ presence: HomeNetworks.Presence, now: Instant) {
    chooseRoute { $0.presenceChanged(presence, now: now) }
    let route = routes.current?.route
    switch state {
    case .resting where route != nil:
      outage.tryEarlier(now: now)
      beginIfDue(now: now)
    // The message must not be sent over a route that is not allowed now.
    case .due(_, let former) where former != route:
      batch.forgetDeclined()
      history.chunkFailed()
      begin(now: now)
    case .resting, .due, .underWay: break
    }
  }

  /// Handles a change of the WebSocket. An open one shows that Home Assistant can be reached,
  /// whatever the last attempt showed.
  public func webSocketChanged(isOpen: Bool, now: Instant) {
    let wasOpen = carriers.isWebSocketOpen
    carriers.webSocketChanged(isOpen: isOpen)
    guard isOpen, !wasOpen else { return }
    outage.tryEarlier(now: now)
    retry(now: now)
  }

  /// Handles a WebSocket that cannot send the message: it is sent over HTTP.
  public func postRefused() {
    guard case .underWay(let message, let route, .webSocket) = state else { return }
    carriers.webSocketChanged(isOpen: false)
    state = .due(message, over: route)
  }

  /// Handles a link that is back, or if `isOther`, another network.
  func networkChanged(isOther: Bool, now: Instant) {
    outage.networkChanged(isOther: isOther, now: now)
    retry(now: now)
  }

  /// Begins the next attempt of an outage, if it is due, over routes that failed before, too.
  private func retry(now: Instant) {
    guard case .resting = state, outage.isUnderWay else { return }
    chooseRoute { $0.retryDue(now: now) }
    beginIfDue(now: now)
  }

  private func beginIfDue(now: Instant) {
    if let retryAt = outage.deadline, now >= retryAt { begin(now: now) }
  }

  /// Changes the routes. Another route may lead to another Home Assistant.
  func chooseRoute(_ change: (inout Routes) -> Void) {
    let former = routes.current?.route
    change(&routes)
    if routes.current?.route != former { cycle.serverDoubted() }
  }
}
