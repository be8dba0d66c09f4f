/// A point in time as a sensor of class `timestamp` or `date` gives it: ISO 8601, extended or
/// basic, with or without an offset from UTC.
struct Timestamp: Equatable {
  var date: CivilDate
  /// Seconds since that midnight.
  var secondOfDay: Int64
  /// Seconds east of UTC, or nil if the text names none.
  var offset: Int64?

  /// Nil where Home Assistant's parser gives up.
  init?(_ text: String) {
    let pattern =
      #/(\d{4})-?(\d{2})(?:-?(\d{2}))?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?/#
    guard let match = try? pattern.wholeMatch(in: text) else { return nil }
    let number = { (part: Substring?) in part.flatMap { Int64($0) } }
    guard let year = number(match.1), let month = number(match.2) else { return nil }
    let day = number(match.3) ?? 1
    let (hour, minute) = (number(match.4) ?? 0, number(match.5) ?? 0)
    let second = number(match.6) ?? 0
    guard (1...12).contains(month), day >= 1, day <= CivilDate.dayCount(year: year, month: month),
      hour < 24 || (hour == 24 && minute == 0 && second == 0), minute < 60, second < 60
    else { return nil }
    date = CivilDate(year: year, month: month, day: day)
    secondOfDay = (hour * 60 + minute) * 60 + second
    offset = match.7.map(Self.seconds(ofOffset:))
  }

  private static func seconds(ofOffset text: Substring) -> Int64 {
    if text == "Z" { return 0 }
    let digits = text.filter(\.isNumber)
    let hours = Int64(digits.prefix(2)) ?? 0
    let minutes = Int64(digits.dropFirst(2)) ?? 0
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 60 + minutes) * 60
  }

  /// In UTC, to the second; nil without an offset.
  var utcText: String? {
    guard let offset else { return nil }
    return Moment(seconds: date.daysSince1970 * 86_400 + secondOfDay - offset).isoformatToSecond
  }
}
