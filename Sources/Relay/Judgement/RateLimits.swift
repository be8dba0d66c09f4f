import Bytes

/// Number of a day in UTC since 1970-01-01.
struct Day: Equatable {
  static let seconds: Int64 = 86_400
  let number: Int64

  init(of time: WallTime) {
    number = time.nanoseconds.dividedDown(by: Self.seconds * 1_000_000_000).quotient
  }

  init(number: Int64) { self.number = number }

  /// Midnight at its end, in UTC.
  var end: WallTime {
    let (nanoseconds, isTooLate) =
      (number &+ 1).multipliedReportingOverflow(by: Self.seconds * 1_000_000_000)
    return WallTime(nanoseconds: isTooLate ? .max : nanoseconds)
  }
}

/// Counts of a board's day, with the names that Home Assistant's documentation gives them.
struct RateLimits: Equatable {
  let successful: Int64
  let errors: Int64
  let maximum: Int64
  /// The end of the day in UTC.
  let resetsAt: WallTime

  func write(into buffer: inout ByteBuffer) {
    buffer.openJSONObject()
    buffer.appendMember("successful", successful)
    buffer.appendMember("errors", errors)
    buffer.appendMember("total", successful &+ errors)
    buffer.appendMember("maximum", maximum)
    buffer.appendMember("remaining", max(0, maximum &- successful))
    buffer.appendMember("resetsAt", Text(iso8601: resetsAt).bytes.span)
    buffer.closeJSONObject()
  }
}
