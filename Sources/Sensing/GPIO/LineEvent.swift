import Bytes

/// The record that the kernel writes for each edge of a requested line: `gpio_v2_line_event` of
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
/// Integers have the byte order of the machine, timestamps are of `CLOCK_MONOTONIC`, and an id of 1
/// is a rising edge, of 2 a falling one. `line_seqno` counts the edges of the line from 1,
/// including those that the kernel had no room for.
public struct LineEvent: Equatable, Sendable {
  public static let byteCount = 48

  public let edge: Edge
  /// Number of this edge on its line, from 1; after 4,294,967,295 comes 0.
  public let sequence: UInt32

  /// Parses an event of the kernel; `asleep` is the time that the board slept since the kernel
  /// started.
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

/// An error in an event.
public enum LineEventError: Error, Equatable, Sendable {
  /// The kernel only writes whole events.
  case torn
  /// An id that is neither a rising nor a falling edge.
  case unknownEdge(UInt32)
}
