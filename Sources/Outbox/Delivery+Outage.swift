import Bytes
import HomeAssistant

// How a cycle ends: with a proof, over the next route, or in an outage.

extension Delivery {
  mutating func proven(now: Instant) {
    guard let route = routeUnderWay else { preconditionFailure("an answer is what proves") }
    state = .idle
    batchClosesAt = nil
    lastProvenAt = now
    backOff.succeeded()
    routes.proven(over: route)
    if route != lastRoute {
      lastRoute = route
      tell(.routeTaken(route))
    }
    while let sensor = batch.nextDeclined { registered(sensor, isWanted: false) }
    if let sent = cycle.sent { batch.acknowledgeFix(sent.fix) }
    if let fingerprint = cycle.toldFingerprint {
      untold = nil
      tell(.registrationTold(fingerprint: fingerprint))
    }
    if cycle.isHistoryAnswered { tell(.historyProven(entries: history.chunkProven())) }
    batch.forget(cycle.superseded)
    let isIncomplete = cycle.superseded != Batch.Superseded() || batch.hasUnanswered
    history.proven(upTo: cycle.mark, isIncomplete: isIncomplete)
    if let since = outage?.since ?? unregisteredSince {
      tell(.recovered(after: now - since, cycle.superseded))
    } else if cycle.superseded != Batch.Superseded() {
      tell(.superseded(cycle.superseded))
    }
    outage = nil
    unregisteredSince = nil
    tell(
      .proven(
        readings: cycle.acceptedReadings, hasLocation: cycle.sent != nil && !cycle.isTrackerMissing)
    )
  }

  /// What was sent was not proven. Over the next route, if there is one, it begins anew.
  mutating func failed(_ cause: Outage.Cause, now: Instant) {
    batch.forgetDeclined()
    if let failed = routeUnderWay, routes.failed(cause, over: failed, now: now) {
      tell(.routeFailed(failed, cause))
      // Another Home Assistant may be there.
      acquaintance.doubt()
      history.chunkFailed()
      begin(now: now)
    } else {
      outageContinues(cause, now: now)
    }
  }

  mutating func addressesTold(cloudhook: Text?, remoteUI: Text?, now: Instant) {
    choosingRoute {
      $0.addressesTold(cloudhook: cloudhook?.bytes, remoteUI: remoteUI?.bytes, now: now)
    }
  }

  mutating func outageContinues(_ cause: Outage.Cause, now: Instant) {
    history.chunkFailed()
    closeBatch()
    var current = outage ?? Outage(since: now)
    let delay = backOff.failed()
    state = .waiting(until: now + delay)
    // Without a route nothing was attempted.
    if cause != .noRoute { current.attemptedAt = now }
    if current.cause != cause {
      current.cause = cause
      tell(.outage(cause))
    }
    current.doubtfulSince = routes.isDoubtful ? current.doubtfulSince ?? now : nil
    if let since = current.doubtfulSince, !current.isDoubted, now - since >= doubtAfter {
      current.isDoubted = true
      tell(.registrationDoubted(after: now - since))
    }
    outage = current
  }
}
