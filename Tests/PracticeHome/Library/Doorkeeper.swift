/// Counts failed logins, and shuts the door for good where Home Assistant would.
struct Doorkeeper: Sendable {
  /// Nil if the door never shuts.
  let threshold: Int?
  /// Since the last success; time does not lower it.
  private(set) var failureCount = 0
  /// No success opens it again, and no restart.
  private(set) var isShut = false

  init(threshold: Int?) { self.threshold = threshold }

  mutating func noteFailure() {
    failureCount += 1
    if let threshold, failureCount >= threshold { isShut = true }
  }

  /// A completed login or an accepted WebSocket; a token that was merely right does not count.
  mutating func noteSuccess() { failureCount = 0 }
}
