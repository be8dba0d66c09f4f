public import Bytes
public import HomeAssistant

// What is asked of Home Assistant and told to it beside readings. None of it holds up a reading:
// what goes wrong with it is told, and the cycle goes on.

extension Delivery {
  /// Home Assistant, or somebody in its place, answered the question for a key. One that came is
  /// the registration's from now on, and was kept by the caller before this is called.
  public mutating func keyAnswered(
    _ result: Webhook.EnableEncryption.Result, now: Instant
  ) -> Message? {
    guard case .awaitingAnswer(.key, _) = state else { return nil }
    switch result {
    case .enabled:
      keyQuest.succeeded()
      tell(.sealed)
    case .notAvailable:
      keyQuest.gaveUp()
      tell(.sealingImpossible)
    case .alreadyEnabled: return failed(.encryptionRequired, now: now)
    case .unanswered(let answer): return failed(OutageCause(answer), now: now)
    }
    return next(now: now)
  }

  /// A key that came now could not be kept. It is asked for the next time.
  public mutating func keyPostponed(now: Instant) -> Message? {
    guard case .awaitingAnswer(.key, _) = state else { return nil }
    return next(now: now)
  }

  mutating func configurationAnswered(_ content: Span<UInt8>, now: Instant) {
    do throws(JSONDecodingError) {
      let configuration = try Webhook.ServerConfiguration(content)
      let isDisabled = try Webhook.ServerConfiguration.isDisabled(trackerID, in: content)
      acquaintance.learn(configuration, now: now)
      addressesTold(
        cloudhook: configuration.cloudhookURL, remoteUI: configuration.remoteUIURL, now: now)
      tell(.acquainted(configuration))
      // One that is not there yet comes with the first location.
      if let isDisabled { tellTracker(isMissing: isDisabled) }
    } catch {
      acquaintance.learnNothing(now: now)
      tell(.configurationUnreadable)
    }
  }

  mutating func registrationAnswered(_ content: Span<UInt8>) {
    guard let told = untold, (try? Webhook.UpdateRegistration.read(content)) != nil else {
      return registrationDropped()
    }
    untold = nil
    tell(.registrationTold(fingerprint: told.fingerprint))
  }

  /// It would be dropped again; the next start of the agent tries it again.
  mutating func registrationDropped() {
    untold = nil
    tell(.registrationDropped)
  }

  /// The answer says nothing; now and then the location is looked up.
  mutating func locationAnswered(now: Instant) -> Message? {
    if acquaintance.isReadBackDue { return send(.readBack, now: now) }
    acquaintance.trust()
    return send(.states, now: now)
  }

  mutating func readBackAnswered(_ content: Span<UInt8>, now: Instant) {
    guard let sent = cycle.sent else { preconditionFailure("only what was sent is looked up") }
    let verdict: Webhook.LocationReadBack.Verdict
    do throws(JSONDecodingError) {
      verdict = try Webhook.LocationReadBack.judge(content, of: sent.location, sent: now - sent.at)
    } catch {
      // A template that fails says nothing about the location, and would fail again.
      return acquaintance.lookedUp(isDropped: false)
    }
    acquaintance.lookedUp(isDropped: verdict == .dropped)
    cycle.isLocationLost = verdict == .dropped || verdict == .noTracker
    if verdict == .dropped { tell(.locationDropped) }
    tellTracker(isMissing: verdict == .noTracker)
  }

  private mutating func tellTracker(isMissing: Bool) {
    guard acquaintance.learn(isTrackerMissing: isMissing) else { return }
    tell(isMissing ? .trackerMissing : .trackerFound)
  }
}
