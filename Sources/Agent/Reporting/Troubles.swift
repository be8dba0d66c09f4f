import Bytes
import Sensing

/// A record of the reported problems, so that the log on an SD card has each problem once in a
/// year, and a loose wire does not fill it.
///
/// Invariants:
/// 1. While a problem lasts each of its causes is reported once, in whatever order they return, and
/// at most `causesMax` of them.
/// 2. Of one topic at most `burst` messages are reported at once, and one an hour on average. The
/// end of a problem is reported if its beginning was.
struct Troubles {
  struct Topic: Equatable {
    enum Kind: Equatable {
      case outage, registration, route, way, webSocket, history, presence, power, source, refusal,
        state, command, notification, statistics
    }

    let kind: Kind
    let name: InlineText

    init(_ kind: Kind, _ name: InlineText = InlineText("")) {
      self.kind = kind
      self.name = name
    }
  }

  static let burst = 8
  static let pause: Duration = .seconds(3600)
  static let causesMax = 8
  /// More topics than a board has sources; those that do not fit are reported every time.
  static let topicsMax = 400

  private struct Trouble {
    let topic: Topic
    var allowance = Troubles.burst
    /// Instant from which the allowance grows.
    var growsSince: Instant
    var isUnderWay = false
    var isTold = false
    /// Checksums of the causes that were reported, or suppressed.
    var causes: [UInt32] = []
    var leftOut = 0
  }

  private var troubles: [Trouble] = []
  /// Number of problems that last now.
  private(set) var underWayCount = 0

  /// Records that a problem began, or has this cause. Returns the number of similar messages that
  /// were suppressed before this one; nil if the message is not to be reported.
  mutating func began(_ topic: Topic, _ cause: [UInt8], now: Instant) -> Int? {
    guard let index = index(of: topic, now: now) else { return 0 }
    let checksum = CRC32C(of: cause.span).value
    let known = troubles[index].causes
    if !troubles[index].isUnderWay { underWayCount += 1 }
    troubles[index].isUnderWay = true
    guard !known.contains(checksum), known.count < Self.causesMax else { return nil }
    troubles[index].causes.append(checksum)
    let leftOut = take(from: index, now: now)
    if leftOut != nil { troubles[index].isTold = true }
    return leftOut
  }

  /// Records the end of a problem. Returns whether to report it; without a known beginning, the end
  /// is new.
  mutating func ended(_ topic: Topic) -> Bool {
    guard let index = troubles.firstIndex(where: { $0.topic == topic }) else { return true }
    if troubles[index].isUnderWay { underWayCount -= 1 }
    defer {
      troubles[index].isUnderWay = false
      troubles[index].isTold = false
      troubles[index].causes.removeAll(keepingCapacity: true)
    }
    return troubles[index].isTold || !troubles[index].isUnderWay
  }

  /// Records an event without an end. Returns the same as `began`.
  mutating func happened(_ topic: Topic, now: Instant) -> Int? {
    guard let index = index(of: topic, now: now) else { return 0 }
    return take(from: index, now: now)
  }

  private mutating func index(of topic: Topic, now: Instant) -> Int? {
    if let index = troubles.firstIndex(where: { $0.topic == topic }) { return index }
    guard troubles.count < Self.topicsMax else { return nil }
    troubles.append(Trouble(topic: topic, growsSince: now))
    return troubles.count - 1
  }

  private mutating func take(from index: Int, now: Instant) -> Int? {
    while troubles[index].allowance < Self.burst, now >= troubles[index].growsSince + Self.pause {
      troubles[index].allowance += 1
      troubles[index].growsSince = troubles[index].growsSince + Self.pause
    }
    guard troubles[index].allowance > 0 else {
      troubles[index].leftOut += 1
      return nil
    }
    if troubles[index].allowance == Self.burst { troubles[index].growsSince = now }
    troubles[index].allowance -= 1
    defer { troubles[index].leftOut = 0 }
    return troubles[index].leftOut
  }
}
