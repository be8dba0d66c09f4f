public import Bytes

/// Announces changed devices to the sources.
///
/// The first announcement of the kernel is passed on at once. Those that follow are passed on
/// together, a second later, so that a plug with a loose contact has its supplies read once a
/// second. Announcements that the socket had no room for may have been about any device.
///
/// A storm of announcements costs as much as the edges of an unsteady GPIO line: the socket is read
/// 16 times in a tenth of a second, and then rests.
public struct DeviceMonitor: Sendable {
  /// Minimum time between two notices.
  public static let pause: Duration = .seconds(1)
  /// Maximum size of an announcement: its words have at most 2048 bytes (`UEVENT_BUFFER_SIZE`), and
  /// paths of sysfs stay far below the rest.
  public static let datagramByteCountMax = 4096
  /// Maximum number of announcements per read of the socket.
  public static let datagramsPerReadMax = 16

  private var pending: DeviceKinds = []
  private var toldAt: Instant?
  private var limiter = EdgeRateLimiter()

  public init() {}

  /// Records an announcement of the kernel.
  public mutating func received(_ datagram: Span<UInt8>) {
    pending.formUnion(DeviceKinds(announcedBy: datagram))
  }

  /// Records that announcements were lost, or longer than the buffer.
  public mutating func lost() { pending = .all }

  /// Records a read of the socket, with the number of datagrams.
  public mutating func socketRead(count: UInt32, now: Instant) {
    limiter.lineRead(edgeCount: count, now: now)
  }

  /// Whether the socket must not be read now.
  public var isResting: Bool { limiter.isResting }

  /// Instant of the next work; nil while there are no announcements.
  public var deadline: Instant? { earliest(limiter.deadline, tellAt) }

  public mutating func deadlineReached(now: Instant) { limiter.deadlineReached(now: now) }

  /// Returns the kinds to announce now; empty before the pause is over.
  public mutating func takeNews(now: Instant) -> DeviceKinds {
    guard let tellAt, now >= tellAt else { return [] }
    defer { pending = [] }
    toldAt = now
    return pending
  }

  /// Instant at which the pending kinds are announced.
  private var tellAt: Instant? {
    guard !pending.isEmpty else { return nil }
    return toldAt.map { $0 + Self.pause } ?? Instant(nanoseconds: .min)
  }
}
