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
      reportNot("a number with a unit", text, remedy: "write for example \(example)")
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
  /// Reads a duration as a person wrote it: digits, optionally a decimal point, and a unit.
  @inline(never)
  public init(
    _ text: [UInt8], in range: ClosedRange<Duration>, example: StaticString
  ) throws(Refusal) {
    let measure = WrittenMeasure(text)
    guard measure.hasNumber, measure.unit.first != UInt8(ascii: ".") else {
      throw Refusal("\(quoted: text) is not a duration", remedy: "write for example \(example)")
    }
    guard let unit = DurationUnit.all.first(where: { measure.unit.span.elementsEqual($0.name) })
    else { throw DurationUnit.refusal(of: text, measure, example: example) }
    let fraction = try measure.fraction(of: unit.nanoseconds, in: text)
    guard let whole = measure.whole, whole <= Int64.max / unit.nanoseconds - 1 else {
      throw Refusal("\(quoted: text) is out of range", remedy: "write for example \(example)")
    }
    self = .nanoseconds(whole * unit.nanoseconds + fraction)
    guard range.contains(self) else {
      throw Refusal(
        "\(quoted: text) is out of range",
        remedy: "write a time from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}

extension WrittenMeasure {
  /// Returns the decimals as nanoseconds; throws if they are not whole ones.
  fileprivate func fraction(of unitNanoseconds: Int64, in text: [UInt8]) throws(Refusal) -> Int64 {
    var sum: Int64 = 0
    var place = unitNanoseconds
    for digit in decimals {
      let value = Int64(digit - UInt8(ascii: "0"))
      guard value == 0 || (place >= 10 && place.isMultiple(of: 10)) else {
        throw Refusal("\(quoted: text) has too many digits", remedy: "leave some out")
      }
      place /= 10
      sum += value * place
    }
    return sum
  }
}

/// Unit of a duration, with other names that people write.
private struct DurationUnit {
  let name: StaticString
  let nanoseconds: Int64
  let otherNames: [StaticString]

  static let all = [
    Self(name: "ms", nanoseconds: 1_000_000, otherNames: ["msec", "millisecond", "milliseconds"]),
    Self(name: "s", nanoseconds: 1_000_000_000, otherNames: ["sec", "secs", "second", "seconds"]),
    Self(
      name: "min", nanoseconds: 60_000_000_000, otherNames: ["m", "mins", "minute", "minutes"]),
    Self(
      name: "h", nanoseconds: 3_600_000_000_000, otherNames: ["hr", "hrs", "hour", "hours"]),
    Self(name: "d", nanoseconds: 86_400_000_000_000, otherNames: ["day", "days"]),
  ]

  /// Returns the reason why a text without one of the units is no duration.
  static func refusal(
    of text: [UInt8], _ measure: WrittenMeasure, example: StaticString
  ) -> Refusal {
    guard !measure.unit.isEmpty else {
      return Refusal("\(quoted: text) has no unit", remedy: "write for example \(example)")
    }
    let written = measure.unit.lowercasedASCII
    let meant = all.first { unit in
      ([unit.name] + unit.otherNames).contains { written.span.elementsEqual($0) }
    }
    guard let meant, text.count <= MessageText.quotedCharactersMax else {
      return Refusal(
        "\(quoted: text) is not a duration",
        remedy: "write for example \(example); the units are \(anyOf: all.map { $0.name })")
    }
    return Refusal(
      "\(quoted: text) is not a duration",
      remedy: "write for example \(bytes: [UInt8](measure.number))\(meant.name)")
  }
}
