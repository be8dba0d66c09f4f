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
  private enum Item { case registration, verdict, keyless }

  /// Acceptance or rejection of a credential.
  private struct Verdict {
    let fingerprint: [UInt8]
    let isAccepted: Bool
  }

  private var registration: Registration?
  private var verdicts: [Verdict] = []
  private var keyless: Registration?
  /// Whether a write should be tried now.
  private var isDue = false
  private var underWay: Item?
  /// Reported cause of the last failed write.
  private var told: [UInt8] = []
  private var untold: [UInt8]?

  /// Whether all data is stored.
  var isEmpty: Bool { verdicts.isEmpty && registration == nil }

  // MARK: Events

  mutating func keep(_ registration: Registration) {
    self.registration = registration
    haveNews()
  }

  mutating func keep(rejectedFingerprint fingerprint: [UInt8]) {
    verdicts.append(Verdict(fingerprint: fingerprint, isAccepted: false))
    haveNews()
  }

  mutating func forget(rejectedFingerprint fingerprint: [UInt8]) {
    verdicts.append(Verdict(fingerprint: fingerprint, isAccepted: true))
    haveNews()
  }

  mutating func keepKeyless(_ registration: Registration) {
    keyless = registration
    haveNews()
  }

  private mutating func haveNews() {
    told = []
    isDue = true
  }

  mutating func retryDue() { isDue = true }

  /// Handles a successful write, or check whether one is possible.
  mutating func written() {
    switch underWay.take() {
    case .registration: registration = nil
    case .verdict: verdicts.removeFirst()
    case .keyless: keyless = nil
    case nil: told = []
    }
  }

  /// Handles a failed write, with its cause in words for people.
  mutating func failed(_ words: [UInt8]) {
    if underWay.take() == .keyless { keyless = nil }
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

  enum Action {
    /// Write the data; ends with `written` or `failed`.
    case write(Uplink.StateWrite)
    case tell(words: [UInt8])
  }

  mutating func nextAction() -> Action? {
    if let write = nextWrite() { return .write(write) }
    return untold.take().map { .tell(words: $0) }
  }

  private mutating func nextWrite() -> Uplink.StateWrite? {
    guard isDue, underWay == nil else { return nil }
    if let verdict = verdicts.first {
      underWay = .verdict
      let fingerprint = verdict.fingerprint
      return verdict.isAccepted
        ? .acceptance(fingerprint: fingerprint) : .rejection(fingerprint: fingerprint)
    }
    if let registration {
      underWay = .registration
      return .registration(registration)
    }
    if let keyless {
      underWay = .keyless
      return .keyless(keyless)
    }
    isDue = false
    return nil
  }

  /// Returns the rejected tokens of the disk, with those that are not written yet.
  func completed(
    _ rejected: RejectedTokens, isForGood: Bool, now: Instant
  ) -> RejectedTokens {
    var rejected = rejected
    for verdict in verdicts where !verdict.isAccepted {
      rejected.insert(fingerprint: verdict.fingerprint, isForGood: isForGood, now: now)
    }
    return rejected
  }
}
