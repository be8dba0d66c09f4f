public import Bytes

/// When the sources hear that the kernel announced devices.
///
/// The first announcement is passed on at once. Those that follow are passed on together, a second
/// later, so a plug with a loose contact has its supplies read once a second. What is not read, as
/// the kernel had more to say than the socket could keep, may have been about any device.
///
/// A storm of announcements, of whatever devices, costs what the edges of a wild GPIO line cost:
/// the socket is read 16 times in a tenth of a second, and then rests.
public struct DeviceMonitor: Sendable {
  /// Between one news and the next.
  public static let pause: Duration = .seconds(1)
  /// Of an announcement: its words have 2048 bytes at the most (`UEVENT_BUFFER_SIZE`), and paths of
  /// sysfs stay far below the rest.
  public static let datagramByteCountMax = 4096
  /// Announcements that one reading of the socket takes.
  public static let datagramsPerReadMax = 16

  private var pending: DeviceKinds = []
  private var toldAt: Instant?
  private var limiter = EdgeRateLimiter()

  public init() {}

  /// An announcement of the kernel was read.
  public mutating func received(_ datagram: Span<UInt8>) {
    pending.formUnion(DeviceKinds(announcedBy: datagram))
  }

  /// Announcements were lost, or are longer than the buffer.
  public mutating func lost() { pending = .all }

  /// The socket was read, and brought so many datagrams.
  public mutating func socketRead(count: UInt32, now: Instant) {
    limiter.lineRead(edgeCount: count, now: now)
  }

  /// Whether the socket is to be left alone now.
  public var isResting: Bool { limiter.isResting }

  /// When there is something to do; nil while the kernel says nothing.
  public var deadline: Instant? { earliest(limiter.deadline, tellAt) }

  public mutating func deadlineReached(now: Instant) { limiter.deadlineReached(now: now) }

  /// What is to be told now; nothing before the pause is over.
  public mutating func takeNews(now: Instant) -> DeviceKinds {
    guard let tellAt, now >= tellAt else { return [] }
    defer { pending = [] }
    toldAt = now
    return pending
  }

  /// When that is told which is pending.
  private var tellAt: Instant? {
    guard !pending.isEmpty else { return nil }
    return toldAt.map { $0 + Self.pause } ?? Instant(nanoseconds: .min)
  }
}
