import CMicroHTTPD

/// A point in time, in microseconds since 1970, UTC.
public struct Moment: Sendable, Hashable, Comparable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }
  public init(seconds: Int64) { self.init(microseconds: seconds * 1_000_000) }

  public static func < (left: Moment, right: Moment) -> Bool {
    left.microseconds < right.microseconds
  }

  public static func + (moment: Moment, duration: Duration) -> Moment {
    let (seconds, attoseconds) = duration.components
    return Moment(
      microseconds: moment.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// The system's clock. Only the shell reads it.
  public static func now() -> Moment {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Moment(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// "2026-11-21T03:21:27.239832+00:00", as Python prints it.
  var isoformat: String {
    secondText + "." + (microseconds % 1_000_000).padded(to: 6) + "+00:00"
  }

  /// The same to the second, with the offset.
  var isoformatToSecond: String { secondText + "+00:00" }

  /// "03:21:27", in UTC.
  var clockText: String { String(secondText.suffix(8)) }

  private var secondText: String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension BinaryInteger {
  /// With zeros in front.
  func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
