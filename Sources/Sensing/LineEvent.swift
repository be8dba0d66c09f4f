import Bytes

/// What a driver of `linux/gpio.h` writes for each edge of a line that was asked for.
///
///     version 1   gpioevent_data         version 2   gpio_v2_line_event
///     offset size field                  offset size field
///          0    8 timestamp                   0    8 timestamp_ns
///          8    4 id                          8    4 id
///         12    4 (padding)                  12    4 offset
///                                            16    4 seqno
///                                            20    4 line_seqno
///                                            24   24 (padding)
///
/// Integers are in the order of the machine, timestamps are of `CLOCK_MONOTONIC` in nanoseconds,
/// and an id of 1 is a rising edge, of 2 a falling one. Which version comes depends on how the
/// line was asked for: libgpiod 1 does it in the first way, libgpiod 2 in the second.
public enum LineEventFormat: Sendable {
  case version1, version2

  public var byteCount: Int {
    switch self {
    case .version1: 16
    case .version2: 48
    }
  }
}

/// What is wrong with an event.
public enum LineEventError: Error, Equatable, Sendable {
  /// The kernel only writes whole events.
  case torn
  /// An id that is neither a rising nor a falling edge.
  case unknownEdge(UInt32)
}

/// One event of the kernel.
public struct LineEvent: Equatable, Sendable {
  public let edge: Edge
  /// Which event of its line this is, counted from 1; the first version does not tell.
  public let sequence: UInt32?

  /// - Precondition: `bytes` holds one event.
  public init(parsing bytes: Span<UInt8>, format: LineEventFormat) throws(LineEventError) {
    precondition(bytes.count == format.byteCount, "the caller cuts the events apart")
    let timestamp = bytes.nativeInteger(UInt64.self, at: 0)
    let instant = Instant(nanoseconds: Int64(clamping: timestamp))
    switch bytes.nativeInteger(UInt32.self, at: 8) {
    case 1: edge = Edge(to: .active, at: instant)
    case 2: edge = Edge(to: .inactive, at: instant)
    case let id: throw .unknownEdge(id)
    }
    switch format {
    case .version1: sequence = nil
    case .version2: sequence = bytes.nativeInteger(UInt32.self, at: 20)
    }
  }
}
