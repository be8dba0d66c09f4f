public import Bytes
public import HomeAssistant
import Sensing

// What is asked of Home Assistant and told to it beside readings. None of it holds up a reading:
// what goes wrong with it is told, and the cycle goes on.

extension Delivery {
  /// Home Assistant, or a server in its place, answered the question for a key. One that came is
  /// the registration's from now on, and was kept by the caller before this is called.
  public mutating func keyAnswered(_ result: Webhook.EnableEncryption.Result, now: Instant) {
    guard case .awaitingAnswer(.key, _) = state else { return }
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
    next(now: now)
  }

  /// A key that came now could not be kept. It is asked for the next time.
  public mutating func keyPostponed(now: Instant) {
    guard case .awaitingAnswer(.key, _) = state else { return }
    next(now: now)
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
    guard let told = untold, let device = try? Webhook.UpdateRegistration.read(content),
      told.isKnown(by: device)
    else { return registrationDropped() }
    cycle.toldFingerprint = told.fingerprint
  }

  /// It would be dropped again; the next start of the agent tries it again.
  mutating func registrationDropped() {
    untold = nil
    tell(.registrationDropped)
  }

  /// The answer says nothing; now and then the location is looked up.
  mutating func locationAnswered(now: Instant) {
    if acquaintance.isReadBackDue { return send(.readBack, now: now) }
    acquaintance.trust()
    send(.states, now: now)
  }

  mutating func readBackAnswered(_ content: Span<UInt8>, now: Instant) {
    guard let sent = cycle.sent, let challenge else {
      preconditionFailure("only what was sent is looked up")
    }
    guard challenge.isRepeated(asKeyOf: content) else { return failed(.otherAnswer, now: now) }
    let verdict: Webhook.LocationReadBack.Verdict
    do throws(JSONDecodingError) {
      verdict = try Webhook.LocationReadBack.judge(
        content, to: challenge, of: sent.location, sent: now - sent.at)
    } catch {
      // A template that fails says nothing about the location, and would fail again.
      acquaintance.lookedUp(isDropped: false)
      return send(.states, now: now)
    }
    acquaintance.lookedUp(isDropped: verdict == .dropped)
    cycle.isTrackerMissing = verdict == .noTracker
    if verdict == .dropped { locationDropped(sent.fix) }
    tellTracker(isMissing: verdict == .noTracker)
    send(.states, now: now)
  }

  /// Home Assistant would not take it the next time either: it goes as history, and is counted
  /// among what could not be sent in its time.
  private mutating func locationDropped(_ fix: Fix) {
    cycle.sent = nil
    if batch.fix == fix { batch.dropFix() }
    tell(.locationDropped)
  }

  private mutating func tellTracker(isMissing: Bool) {
    guard acquaintance.learn(isTrackerMissing: isMissing) else { return }
    tell(isMissing ? .trackerMissing : .trackerFound)
  }
}
