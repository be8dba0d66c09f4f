import Bytes
import Sensing
import YAML

/// Keys that define the meaning of a number: `scale` and `to`, `table`, or `factor` and `offset`.
struct CalibrationKeys {
  /// Whether there is such a key, even a wrong one.
  let isPresent: Bool
  /// Calibration; nil if there is no such key, or an error was reported.
  let calibration: Calibration?

  init(_ keys: SectionReader) {
    let fields = Fields(keys)
    isPresent = fields.first != nil
    calibration = fields.calibration()
  }
}

private struct Fields {
  let scale, to, clamp, table, factor, offset: ConfigurationField?

  init(_ keys: SectionReader) {
    scale = keys.optional("scale")
    to = keys.optional("to")
    clamp = keys.optional("clamp")
    table = keys.optional("table")
    factor = keys.optional("factor")
    offset = keys.optional("offset")
  }

  var first: ConfigurationField? { scale ?? to ?? clamp ?? table ?? factor ?? offset }

  func calibration() -> Calibration? {
    let isLine = factor != nil || offset != nil
    let isScale = scale != nil || to != nil || clamp != nil
    if (isLine ? 1 : 0) + (isScale ? 1 : 0) + (table == nil ? 0 : 1) > 1 {
      (factor ?? offset ?? table)?.report(
        "a sensor has only one calibration",
        remedy: "write scale and to, or table, or factor and offset")
      return nil
    }
    if isScale { return twoPoints() }
    if let table { return table.table() }
    return isLine ? line() : nil
  }

  private func line() -> Calibration? {
    let numbers = (
      factor.map { $0.decimal(example: "0.5") } ?? FixedPoint(1),
      offset.map { $0.decimal(example: "-1.5") } ?? FixedPoint(0)
    )
    guard let factorNumber = numbers.0, let offsetNumber = numbers.1 else { return nil }
    if factorNumber.coefficient == 0 {
      factor?.report("the factor is 0", remedy: "write another number")
      return nil
    }
    return (factor ?? offset)?.calibration { () throws(Calibration.Flaw) in
      try Calibration(factor: factorNumber, offset: offsetNumber)
    }
  }

  private func twoPoints() -> Calibration? {
    guard let scale, let to else {
      first?.report(
        "scale has two measured values, and to has their meanings; one of the two is missing",
        remedy: "write for example scale: [2.9, 1.2], to: [0, 100]")
      return nil
    }
    let isClamped = clamp.map { $0.boolean() } ?? false
    let measured = scale.numbers(example: "[2.9, 1.2]")
    let meant = to.numbers(example: "[0, 100]")
    guard let measured, let meant, let isClamped else { return nil }
    let points = [
      Calibration.Point(measured.0, meant.0), Calibration.Point(measured.1, meant.1),
    ]
    return scale.calibration { () throws(Calibration.Flaw) in
      try Calibration(points: points, isClamped: isClamped)
    }
  }
}

extension ConfigurationField {
  /// Reads a decimal number with at most nine digits after its point.
  func decimal(example: StaticString) -> FixedPoint? {
    guard let text = text() else { return nil }
    if let number = FixedPoint(written: text.span.trimmed()) { return number }
    reportNot("a number", text, remedy: "write for example \(example)")
    return nil
  }

  fileprivate func numbers(example: StaticString) -> (FixedPoint, FixedPoint)? {
    let fields = items(count: 2...2, example: example)
    let numbers = fields.compactMap { $0.decimal(example: "0.5") }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }

  fileprivate func table() -> Calibration? {
    let example: StaticString = "[[240, 0], [33, 100]]"
    let fields = items(count: 2...Calibration.pointsMax, example: example)
    let points = fields.compactMap { field in
      field.numbers(example: "[240, 0]").map { Calibration.Point($0.0, $0.1) }
    }
    guard points.count >= 2, points.count == fields.count else { return nil }
    return calibration { () throws(Calibration.Flaw) in
      try Calibration(points: points, isClamped: true)
    }
  }

  fileprivate func calibration(
    _ make: () throws(Calibration.Flaw) -> Calibration
  ) -> Calibration? {
    do throws(Calibration.Flaw) { return try make() } catch {
      switch error {
      case .tooLarge:
        report(
          "a number is too large",
          remedy: "write one from -\(Int(Calibration.numberMax)) to \(Int(Calibration.numberMax))")
      case .wrongCount, .notMonotonic:
        report(
          "the measured values must rise from point to point, or fall",
          remedy: "write the points in order, each once")
      }
      return nil
    }
  }
}
