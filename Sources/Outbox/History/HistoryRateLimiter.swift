import Bytes

/// How large the events with history are, and when the next one may go.
///
/// Events grow while they are answered soon and shrink when they are not, so that a weak link is
/// not held by one when there is something fresh to tell. One that was not proven may have arrived,
/// so it is sent again as it was, for Home Assistant's users to know it again; only then it is cut.
/// Where the configuration says how much history may take of the link, the next one waits until the
/// last one is within that.
struct HistoryRateLimiter {
  static let smallestByteCount = 1024
  static let firstByteCount = 4 * 1024
  /// An event that takes longer was too large.
  static let longestTransfer: Duration = .seconds(5)
  /// After one that takes no longer the next one is larger.
  static let shortTransfer: Duration = .seconds(2)

  private let bytesPerMinute: Int?
  /// What an event may take.
  private(set) var byteCount = firstByteCount
  private var sentAt: Instant?
  /// What the next one may take once this one is proven.
  private var nextByteCount = firstByteCount
  /// The last one was not answered.
  private var hasFailed = false
  /// Before then nothing is sent.
  private(set) var nextAt = Instant(nanoseconds: .min)

  /// - Parameter bytesPerMinute: what history may take of the link, at least `smallestByteCount`;
  ///   nil where it may take all of it.
  init(bytesPerMinute: Int?) { self.bytesPerMinute = bytesPerMinute }

  /// An event is sent, which takes so many bytes of the link.
  mutating func sent(byteCount: Int, now: Instant) {
    sentAt = now
    nextByteCount = self.byteCount
    guard let bytesPerMinute else { return }
    nextAt = now + .seconds(60) * Double(byteCount) / Double(bytesPerMinute)
  }

  /// Home Assistant, or a proxy in its place, answered it.
  mutating func answered(now: Instant) {
    guard let sentAt else { return }
    self.sentAt = nil
    if now - sentAt > Self.longestTransfer {
      nextByteCount = max(byteCount / 2, Self.smallestByteCount)
    } else if now - sentAt <= Self.shortTransfer {
      nextByteCount = min(byteCount * 2, HistoryChunk.byteCountMax)
    }
  }

  /// Home Assistant has it.
  mutating func proven() {
    byteCount = nextByteCount
    hasFailed = false
  }

  /// No proof came.
  mutating func failed() {
    guard sentAt != nil else { return }
    sentAt = nil
    if hasFailed { byteCount = max(byteCount / 2, Self.smallestByteCount) }
    hasFailed = true
  }
}
