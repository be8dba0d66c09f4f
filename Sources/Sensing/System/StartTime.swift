public import Bytes

/// Returns the time since the machine started, from `350735.47 234388.90`
/// (`Documentation/filesystems/proc.rst`, `uptime`); nil if the text has another form.
public func uptime(parsing text: Span<UInt8>) -> Duration? {
  guard let field = KernelText.field(0, of: text), let seconds = KernelText.decimal(field),
    seconds.decimals == 2, seconds.coefficient >= 0
  else { return nil }
  return .milliseconds(seconds.coefficient) * 10
}

/// The time at which the machine started, constant until the next start.
///
/// It is computed from the clock and the uptime, which do not agree to the second: the clock is
/// slewed, and both are not read at the same moment. The time changes only if the clock was set.
public struct StartTime: Sendable {
  /// A smaller change is ignored.
  public static let smallestMove: Duration = .seconds(10)
  /// A clock before this time was not set since power-on: 2020-01-01.
  public static let earliest = WallTime(nanoseconds: 1_577_836_800_000_000_000)

  /// Formatted once: each text takes memory until it is complete.
  private var told: (start: WallTime, text: InlineText)?

  public init() {}

  /// Returns the start time in ISO 8601, to the second; unknown while the clock is not set.
  public mutating func uptimeRead(_ uptime: Duration, at now: WallTime) -> Value {
    guard now >= Self.earliest else { return .unknown }
    let start = now - uptime
    let move = told.map { (start - $0.start).nanoseconds.magnitude }
    if let told, let move, move < Self.smallestMove.nanoseconds.magnitude {
      return .text(told.text)
    }
    let text = Self.text(of: start)
    told = (start, text)
    return .text(text)
  }

  private static func text(of time: WallTime) -> InlineText {
    let (seconds, _) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var text = ByteBuffer(capacity: 32)
    text.append(iso8601: WallTime(nanoseconds: seconds * 1_000_000_000))
    return InlineText(text.bytes)
  }
}
