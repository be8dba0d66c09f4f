import Bytes
import Sensing

/// What was told of each trouble, so that a log that is kept on a card for a year says each thing
/// once, and a loose wire does not fill it.
///
/// Invariants:
/// 1. While a trouble lasts each of its causes is told once, in whatever order they come back, and
///    no more than `causesMax` of them.
/// 2. Of one topic no more than `burst` things are told at once, and one an hour in the long run.
///    The end of a trouble is told where its begin was.
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
  /// More topics than a board has sources; those that do not fit are told of every time.
  static let topicsMax = 400

  private struct Trouble {
    let topic: Topic
    var allowance = Troubles.burst
    /// Since when the allowance grows.
    var growsSince: Instant
    var isUnderWay = false
    var isTold = false
    /// Checksums of the causes that were told, or had their turn.
    var causes: [UInt32] = []
    var leftOut = 0
  }

  private var troubles: [Trouble] = []
  /// How many last now.
  private(set) var underWayCount = 0

  /// A trouble began, or goes on for a cause. Returns whether to tell it, by how many like it were
  /// not told before; nil where it is not to be told.
  mutating func began(_ topic: Topic, _ cause: [UInt8], now: Instant) -> Int? {
    guard let index = index(of: topic, now: now) else { return 0 }
    var sum = CRC32C()
    sum.update(cause.span)
    let checksum = sum.value
    let known = troubles[index].causes
    if !troubles[index].isUnderWay { underWayCount += 1 }
    troubles[index].isUnderWay = true
    guard !known.contains(checksum), known.count < Self.causesMax else { return nil }
    troubles[index].causes.append(checksum)
    let leftOut = take(from: index, now: now)
    if leftOut != nil { troubles[index].isTold = true }
    return leftOut
  }

  /// Returns whether to tell that: where no begin was known, the end is news.
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

  /// Something happened that has no end. Returns the same as `began`.
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
