import Bytes

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
