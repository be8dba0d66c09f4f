public import Bytes

/// Kinds of devices (kernel subsystems) whose arrival, removal and change the kernel announces.
public struct DeviceKinds: OptionSet, Sendable {
  public static let powerSupply = DeviceKinds(rawValue: 1 << 0)
  public static let industrialIO = DeviceKinds(rawValue: 1 << 1)
  public static let hardwareMonitor = DeviceKinds(rawValue: 1 << 2)
  public static let oneWire = DeviceKinds(rawValue: 1 << 3)
  public static let network = DeviceKinds(rawValue: 1 << 4)
  public static let all = DeviceKinds(rawValue: 1 << 5 - 1)
  /// Kinds whose devices announce each new value.
  public static let telling: DeviceKinds = [.powerSupply]

  /// Names in the kernel, in the order of the options.
  private static let subsystems: [StaticString] = ["power_supply", "iio", "hwmon", "w1", "net"]

  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension DeviceKinds {
  /// The kind of device in an announcement of the kernel (`kobject_uevent_env` in
  /// `lib/kobject_uevent.c`); empty for other devices and for any other message:
  ///
  ///     change@/devices/platform/gauge/power_supply/BAT0 NUL
  ///     ACTION=change NUL DEVPATH=/devices/… NUL SUBSYSTEM=power_supply NUL POWER_SUPPLY_…
  ///
  /// The kernel writes the subsystem before the words of drivers and devices, so the first one is
  /// the true one. A word without its NUL is truncated.
  public init(announcedBy message: Span<UInt8>) {
    let number = Self.subsystem(in: message)
    self.init(rawValue: number.map { 1 << UInt8($0) } ?? 0)
  }

  private static func subsystem(in message: Span<UInt8>) -> Int? {
    guard var end = message.firstIndex(of: 0), isHead(message.extracting(..<end)) else {
      return nil
    }
    let key: StaticString = "SUBSYSTEM="
    while let next = message.firstIndex(of: 0, from: end + 1) {
      let word = message.extracting((end + 1)..<next)
      end = next
      guard word.starts(with: key) else { continue }
      let name = word.extracting(key.utf8CodeUnitCount...)
      return subsystems.firstIndex { name.elementsEqual($0) }
    }
    return nil
  }

  /// Whether the text is a header such as `add@/devices/…`; udev's own messages, to another group,
  /// begin in another way.
  private static func isHead(_ text: Span<UInt8>) -> Bool {
    guard let at = text.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
    return text.extracting((at + 1)...).starts(with: "/")
  }
}

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
