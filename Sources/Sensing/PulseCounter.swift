public import Bytes

/// Counts the pulses of one GPIO line: tips of a rain gauge, turns of a flow meter or an
/// anemometer, flashes of an energy meter.
///
/// Without a minimum width each rising edge is a pulse, and the kernel numbers the edges: what it
/// had no room for is counted by its number. With a minimum width the line has to be active for so
/// long, and to have been inactive for so long before: a contact that bounces, or that the wind
/// shakes, counts once. Of edges that the kernel had no room for then only their number and their
/// time are known: they are counted where they were, on the average, as far apart as the width
/// demands, and left out where they were not.
///
/// A line costs no wake-up for a pulse. The kernel keeps the edges until they are read, in each
/// cycle and as often as their rate demands: see `deadline`.
public struct PulseCounter: ~Copyable {
  /// Events taken in by one `read(2)`.
  public static let eventsPerReadMax = 64
  /// Events that the kernel is asked to keep: the most that it does keep of one line.
  public static let eventsKept = 1024
  /// Reads in a row; with them all that the kernel has kept is taken in, and not more.
  public static let readsMax = eventsKept / eventsPerReadMax
  /// A line is not read more often than that: at 10,000 edges a second the kernel keeps them all.
  public static let readInterval: Duration = .milliseconds(100)
  /// More edges a second than any contact or flow meter has.
  static let plausibleEdgesPerSecond: Int64 = 2000

  /// Where the bytes of the kernel go, ahead of `eventsRead`.
  public var buffer = ByteBuffer(capacity: LineEvent.byteCount * eventsPerReadMax)
  /// All pulses so far.
  public private(set) var count: Int64
  /// The rising edges of the first pulse since `cycleEnded`, and of the last one since the line was
  /// opened; nil where there was none.
  public private(set) var firstPulse: Instant?
  public private(set) var lastPulse: Instant?

  private let minWidth: Duration
  private var debouncer: Debouncer
  private var lastSequence: UInt32 = 0
  private var lastEdge: Edge?
  /// Edges since the last `readingEnded`, and when that was.
  private var edgeCount: Int64 = 0
  private var readAt: Instant
  private var edgesPerSecond: Int64 = 0

  /// - Parameters:
  ///   - minWidth: how long a pulse has to last, and the pause before it.
  ///   - count: how many pulses there were before; not negative.
  ///   - now: when the line is opened.
  public init(minWidth: Duration, count: Int64, now: Instant) {
    precondition(count >= 0, "pulses are not taken back")
    self.minWidth = minWidth
    self.count = count
    debouncer = Debouncer(window: minWidth)
    readAt = now
  }

  /// Whether falling edges are wanted, too.
  public var needsBothEdges: Bool { minWidth > .zero }

  /// When the line is to be read at the latest, so that the kernel need not drop an edge at the
  /// rate of the last time; nil while there are none.
  public var deadline: Instant? {
    guard edgesPerSecond > 0 else { return nil }
    // A quarter of what the kernel keeps, so that the line may become four times as fast.
    let wait = Int64(Self.eventsKept / 4) * 1_000_000_000 / edgesPerSecond
    return readAt + max(Self.readInterval, .nanoseconds(wait))
  }

  /// How many edges a second there are, where that is more than a meter has.
  public var excessEdgesPerSecond: Int? {
    edgesPerSecond > Self.plausibleEdgesPerSecond ? Int(clamping: edgesPerSecond) : nil
  }

  // MARK: Events

  /// The line was opened and has this level. A pulse under way is none of ours.
  public mutating func levelRead(_ level: Level, now: Instant) {
    lastSequence = 0
    (firstPulse, lastPulse) = (nil, nil)
    restart(at: level, now: now)
  }

  /// Takes in the events in `buffer`. `asleep` is how long the board slept since the kernel
  /// started.
  public mutating func eventsRead(now: Instant, asleep: Duration = .zero) throws(LineEventError) {
    defer { buffer.removeAll() }
    guard buffer.count.isMultiple(of: LineEvent.byteCount) else { throw .torn }
    for start in stride(from: 0, to: buffer.count, by: LineEvent.byteCount) {
      let event = try LineEvent(
        parsing: buffer.bytes.extracting(start..<start + LineEvent.byteCount), asleep: asleep)
      take(event, now: now)
    }
  }

  /// All that the kernel had was read.
  public mutating func readingEnded(now: Instant) {
    if needsBothEdges { settle(debouncer.deadlineReached(now: now)) }
    let milliseconds = (now - readAt).nanoseconds / 1_000_000
    // A cycle may follow at once on a deadline.
    guard milliseconds >= 50 else { return }
    edgesPerSecond = edgeCount.multipliedReportingOverflow(by: 1000).partialValue / milliseconds
    edgeCount = 0
    readAt = now
  }

  /// What came so far was told.
  public mutating func cycleEnded() { firstPulse = nil }

  // MARK: Counting

  private mutating func take(_ event: LineEvent, now: Instant) {
    let edge = Edge(to: event.edge.level, at: min(event.edge.instant, now))
    let missing = event.sequence &- lastSequence &- 1
    lastSequence = event.sequence
    // The kernel numbers upwards; another number is none, as after a line that was lost.
    let isGap = missing > 0 && missing < UInt32.max / 2
    edgeCount += 1 + (isGap ? Int64(missing) : 0)
    if needsBothEdges {
      if isGap { bridge(missing, to: edge) }
      settle(debouncer.edgeDetected(edge))
    } else {
      add(1 + (isGap ? Int64(missing) : 0), at: edge.instant)
    }
    lastEdge = edge
  }

  /// Counts what lies between the last edge and this one, of which only the number is known. Rising
  /// and falling edges take turns.
  private mutating func bridge(_ missing: UInt32, to edge: Edge) {
    let known = lastEdge ?? Edge(to: .inactive, at: readAt)
    let spacing = (edge.instant - known.instant).nanoseconds / (Int64(missing) + 1)
    if spacing >= minWidth.nanoseconds {
      settle(debouncer.deadlineReached(now: known.instant + .nanoseconds(spacing)))
      let isRisingFirst = known.level == .inactive
      add((Int64(missing) + (isRisingFirst ? 1 : 0)) / 2, at: edge.instant)
    }
    restart(at: edge.level == .active ? .inactive : .active, now: known.instant)
  }

  private mutating func restart(at level: Level, now: Instant) {
    debouncer = Debouncer(window: minWidth)
    _ = debouncer.levelRead(level, now: now)
    lastEdge = Edge(to: level, at: now)
  }

  private mutating func settle(_ settled: Debouncer.Settled?) {
    guard let settled, settled.level == .active else { return }
    add(1, at: settled.since)
  }

  private mutating func add(_ pulses: Int64, at instant: Instant) {
    guard pulses > 0 else { return }
    let (sum, overflowed) = count.addingReportingOverflow(pulses)
    count = overflowed ? .max : sum
    if firstPulse == nil { firstPulse = instant }
    lastPulse = instant
  }
}
