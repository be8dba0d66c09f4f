public import Bytes

/// Turns the events of one GPIO line into accepted levels.
///
/// The kernel keeps some events of a line and drops the oldest if more come. The gap is detected
/// and the level is then read again, so that a storm of edges cannot leave the line on the wrong
/// level. A storm is read in small pieces: see `EdgeRateLimiter`.
public struct LineInput: ~Copyable {
  /// Maximum number of events per read, as many as the kernel keeps; bounds the work of a wake-up.
  public static let eventsPerReadMax = 16

  private var debouncer: Debouncer
  private var limiter = EdgeRateLimiter()
  private var lastSequence: UInt32 = 0
  /// `lastSequence` at the end of the last read.
  private var sequenceRead: UInt32 = 0
  /// Whether events are missing before one of this read.
  private var isIncomplete = false
  private var lastLevel: Level?

  public init(debounce window: Duration) {
    debouncer = Debouncer(window: window)
  }

  public var deadline: Instant? { earliest(debouncer.deadline, limiter.deadline) }

  /// Whether the line must not be read before `deadline`.
  public var isResting: Bool { limiter.isResting }

  /// Edges per second if they are too many; otherwise nil.
  public var excessEdgesPerSecond: Int? { limiter.excessEdgesPerSecond }

  /// Judges one event of a read; returns the level if one settled.
  public mutating func eventRead(_ event: LineEvent, now: Instant) -> Edge? {
    if !isNext(event) { isIncomplete = true }
    return debouncer.edgeDetected(Edge(to: event.edge.level, at: min(event.edge.instant, now)))
  }

  /// Ends a read of up to `eventsPerReadMax` events.
  ///
  /// - Returns: whether events are missing, so that the level has to be read.
  public mutating func readingEnded(now: Instant) -> Bool {
    limiter.lineRead(edgeCount: lastSequence &- sequenceRead, now: now)
    sequenceRead = lastSequence
    defer { isIncomplete = false }
    return isIncomplete
  }

  public mutating func levelRead(_ level: Level, now: Instant) -> Edge? {
    lastLevel = level
    return debouncer.levelRead(level, now: now)
  }

  public mutating func deadlineReached(now: Instant) -> Edge? {
    limiter.deadlineReached(now: now)
    return debouncer.deadlineReached(now: now)
  }

  /// Starts a cycle: an excess of edges before the last cycle no longer counts.
  public mutating func cycleBegan() { limiter.cycleBegan() }

  /// Whether no event is missing before `event`: edges are numbered, and rising and falling ones
  /// alternate.
  private mutating func isNext(_ event: LineEvent) -> Bool {
    defer {
      lastLevel = event.edge.level
      lastSequence = event.sequence
    }
    return event.sequence == lastSequence &+ 1 && lastLevel != event.edge.level
  }
}

/// An edge of a requested line as the kernel reports it, with its number.
public struct LineEvent: Equatable, Sendable {
  public let edge: Edge
  /// Number of this edge on its line, from 1, including those that the kernel had no room for;
  /// after 4,294,967,295 comes 0.
  public let sequence: UInt32

  /// - Parameters:
  ///   - level: level of the line after the edge.
  ///   - timestamp: nanoseconds of `CLOCK_MONOTONIC`.
  ///   - sequence: number of the edge.
  ///   - asleep: time that the board slept since the kernel started.
  public init(to level: Level, timestamp: UInt64, sequence: UInt32, asleep: Duration = .zero) {
    let instant = Instant(nanoseconds: Int64(clamping: timestamp)) + asleep
    edge = Edge(to: level, at: instant)
    self.sequence = sequence
  }
}
