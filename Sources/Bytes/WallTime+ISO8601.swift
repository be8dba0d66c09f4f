extension WallTime {
  /// Reads `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`, the form that Home Assistant writes, and
  /// ignores digits after the nanosecond. Rejects other forms of ISO 8601, above all one without an
  /// offset, which is not a definite moment, and moments outside the years 1677 to 2262.
  public init?(iso8601 text: Span<UInt8>) {
    var fields = FixedFields(text)
    guard let year = fields.number(digits: 4), fields.skip(UInt8(ascii: "-")),
      let month = fields.number(digits: 2), fields.skip(UInt8(ascii: "-")),
      let day = fields.number(digits: 2), fields.skip(UInt8(ascii: "T")),
      let date = CivilDate(year: year, month: month, day: day),
      let second = fields.secondOfDay(), let nanosecond = fields.nanosecond(),
      let offset = fields.offset(), fields.isAtEnd
    else { return nil }
    self.init(
      seconds: date.daysSince1970 * 86_400 + second - offset, nanoseconds: nanosecond)
  }
}

extension ByteBuffer {
  /// Appends `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` as Home Assistant writes it: in UTC, with
  /// microseconds unless they are zero. Parts of a microsecond are dropped.
  public mutating func append(iso8601 time: WallTime) {
    let microseconds = time.nanoseconds.dividedDown(by: 1000)
    let seconds = microseconds.quotient.dividedDown(by: 1_000_000)
    let days = seconds.quotient.dividedDown(by: 86_400)
    let date = CivilDate(daysSince1970: days.quotient)
    append(date.year, digits: 4)
    append(UInt8(ascii: "-"))
    append(date.month, digits: 2)
    append(UInt8(ascii: "-"))
    append(date.day, digits: 2)
    append(UInt8(ascii: "T"))
    append(days.remainder / 3600, digits: 2)
    append(UInt8(ascii: ":"))
    append(days.remainder / 60 % 60, digits: 2)
    append(UInt8(ascii: ":"))
    append(days.remainder % 60, digits: 2)
    if seconds.remainder > 0 {
      append(UInt8(ascii: "."))
      append(seconds.remainder, digits: 6)
    }
    append("+00:00")
  }

  private mutating func append(_ number: Int64, digits: Int) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}

extension Text {
  /// Creates the moment in ISO 8601, as `ByteBuffer.append(iso8601:)` writes it.
  public init(iso8601 time: WallTime) {
    self.init([UInt8](byteCountMax: 32) { $0.append(iso8601: time) })
  }
}

/// Day of the proleptic Gregorian calendar.
private struct CivilDate {
  let year: Int64
  let month: Int64
  let day: Int64

  init?(year: Int64, month: Int64, day: Int64) {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let dayCount: Int64
    switch month {
    case 2: dayCount = isLeap ? 29 : 28
    case 4, 6, 9, 11: dayCount = 30
    case 1...12: dayCount = 31
    default: return nil
    }
    guard (1...dayCount).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  // Here a year begins in March, so the leap day is its last day and 400 years always have 146 097
  // days. Day 0 of this count is 0000-03-01, 719 468 days before 1970.

  var daysSince1970: Int64 {
    let (era, yearOfEra) = (month > 2 ? year : year - 1).dividedDown(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }
}

/// Reads consecutive fields of a fixed number of digits.
private struct FixedFields: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position += 1
    return true
  }

  mutating func number(digits: Int) -> Int64? {
    guard position + digits <= text.count else { return nil }
    var number: Int64 = 0
    for _ in 0..<digits {
      guard text[position].isASCIIDigit else { return nil }
      number = number * 10 + Int64(text[position] - UInt8(ascii: "0"))
      position += 1
    }
    return number
  }

  private mutating func minuteOfDay() -> Int64? {
    guard let hour = number(digits: 2), hour < 24, skip(UInt8(ascii: ":")),
      let minute = number(digits: 2), minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  mutating func secondOfDay() -> Int64? {
    guard let minute = minuteOfDay(), skip(UInt8(ascii: ":")), let second = number(digits: 2),
      second < 60
    else { return nil }
    return minute * 60 + second
  }

  mutating func nanosecond() -> Int64? {
    guard skip(UInt8(ascii: ".")) else { return 0 }
    let start = position
    var nanosecond: Int64 = 0
    var unit: Int64 = 100_000_000
    while position < text.count, text[position].isASCIIDigit {
      nanosecond += Int64(text[position] - UInt8(ascii: "0")) * unit
      unit /= 10
      position += 1
    }
    return position > start ? nanosecond : nil
  }

  /// Reads the offset from UTC in seconds, positive if the text is ahead of UTC.
  mutating func offset() -> Int64? {
    if skip(UInt8(ascii: "Z")) { return 0 }
    let isBehind = skip(UInt8(ascii: "-"))
    guard isBehind || skip(UInt8(ascii: "+")), let minute = minuteOfDay() else { return nil }
    return isBehind ? -minute * 60 : minute * 60
  }
}

extension Int64 {
  /// Returns the quotient rounded down, and a remainder that is never negative.
  package func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
