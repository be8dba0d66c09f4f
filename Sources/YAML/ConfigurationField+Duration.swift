import Bytes

extension ConfigurationField {
  /// Reads a duration with its unit, such as `1.5s`, in `range`; `example` is a valid value.
  public func duration(in range: ClosedRange<Duration>, example: StaticString) -> Duration? {
    guard let text = text() else { return nil }
    do throws(Refusal) { return try Duration(text, in: range, example: example) } catch {
      report(error)
      return nil
    }
  }
}

extension Duration {
  /// Reads a duration as a person wrote it.
  @inline(never)
  public init(
    _ text: [UInt8], in range: ClosedRange<Duration>, example: StaticString
  ) throws(Refusal) {
    self = try DurationText(text, example: example).duration()
    guard range.contains(self) else {
      throw Refusal(
        "\(quoted: text) is out of range",
        remedy: "write a time from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}

/// Duration as people write it: digits, optionally a decimal point, and a unit.
private struct DurationText {
  private struct Unit {
    let name: StaticString
    let nanoseconds: Int64
  }

  private static let units = [
    Unit(name: "ms", nanoseconds: 1_000_000), Unit(name: "s", nanoseconds: 1_000_000_000),
    Unit(name: "min", nanoseconds: 60_000_000_000), Unit(name: "h", nanoseconds: 3_600_000_000_000),
    Unit(name: "d", nanoseconds: 86_400_000_000_000),
  ]
  /// Other names that people write, with the unit they mean.
  private static let otherNames: [(name: StaticString, unit: StaticString)] = [
    ("msec", "ms"), ("millisecond", "ms"), ("milliseconds", "ms"),
    ("sec", "s"), ("secs", "s"), ("second", "s"), ("seconds", "s"),
    ("m", "min"), ("mins", "min"), ("minute", "min"), ("minutes", "min"),
    ("hr", "h"), ("hrs", "h"), ("hour", "h"), ("hours", "h"), ("day", "d"), ("days", "d"),
  ]

  private let text: [UInt8]
  private let example: StaticString
  /// Ends of the digits before and after the point.
  private let wholeEnd: Int
  private let numberEnd: Int
  private let unit: [UInt8]

  init(_ text: [UInt8], example: StaticString) throws(Refusal) {
    self.text = text
    self.example = example
    wholeEnd = Self.endOfDigits(in: text, from: 0)
    let hasPoint = wholeEnd < text.count && text[wholeEnd] == UInt8(ascii: ".")
    numberEnd = hasPoint ? Self.endOfDigits(in: text, from: wholeEnd + 1) : wholeEnd
    guard wholeEnd > 0, !hasPoint || numberEnd > wholeEnd + 1,
      numberEnd == text.count || text[numberEnd] != UInt8(ascii: ".")
    else {
      throw Refusal("\(quoted: text) is not a duration", remedy: "write for example \(example)")
    }
    var unitStart = numberEnd
    while unitStart < text.count, text[unitStart] == UInt8(ascii: " ") { unitStart += 1 }
    unit = [UInt8](text.span.extracting(unitStart...))
  }

  private static func endOfDigits(in text: [UInt8], from start: Int) -> Int {
    var end = start
    while end < text.count, text[end].isASCIIDigit { end += 1 }
    return end
  }

  func duration() throws(Refusal) -> Duration {
    guard let known = Self.unit(named: unit) else { throw refusalOfUnit }
    let fraction = try fractionNanoseconds(of: known.nanoseconds)
    let whole = text.span.extracting(..<wholeEnd).decimalValue
    guard let whole, whole <= Int64.max / known.nanoseconds - 1 else {
      throw Refusal("\(quoted: text) is out of range", remedy: "write for example \(example)")
    }
    return .nanoseconds(whole * known.nanoseconds + fraction)
  }

  private static func unit(named name: [UInt8]) -> Unit? {
    for unit in units where name.span.elementsEqual(unit.name) { return unit }
    return nil
  }

  private func fractionNanoseconds(of unitNanoseconds: Int64) throws(Refusal) -> Int64 {
    guard wholeEnd < numberEnd else { return 0 }
    var sum: Int64 = 0
    var place = unitNanoseconds
    for index in wholeEnd + 1..<numberEnd {
      let value = Int64(text[index] - UInt8(ascii: "0"))
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
    guard let meant = meantUnit, text.count <= MessageText.quotedCharactersMax else {
      return Refusal(
        "\(quoted: text) is not a duration",
        remedy: "write for example \(example); the units are \(anyOf: Self.units.map { $0.name })")
    }
    let number = [UInt8](text.span.extracting(..<numberEnd))
    return Refusal(
      "\(quoted: text) is not a duration", remedy: "write for example \(bytes: number)\(meant)")
  }

  private var meantUnit: StaticString? {
    let written = unit.lowercasedASCII
    if let unit = Self.unit(named: written) { return unit.name }
    for other in Self.otherNames where written.span.elementsEqual(other.name) { return other.unit }
    return nil
  }
}
