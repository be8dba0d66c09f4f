public import Bytes

/// Turns the events of one GPIO line into accepted levels.
///
/// The kernel keeps some events of a line and drops the oldest if more come. The gap is detected
/// and the level is then read again, so that a storm of edges cannot leave the line on the wrong
/// level. A storm is read in small pieces: see `EdgeRateLimiter`.
public struct LineInput: ~Copyable {
  /// Maximum number of events per read, as many as the kernel keeps; bounds the work of a wake-up.
  public static let eventsPerReadMax = 16

  /// Buffer for the bytes of the kernel, filled before `eventsRead`. Has room for
  /// `eventsPerReadMax`.
  public var buffer: ByteBuffer

  private var debouncer: Debouncer
  private var limiter = EdgeRateLimiter()
  private var lastSequence: UInt32 = 0
  private var lastLevel: Level?

  public init(debounce window: Duration) {
    debouncer = Debouncer(window: window)
    buffer = ByteBuffer(capacity: LineEvent.byteCount * Self.eventsPerReadMax)
  }

  public var deadline: Instant? { earliest(debouncer.deadline, limiter.deadline) }

  /// Whether the line must not be read before `deadline`.
  public var isResting: Bool { limiter.isResting }

  /// Edges per second if they are too many; otherwise nil.
  public var excessEdgesPerSecond: Int? { limiter.excessEdgesPerSecond }

  /// Reads the events in `buffer` and passes each settled level to `body`. `asleep` is the time
  /// that the board slept since the kernel started.
  ///
  /// - Returns: whether events are missing, so that the level has to be read.
  public mutating func eventsRead(
    now: Instant, asleep: Duration = .zero, _ body: (Debouncer.Settled) -> Void
  ) throws(LineEventError) -> Bool {
    let first = lastSequence
    defer {
      limiter.lineRead(edgeCount: lastSequence &- first, now: now)
      buffer.removeAll()
    }
    guard buffer.count.isMultiple(of: LineEvent.byteCount) else { throw .torn }
    var isIncomplete = false
    for start in stride(from: 0, to: buffer.count, by: LineEvent.byteCount) {
      let event = try LineEvent(
        parsing: buffer.bytes.extracting(start..<start + LineEvent.byteCount), asleep: asleep)
      if !isNext(event) { isIncomplete = true }
      let edge = Edge(to: event.edge.level, at: min(event.edge.instant, now))
      if let settled = debouncer.edgeDetected(edge) { body(settled) }
    }
    return isIncomplete
  }

  public mutating func levelRead(_ level: Level, now: Instant) -> Debouncer.Settled? {
    lastLevel = level
    return debouncer.levelRead(level, now: now)
  }

  public mutating func deadlineReached(now: Instant) -> Debouncer.Settled? {
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
