import Bytes

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
