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
    let seconds = microseconds / 1_000_000
    let date = CivilDate(daysSince1970: seconds / 86_400)
    let time = seconds % 86_400
    return "\(date.text)T\((time / 3600).padded(to: 2)):\((time / 60 % 60).padded(to: 2))"
      + ":\((time % 60).padded(to: 2))"
  }
}

/// A day of the Gregorian calendar.
struct CivilDate: Equatable {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Counts in years that begin in March, so that the leap day comes last.
  init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func dayCount(year: Int64, month: Int64) -> Int64 {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// "2026-01-31".
  var text: String { "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))" }
}

extension BinaryInteger {
  /// With zeros in front.
  func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
