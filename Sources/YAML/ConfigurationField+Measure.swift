import Bytes

extension ConfigurationField {
  /// Reads a distance with its unit, such as `50m`, in metres; `example` is a valid value.
  public func meters(in range: ClosedRange<Int>, example: StaticString) -> Double? {
    measure(in: range, units: [("m", 1), ("km", 1000), ("nmi", 1852)], example: example)
  }

  /// Reads an angle with its unit, such as `20°`, in degrees; `example` is a valid value.
  public func degrees(in range: ClosedRange<Int>, example: StaticString) -> Double? {
    measure(in: range, units: [("°", 1), ("deg", 1)], example: example)
  }

  /// Reads a percentage, such as `30%`, in `range`; `example` is a valid value.
  public func percent(in range: ClosedRange<Int>, example: StaticString) -> Double? {
    measure(in: range, units: [("%", 1)], example: example)
  }

  /// Reads a voltage with its unit, such as `11.8V`, in volts; `example` is a valid value.
  public func volts(in range: ClosedRange<Int>, example: StaticString) -> Double? {
    measure(in: range, units: [("V", 1), ("mV", 0.001)], example: example)
  }

  /// Whether the value is a number with this unit.
  public func isMeasure(in unit: StaticString) -> Bool {
    guard case .scalar(let text, _) = node.content else { return false }
    return WrittenMeasure(text).unit.span.elementsEqual(unit)
  }

  /// Reads a number with one of `units`; `range` is in the first unit.
  @inline(never)
  private func measure(
    in range: ClosedRange<Int>, units: [(name: StaticString, factor: Double)],
    example: StaticString
  ) -> Double? {
    guard let text = text() else { return nil }
    let number = WrittenMeasure(text)
    guard let value = number.value else {
      report("\(quoted: text) is not a number with a unit", remedy: "write for example \(example)")
      return nil
    }
    for unit in units where number.unit.span.elementsEqual(unit.name) {
      let measure = value * unit.factor
      if measure >= Double(range.lowerBound), measure <= Double(range.upperBound) {
        return measure
      }
      report(
        "\(quoted: text) is out of range",
        remedy: "write \(range.lowerBound) to \(range.upperBound) \(units[0].name)")
      return nil
    }
    let isBare = number.unit.isEmpty
    report(
      isBare ? "\(quoted: text) has no unit" : "\(quoted: text) has another unit",
      remedy: "write for example \(example); the units are \(anyOf: units.map { $0.name })")
    return nil
  }
}

/// Number as people write it, and the unit after it: digits, optionally a decimal point, and a
/// word.
struct WrittenMeasure {
  /// Maximum number of digits after the point that `value` has.
  private static let decimalsMax = 6

  private let text: [UInt8]
  private let wholeEnd: Int
  private let numberEnd: Int
  let unit: [UInt8]

  init(_ text: [UInt8]) {
    func endOfDigits(from start: Int) -> Int {
      var end = start
      while end < text.count, text[end].isASCIIDigit { end += 1 }
      return end
    }
    self.text = text
    wholeEnd = endOfDigits(from: 0)
    let hasPoint = wholeEnd < text.count && text[wholeEnd] == UInt8(ascii: ".")
    numberEnd = hasPoint ? endOfDigits(from: wholeEnd + 1) : wholeEnd
    unit = [UInt8](text[numberEnd...].drop { $0 == UInt8(ascii: " ") })
  }

  /// Whether the text begins with a number.
  var hasNumber: Bool { wholeEnd > 0 && numberEnd != wholeEnd + 1 }

  /// Digits before the point, and those after it.
  var whole: Int64? { text.span.extracting(..<wholeEnd).decimalValue }
  var decimals: ArraySlice<UInt8> { text[min(wholeEnd + 1, numberEnd)..<numberEnd] }
  var number: ArraySlice<UInt8> { text[..<numberEnd] }

  /// Value of the number; nil without one, or if it does not fit.
  var value: Double? {
    guard hasNumber, let whole else { return nil }
    let digits = [UInt8](decimals.prefix(Self.decimalsMax))
    guard let fraction = digits.isEmpty ? 0 : digits.span.decimalValue else { return nil }
    var part = Double(fraction)
    for _ in digits { part /= 10 }
    return Double(whole) + part
  }
}

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
  private let measure: WrittenMeasure

  init(_ text: [UInt8], example: StaticString) throws(Refusal) {
    self.text = text
    self.example = example
    measure = WrittenMeasure(text)
    guard measure.hasNumber, measure.unit.first != UInt8(ascii: ".") else {
      throw Refusal("\(quoted: text) is not a duration", remedy: "write for example \(example)")
    }
  }

  func duration() throws(Refusal) -> Duration {
    guard let known = Self.unit(named: measure.unit) else { throw refusalOfUnit }
    let fraction = try fractionNanoseconds(of: known.nanoseconds)
    guard let whole = measure.whole, whole <= Int64.max / known.nanoseconds - 1 else {
      throw Refusal("\(quoted: text) is out of range", remedy: "write for example \(example)")
    }
    return .nanoseconds(whole * known.nanoseconds + fraction)
  }

  private static func unit(named name: [UInt8]) -> Unit? {
    for unit in units where name.span.elementsEqual(unit.name) { return unit }
    return nil
  }

  private func fractionNanoseconds(of unitNanoseconds: Int64) throws(Refusal) -> Int64 {
    var sum: Int64 = 0
    var place = unitNanoseconds
    for digit in measure.decimals {
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
    guard !measure.unit.isEmpty else {
      return Refusal("\(quoted: text) has no unit", remedy: "write for example \(example)")
    }
    guard let meant = meantUnit, text.count <= MessageText.quotedCharactersMax else {
      return Refusal(
        "\(quoted: text) is not a duration",
        remedy: "write for example \(example); the units are \(anyOf: Self.units.map { $0.name })")
    }
    return Refusal(
      "\(quoted: text) is not a duration",
      remedy: "write for example \(bytes: [UInt8](measure.number))\(meant)")
  }

  private var meantUnit: StaticString? {
    let written = measure.unit.lowercasedASCII
    if let unit = Self.unit(named: written) { return unit.name }
    for other in Self.otherNames where written.span.elementsEqual(other.name) { return other.unit }
    return nil
  }
}
