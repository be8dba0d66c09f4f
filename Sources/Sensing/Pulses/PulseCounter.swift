public import Bytes

/// Counts the pulses of one GPIO line: tips of a rain gauge, turns of a flow meter or an
/// anemometer, flashes of an energy meter.
///
/// Without a minimum width each rising edge is a pulse. The kernel numbers the edges, so that edges
/// that it dropped are counted by their numbers. With a minimum width a pulse counts if the line
/// was active for this time, and inactive for this time before: a contact that bounces, or that the
/// wind shakes, counts once. Of dropped edges only the number and the time are then known: they are
/// counted if their average distance is at least the width, and ignored otherwise.
///
/// A pulse causes no wake-up. The kernel keeps the edges until they are read, in each cycle and as
/// often as their rate demands: see `deadline`.
public struct PulseCounter: ~Copyable {
  /// Maximum number of events per read.
  public static let eventsPerReadMax = 64
  /// Number of events that the kernel is asked to keep: its maximum for one line.
  public static let eventsKept = 1024
  /// Reads in a row that take everything that the kernel has kept, and not more.
  public static let readsMax = eventsKept / eventsPerReadMax
  /// Minimum time between two reads: at 10,000 edges a second the kernel keeps them all.
  public static let readInterval: Duration = .milliseconds(100)
  /// More edges per second than any contact or flow meter has.
  static let plausibleEdgesPerSecond: Int64 = 2000

  /// Number of all pulses so far.
  public private(set) var count: Int64
  /// Rising edges of the first pulse since `cycleEnded`, and of the last one since the line was
  /// opened; nil if there was none.
  public private(set) var firstPulse: Instant?
  public private(set) var lastPulse: Instant?

  private let minWidth: Duration
  private var debouncer: Debouncer
  private var lastSequence: UInt32 = 0
  private var lastEdge: Edge?
  /// Edges since the last `readingEnded`, and its instant.
  private var edgeCount: Int64 = 0
  private var readAt: Instant
  private var edgesPerSecond: Int64 = 0

  /// - Parameters:
  ///   - minWidth: minimum duration of a pulse, and of the pause before it.
  ///   - count: number of earlier pulses; not negative.
  ///   - now: instant at which the line is opened.
  public init(minWidth: Duration, count: Int64, now: Instant) {
    precondition(count >= 0, "pulses are not taken back")
    self.minWidth = minWidth
    self.count = count
    debouncer = Debouncer(window: minWidth)
    readAt = now
  }

  /// Whether falling edges are also needed.
  public var needsBothEdges: Bool { minWidth > .zero }

  /// Latest instant for the next read, so that the kernel drops no edge at the last rate; nil while
  /// there are no edges.
  public var deadline: Instant? {
    guard edgesPerSecond > 0 else { return nil }
    // A quarter of the kernel's buffer, so that the rate may grow fourfold.
    let wait = Int64(Self.eventsKept / 4) * 1_000_000_000 / edgesPerSecond
    return readAt + max(Self.readInterval, .nanoseconds(wait))
  }

  /// Edges per second if they are more than a meter has; otherwise nil.
  public var excessEdgesPerSecond: Int? {
    edgesPerSecond > Self.plausibleEdgesPerSecond ? Int(clamping: edgesPerSecond) : nil
  }

  // MARK: Events

  /// Records the level of the line when it is opened. A pulse that has already begun is not
  /// counted.
  public mutating func levelRead(_ level: Level, now: Instant) {
    lastSequence = 0
    (firstPulse, lastPulse) = (nil, nil)
    restart(at: level, now: now)
  }

  /// Counts an event that the kernel had kept.
  public mutating func eventRead(_ event: LineEvent, now: Instant) {
    let edge = Edge(to: event.edge.level, at: min(event.edge.instant, now))
    let missing = event.sequence &- lastSequence &- 1
    lastSequence = event.sequence
    // The kernel counts upwards; a lower number is not a gap, as after a lost line.
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

  /// Records that everything in the kernel's buffer was read.
  public mutating func readingEnded(now: Instant) {
    if needsBothEdges { settle(debouncer.deadlineReached(now: now)) }
    let milliseconds = (now - readAt).nanoseconds / 1_000_000
    // A cycle may follow a deadline at once.
    guard milliseconds >= 50 else { return }
    edgesPerSecond = edgeCount.multipliedReportingOverflow(by: 1000).partialValue / milliseconds
    edgeCount = 0
    readAt = now
  }

  /// Records that the count so far was reported.
  public mutating func cycleEnded() { firstPulse = nil }

  // MARK: Counting

  /// Counts the edges between the last one and this one, of which only the number is known. Rising
  /// and falling edges alternate.
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

  private mutating func settle(_ settled: Edge?) {
    guard let settled, settled.level == .active else { return }
    add(1, at: settled.instant)
  }

  private mutating func add(_ pulses: Int64, at instant: Instant) {
    guard pulses > 0 else { return }
    let (sum, overflowed) = count.addingReportingOverflow(pulses)
    count = overflowed ? .max : sum
    if firstPulse == nil { firstPulse = instant }
    lastPulse = instant
  }
}
