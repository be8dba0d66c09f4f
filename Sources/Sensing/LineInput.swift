public import Bytes

/// Turns the events of one GPIO line into levels that are believed.
///
/// The kernel keeps some events of a line and drops the oldest where more come: what is missing is
/// noticed, and the level is then to be read again, so that a storm of edges can never leave the
/// line on the wrong level. A storm is also taken in small pieces: see `EdgeRateLimiter`.
public struct LineInput: ~Copyable {
  /// Events taken in at one time, as many as the kernel keeps; bounds the work of a wake-up.
  public static let eventsPerReadMax = 16

  /// Where the bytes of the kernel go, ahead of `eventsRead`. Has room for `eventsPerReadMax`.
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

  /// Whether the line is not to be read before `deadline`.
  public var isResting: Bool { limiter.isResting }

  /// How many edges a second there are, where that is too many; nil where it is not.
  public var excessEdgesPerSecond: Int? { limiter.excessEdgesPerSecond }

  /// Takes in the events in `buffer` and tells `body` each level that settled. `asleep` is how long
  /// the board slept since the kernel started.
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

  /// A cycle has come: what was too much since the last one counts no more.
  public mutating func cycleBegan() { limiter.cycleBegan() }

  /// Whether nothing is missing in front of `event`: edges are numbered, and rising and falling
  /// ones take turns.
  private mutating func isNext(_ event: LineEvent) -> Bool {
    defer {
      lastLevel = event.edge.level
      lastSequence = event.sequence
    }
    return event.sequence == lastSequence &+ 1 && lastLevel != event.edge.level
  }
}
