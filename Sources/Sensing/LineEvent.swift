import Bytes

/// What the kernel writes for each edge of a line that was asked for: `gpio_v2_line_event` of
/// `linux/gpio.h`.
///
///     offset size field
///          0    8 timestamp_ns
///          8    4 id
///         12    4 offset
///         16    4 seqno
///         20    4 line_seqno
///         24   24 (padding)
///
/// Integers are in the order of the machine, timestamps are of `CLOCK_MONOTONIC`, and an id of 1 is
/// a rising edge, of 2 a falling one. `line_seqno` counts the edges of the line from 1, those that
/// the kernel had no room for included.
public struct LineEvent: Equatable, Sendable {
  public static let byteCount = 48

  public let edge: Edge
  /// Which edge of its line this is, counted from 1, and from 0 again after 4,294,967,295.
  public let sequence: UInt32

  /// Reads an event of the kernel; `asleep` is how long the board slept since the kernel started.
  ///
  /// - Precondition: `bytes` holds one event.
  public init(
    parsing bytes: Span<UInt8>, asleep: Duration = .zero
  ) throws(LineEventError) {
    precondition(bytes.count == Self.byteCount, "the caller cuts the events apart")
    let timestamp = bytes.nativeInteger(UInt64.self, at: 0)
    let instant = Instant(nanoseconds: Int64(clamping: timestamp)) + asleep
    switch bytes.nativeInteger(UInt32.self, at: 8) {
    case 1: edge = Edge(to: .active, at: instant)
    case 2: edge = Edge(to: .inactive, at: instant)
    case let id: throw .unknownEdge(id)
    }
    sequence = bytes.nativeInteger(UInt32.self, at: 20)
  }
}

/// What is wrong with an event.
public enum LineEventError: Error, Equatable, Sendable {
  /// The kernel only writes whole events.
  case torn
  /// An id that is neither a rising nor a falling edge.
  case unknownEdge(UInt32)
}
