import Bytes
import HomeAssistant

/// What must outlive a restart beside the spool, until it is on the disk.
///
/// Invariants:
/// 1. What could not be written stays here, and is tried again with every cycle.
/// 2. What became of a credential is written before anything else.
/// 3. At most one write is under way.
/// 4. A failure is told once, until a write succeeds or there is something new to write.
struct StateKeeper {
  private enum Item { case registration, verdict, keyless, probe }

  /// Whether a credential was accepted or rejected.
  private struct Verdict {
    let fingerprint: [UInt8]
    let isAccepted: Bool
  }

  private var registration: Registration?
  private var verdicts: [Verdict] = []
  private var keyless: Registration?
  /// Whether a caller waits for `isWritable`.
  private var isProbed = false
  /// Whether a write is worth an attempt now.
  private var isDue = false
  private var underWay: Item?
  /// The answer for the caller that waits.
  private var isWritable: Bool?
  /// Why the last write failed, which was told.
  private var told: [UInt8] = []
  private var untold: [UInt8]?

  /// Whether nothing is left that only this process knows.
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

  /// What could not be written may be possible now.
  mutating func retryDue() { isDue = true }

  /// A caller needs to know whether something could be written now: `.probed` answers.
  mutating func probe() {
    isProbed = true
    isWritable = nil
    isDue = true
  }

  /// What was to be written is on the disk.
  mutating func written() {
    switch underWay.take() {
    case .registration: registration = nil
    case .verdict: verdicts.removeFirst()
    case .keyless: keyless = nil
    case .probe:
      isProbed = false
      isWritable = true
      told = []
    case nil: break
    }
  }

  /// It is not, and this is why, in words for people.
  mutating func failed(_ words: [UInt8]) {
    if underWay.take() == .keyless { keyless = nil }
    isDue = false
    if isProbed {
      isProbed = false
      isWritable = false
    }
    tell(words)
  }

  /// The tokens that were rejected could not be read, and this is why.
  mutating func readFailed(_ words: [UInt8]) { tell(words) }

  private mutating func tell(_ words: [UInt8]) {
    guard words != told else { return }
    told = words
    untold = words
  }

  // MARK: What is to be done

  enum Action {
    /// It ends with `written` or `failed`.
    case write(Uplink.StateWrite)
    case tell(words: [UInt8])
    /// For the caller of `probe`.
    case probed(isWritable: Bool)
  }

  mutating func nextAction() -> Action? {
    if let write = nextWrite() { return .write(write) }
    if let words = untold.take() { return .tell(words: words) }
    return isWritable.take().map { .probed(isWritable: $0) }
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
    if isProbed {
      underWay = .probe
      return .probe
    }
    isDue = false
    return nil
  }

  /// The rejected tokens of the disk, and those that are not there yet.
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
