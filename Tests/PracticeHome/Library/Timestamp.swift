import CMicroHTTPD

/// A point in time as a sensor of class `timestamp` or `date` gives it: ISO 8601, extended or
/// basic, with or without an offset from UTC.
struct Timestamp: Equatable {
  /// Midnight of the day that is named, in seconds since 1970.
  private var midnight: Int64
  /// Seconds since that midnight.
  private var secondOfDay: Int64
  /// Of that second; what is finer is cut off.
  private var microsecond: Int64
  /// Seconds east of UTC, or nil if the text names none.
  var offset: Int64?

  /// Nil where Home Assistant's parser gives up.
  init?(_ text: String) {
    let pattern =
      #/(\d{4})-?(\d{2})(?:-?(\d{2}))?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?/#
    guard let match = try? pattern.wholeMatch(in: text) else { return nil }
    let number = { (part: Substring?) in part.flatMap { Int64($0) } }
    guard let year = number(match.1), let month = number(match.2) else { return nil }
    let day = number(match.3) ?? 1
    let (hour, minute) = (number(match.4) ?? 0, number(match.5) ?? 0)
    let second = number(match.6) ?? 0
    var date = unsafe tm()
    unsafe date.tm_year = Int32(year - 1900)
    unsafe date.tm_mon = Int32(month - 1)
    unsafe date.tm_mday = Int32(day)
    midnight = unsafe Int64(timegm(&date))
    // A day that there is not has become another.
    guard unsafe date.tm_mon == Int32(month - 1), unsafe date.tm_mday == Int32(day),
      hour < 24 || (hour == 24 && minute == 0 && second == 0), minute < 60, second < 60
    else { return nil }
    secondOfDay = (hour * 60 + minute) * 60 + second
    microsecond = match.7.map(Self.microseconds(ofFraction:)) ?? 0
    offset = match.8.map(Self.seconds(ofOffset:))
  }

  private static func microseconds(ofFraction digits: Substring) -> Int64 {
    Int64((digits + "000000").prefix(6)) ?? 0
  }

  private static func seconds(ofOffset text: Substring) -> Int64 {
    if text == "Z" { return 0 }
    let digits = text.filter(\.isNumber)
    let hours = Int64(digits.prefix(2)) ?? 0
    let minutes = Int64(digits.dropFirst(2)) ?? 0
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 60 + minutes) * 60
  }

  /// When it is. Without an offset it is of the home's time zone, which is UTC.
  var moment: Moment { Moment(microseconds: second * 1_000_000 + microsecond) }

  /// Whether it is on the hour, of its own offset.
  var isFullHour: Bool { secondOfDay.isMultiple(of: 3600) && microsecond == 0 }

  /// The day that is named.
  var dayText: String { String(Moment(seconds: midnight).isoformat.prefix(10)) }

  /// In UTC, to the second; nil without an offset.
  var utcText: String? { offset == nil ? nil : Moment(seconds: second).isoformatToSecond }

  /// Whole seconds since 1970.
  private var second: Int64 { midnight + secondOfDay - (offset ?? 0) }
}
