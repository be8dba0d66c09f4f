import Bytes

/// Rate limiter of the events with history: their size, and the time of the next one.
///
/// Events grow while answers come soon and shrink otherwise, so that on a weak link an event does
/// not delay fresh data. An event that was not proven may have arrived, so it is repeated
/// unchanged, and Home Assistant's users can recognise it; only a second failure makes it smaller.
struct HistoryRateLimiter {
  static let smallestByteCount = 1024
  static let firstByteCount = 4 * 1024
  /// Transfer time above which an event was too large.
  static let longestTransfer: Duration = .seconds(5)
  /// Transfer time up to which the next event is larger.
  static let shortTransfer: Duration = .seconds(2)

  /// Maximum data rate of history, at least `smallestByteCount`; nil without a limit.
  private let bytesPerMinute: Int?
  /// Maximum size of an event.
  private(set) var byteCount = firstByteCount
  private var sentAt: Instant?
  /// Maximum size of the next event once this one is proven.
  private var nextByteCount = firstByteCount
  /// Whether the last event was not answered.
  private var hasFailed = false
  /// Earliest time of the next event.
  private(set) var nextAt = Instant(nanoseconds: .min)

  init(bytesPerMinute: Int?) { self.bytesPerMinute = bytesPerMinute }

  /// Records that an event of `byteCount` bytes on the link is sent.
  mutating func sent(byteCount: Int, now: Instant) {
    sentAt = now
    nextByteCount = self.byteCount
    guard let bytesPerMinute else { return }
    nextAt = now + .seconds(60) * Double(byteCount) / Double(bytesPerMinute)
  }

  /// Records the answer of Home Assistant, or of a proxy in its place.
  mutating func answered(now: Instant) {
    guard let sentAt else { return }
    self.sentAt = nil
    if now - sentAt > Self.longestTransfer {
      nextByteCount = max(byteCount / 2, Self.smallestByteCount)
    } else if now - sentAt <= Self.shortTransfer {
      nextByteCount = min(byteCount * 2, HistoryChunk.byteCountMax)
    }
  }

  mutating func proven() {
    byteCount = nextByteCount
    hasFailed = false
  }

  mutating func failed() {
    guard sentAt != nil else { return }
    sentAt = nil
    if hasFailed { byteCount = max(byteCount / 2, Self.smallestByteCount) }
    hasFailed = true
  }
}
