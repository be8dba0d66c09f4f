extension ConfigurationRule<Duration> {
  /// A length of time with its unit, such as `1.5s`, in `range`; `example` shows a right one.
  static func duration(in range: ClosedRange<Duration>, example: StaticString) -> Self {
    .text { (text) throws(Refusal) in
      let duration = try DurationText(text, example: example).duration()
      guard range.contains(duration) else {
        throw Refusal(
          "\(quoted: text) is out of range",
          remedy: "write a time from \(range.lowerBound) to \(range.upperBound)")
      }
      return duration
    }
  }
}

/// A length of time as people write it: digits, perhaps with a decimal point, and a unit.
private struct DurationText {
  private static let units: [(name: StaticString, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
  ]
  /// What people write instead, and what we would have them write.
  private static let otherNames: [(name: StaticString, unit: StaticString)] = [
    ("msec", "ms"), ("millisecond", "ms"), ("milliseconds", "ms"),
    ("sec", "s"), ("secs", "s"), ("second", "s"), ("seconds", "s"),
    ("m", "min"), ("mins", "min"), ("minute", "min"), ("minutes", "min"),
    ("hr", "h"), ("hrs", "h"), ("hour", "h"), ("hours", "h"), ("day", "d"), ("days", "d"),
  ]

  private let text: [UInt8]
  private let example: StaticString
  private let whole: [UInt8]
  /// Empty without a decimal point.
  private let fraction: [UInt8]
  private let unit: [UInt8]

  init(_ text: [UInt8], example: StaticString) throws(Refusal) {
    self.text = text
    self.example = example
    let number = text.prefix { $0.isDecimalDigit || $0 == UInt8(ascii: ".") }
    let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw Refusal(
        "\(quoted: text) is not a duration", remedy: "write for example \(example)")
    }
    whole = [UInt8](parts[0])
    fraction = parts.count == 2 ? [UInt8](parts[1]) : []
    unit = [UInt8](text.dropFirst(number.count).drop { $0 == UInt8(ascii: " ") })
  }

  func duration() throws(Refusal) -> Duration {
    guard let known = Self.units.first(where: { unit.isEqual(to: $0.name) }) else {
      throw refusalOfUnit
    }
    let fraction = try fractionNanoseconds(of: known.nanoseconds)
    guard let count = whole.decimalValue, count <= Int64.max / known.nanoseconds - 1 else {
      throw Refusal("\(quoted: text) is out of range", remedy: "write for example \(example)")
    }
    return .nanoseconds(count * known.nanoseconds + fraction)
  }

  private func fractionNanoseconds(of unitNanoseconds: Int64) throws(Refusal) -> Int64 {
    var sum: Int64 = 0
    var place = unitNanoseconds
    for digit in fraction {
      let value = Int64(digit - UInt8(ascii: "0"))
      guard value == 0 || (place >= 10 && place.isMultiple(of: 10)) else {
        throw Refusal("\(quoted: text) has too many digits", remedy: "leave some out")
      }
      place /= 10
      sum += value * place
    }
    return sum
  }

  private var refusalOfUnit: Refusal {
    guard !unit.isEmpty else {
      return Refusal("\(quoted: text) has no unit", remedy: "write for example \(example)")
    }
    let written = unit.lowercasedASCII
    let meant =
      Self.units.first { written.isEqual(to: $0.name) }?.name
      ?? Self.otherNames.first { written.isEqual(to: $0.name) }?.unit
    guard let meant, text.count <= MessageText.quotedCharactersMax else {
      return Refusal(
        "\(quoted: text) is not a duration",
        remedy: "write for example \(example); the units are \(anyOf: Self.units.map { $0.name })")
    }
    let number = text.prefix { $0.isDecimalDigit || $0 == UInt8(ascii: ".") }
    return Refusal(
      "\(quoted: text) is not a duration",
      remedy: "write for example \(bytes: [UInt8](number))\(meant)")
  }
}
