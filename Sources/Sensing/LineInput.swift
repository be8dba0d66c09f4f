public import Bytes

/// Turns the events of one GPIO line into levels that are believed.
///
/// The kernel keeps 16 events of a line and drops what comes then, the newest or the oldest: what
/// is missing is noticed, and the level is then to be read again, so that a storm of edges can
/// never leave the line on the wrong level.
public struct LineInput: ~Copyable {
  /// Events taken in at one time; bounds the work of a wake-up.
  public static let eventsPerReadMax = 16

  /// Where the bytes of the kernel go, ahead of `eventsRead`. Has room for `eventsPerReadMax`.
  public var buffer: ByteBuffer

  private let format: LineEventFormat
  private var debouncer: Debouncer
  private var lastSequence: UInt32 = 0
  private var lastLevel: Level?

  public init(format: LineEventFormat, debounce window: Duration) {
    self.format = format
    debouncer = Debouncer(window: window)
    buffer = ByteBuffer(capacity: format.byteCount * Self.eventsPerReadMax)
  }

  public var deadline: Instant? { debouncer.deadline }

  /// Takes in the events in `buffer` and tells `body` each level that settled.
  ///
  /// - Returns: whether events are missing, so that the level has to be read.
  public mutating func eventsRead(
    now: Instant, _ body: (Debouncer.Settled) -> Void
  ) throws(LineEventError) -> Bool {
    defer { buffer.removeAll() }
    guard buffer.count.isMultiple(of: format.byteCount) else { throw .torn }
    // A full read may be a full queue, and version 1 does not tell what it dropped.
    var isIncomplete = buffer.freeCapacity == 0
    for start in stride(from: 0, to: buffer.count, by: format.byteCount) {
      let event = try event(at: start)
      if !isNext(event) { isIncomplete = true }
      // Kernels before 5.7 stamp events of version 1 with the time of day.
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
    debouncer.deadlineReached(now: now)
  }

  private func event(at start: Int) throws(LineEventError) -> LineEvent {
    try LineEvent(
      parsing: buffer.bytes.extracting(start..<start + format.byteCount), format: format)
  }

  /// Whether nothing is missing in front of `event`: edges are numbered, and rising and falling
  /// ones take turns.
  private mutating func isNext(_ event: LineEvent) -> Bool {
    defer {
      lastLevel = event.edge.level
      lastSequence = event.sequence ?? 0
    }
    if let sequence = event.sequence, sequence != lastSequence &+ 1 { return false }
    return lastLevel != event.edge.level
  }
}
