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
    return DecimalText(text).unit.span.elementsEqual(unit)
  }

  /// Reads a number with one of `units`; `range` is in the first unit.
  @inline(never)
  private func measure(
    in range: ClosedRange<Int>, units: [(name: StaticString, factor: Double)],
    example: StaticString
  ) -> Double? {
    guard let text = text() else { return nil }
    let number = DecimalText(text)
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

/// Number as people write it, and the unit after it.
private struct DecimalText {
  /// Maximum number of digits after the point that are read.
  private static let decimalsMax = 6

  /// Value; nil if the text does not begin with a number.
  let value: Double?
  let unit: [UInt8]

  init(_ text: [UInt8]) {
    let wholeEnd = Self.endOfDigits(in: text, from: 0)
    let hasPoint = wholeEnd < text.count && text[wholeEnd] == UInt8(ascii: ".")
    let end = hasPoint ? Self.endOfDigits(in: text, from: wholeEnd + 1) : wholeEnd
    value = Self.value(text, wholeEnd: wholeEnd, end: end)
    var unitStart = end
    while unitStart < text.count, text[unitStart] == UInt8(ascii: " ") { unitStart += 1 }
    unit = [UInt8](text.span.extracting(unitStart...))
  }

  private static func endOfDigits(in text: [UInt8], from start: Int) -> Int {
    var end = start
    while end < text.count, text[end].isASCIIDigit { end += 1 }
    return end
  }

  private static func value(_ text: [UInt8], wholeEnd: Int, end: Int) -> Double? {
    guard wholeEnd > 0, end != wholeEnd + 1,
      let whole = text.span.extracting(..<wholeEnd).decimalValue
    else { return nil }
    guard end > wholeEnd else { return Double(whole) }
    let digits = text.span.extracting(wholeEnd + 1..<min(end, wholeEnd + 1 + decimalsMax))
    guard let fraction = digits.decimalValue else { return nil }
    var part = Double(fraction)
    for _ in digits.indices { part /= 10 }
    return Double(whole) + part
  }
}
