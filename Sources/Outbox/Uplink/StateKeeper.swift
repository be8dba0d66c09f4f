import Bytes
import HomeAssistant

/// Data other than the spool that must survive a restart, until it is on the disk.
///
/// Invariants:
/// 1. Data that could not be written stays here, and is tried again with every cycle.
/// 2. Accepted and rejected credentials are written first.
/// 3. At most one write is in progress.
/// 4. A failure is reported once, until a write succeeds or there is new data.
struct StateKeeper {
  private var registration: Registration?
  /// Accepted and rejected credentials.
  private var verdicts: [Uplink.StateWrite] = []
  private var keyless: Registration?
  /// Whether a write should be tried now.
  private var isDue = false
  private var underWay: Uplink.StateWrite?
  /// Reported cause of the last failed write.
  private var told: [UInt8] = []
  private var untold: [UInt8]?

  /// Whether all data is stored.
  var isEmpty: Bool { verdicts.isEmpty && registration == nil }

  // MARK: Events

  mutating func keep(_ write: Uplink.StateWrite) {
    switch write {
    case .registration(let registration): self.registration = registration
    case .rejection, .acceptance: verdicts.append(write)
    case .keyless(let registration): keyless = registration
    }
    told = []
    isDue = true
  }

  mutating func retryDue() { isDue = true }

  /// Handles a successful write, or check whether one is possible.
  mutating func written() {
    switch underWay.take() {
    case .registration: registration = nil
    case .rejection, .acceptance: verdicts.removeFirst()
    case .keyless: keyless = nil
    case nil: told = []
    }
  }

  /// Handles a failed write, with its cause in words for people.
  mutating func failed(_ words: [UInt8]) {
    if case .keyless = underWay.take() { keyless = nil }
    isDue = false
    tell(words)
  }

  /// Reports another failure of the directory once, with its cause in words for people.
  mutating func tell(_ words: [UInt8]) {
    guard words != told else { return }
    told = words
    untold = words
  }

  // MARK: Actions

  mutating func nextAction() -> Uplink.Action? {
    nextWrite().map { .write($0) } ?? untold.take().map { .tell(.stateFailed(words: $0)) }
  }

  private mutating func nextWrite() -> Uplink.StateWrite? {
    guard isDue, underWay == nil else { return nil }
    underWay =
      verdicts.first ?? registration.map { .registration($0) } ?? keyless.map { .keyless($0) }
    isDue = underWay != nil
    return underWay
  }

  /// Returns the rejected tokens of the disk, with those that are not written yet.
  func completed(_ rejected: RejectedTokens, now: Instant) -> RejectedTokens {
    var rejected = rejected
    for case .rejection(let fingerprint, let isForGood) in verdicts {
      rejected.insert(fingerprint: fingerprint, isForGood: isForGood, now: now)
    }
    return rejected
  }
}
