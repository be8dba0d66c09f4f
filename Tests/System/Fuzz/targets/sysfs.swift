import Bytes

@testable import Sensing

/// Anything that files of the kernel, or of other programs, may say, with anything that a person
/// may have written of it: nothing of it is a trap, and what is read is written there.
///
/// The input is texts, each behind a byte with its length: a channel, an offset, a scale, two
/// resistors, a pattern, the numbers of a calibration, and the text that is read.
func fuzz(_ input: Span<UInt8>) {
  var texts = Texts(input)
  let channel = texts.next()
  let offset = KernelText.decimal(texts.next().span) ?? FixedPoint(0)
  let scale = LongDecimal(texts.next().span)
  let resistors = (texts.next(), texts.next())
  let pattern = texts.next()
  let calibration = calibration(&texts)
  let text = texts.rest
  if let number = KernelText.decimal(text.span) { read(number, calibration) }
  var shunt: KernelConversion.Shunt?
  if let assumed = KernelText.decimal(resistors.0.span),
    let real = KernelText.decimal(resistors.1.span)
  {
    shunt = KernelConversion.Shunt(assumed: assumed, real: real)
  }
  let part = KernelPart(named: channel, part: pattern)
  for quantity in quantities(of: channel) {
    let quirk = part.quirk(of: channel.span) { _ in text }
    let conversions = [
      KernelConversion(quantity, of: part, quirk: quirk, shunt: shunt), .meaningless,
      KernelConversion(
        raw: quantity, of: part, quirk: quirk, offset: offset, scale: scale, shunt: shunt),
    ]
    for conversion in conversions {
      if case .number(let number)? = conversion?.answer(text.span) { read(number, calibration) }
    }
  }
  search(text, pattern, calibration)
}

/// The texts of an input, one after another.
private struct Texts {
  private var left: ArraySlice<UInt8>

  init(_ input: Span<UInt8>) { left = [UInt8](input)[...] }

  var rest: [UInt8] { [UInt8](left) }

  mutating func next() -> [UInt8] {
    guard let count = left.popFirst() else { return [] }
    defer { left = left.dropFirst(Int(count)) }
    return [UInt8](left.prefix(Int(count)))
  }
}

private func quantities(of name: [UInt8]) -> [Quantity] {
  var quantities: [Quantity] = []
  if let channel = IIOChannel(name) {
    quantities.append(channel.quantity)
    let files = channel.files(of: "scale") + [channel.inputFile, channel.rawFile]
    expect("a file is in the folder of its device", !files.joined().contains(UInt8(ascii: "/")))
  }
  if let channel = MonitorChannel(name) {
    quantities.append(channel.quantity)
    expect("a channel is a short name", channel.inputFile.count < 20)
  }
  return quantities
}

private func calibration(_ texts: inout Texts) -> Calibration? {
  var numbers: [FixedPoint] = []
  for _ in 0..<8 { numbers.append(KernelText.decimal(texts.next().span) ?? FixedPoint(0)) }
  let points = stride(from: 0, to: 8, by: 2).map { Calibration.Point(numbers[$0], numbers[$0 + 1]) }
  if let table = try? Calibration(points: points, isClamped: true) {
    check(table, points)
    return table
  }
  let isLine = numbers[7].coefficient & 1 == 0
  return isLine
    ? try? Calibration(points: [points[0], points[1]], isClamped: false)
    : try? Calibration(factor: numbers[0], offset: numbers[1])
}

/// At its points a table says what they mean.
private func check(_ table: Calibration, _ points: [Calibration.Point]) {
  for point in points {
    let found = table.meaning(of: point.measured)
    expect("a point means what it says", found?.minus(point.meant)?.coefficient == 0)
  }
}

private func read(_ number: FixedPoint, _ calibration: Calibration?) {
  guard let value = calibration?.meaning(of: number) else { return }
  for decimals in 0...6 { _ = value.rounded(to: UInt8(decimals)) }
}

private func search(_ text: [UInt8], _ pattern: [UInt8], _ calibration: Calibration?) {
  let line = text.count % 4 == 0 ? nil : text.count % 4
  for isCut in [false, true] {
    let whole = NumberPattern(line: line).number(in: text.span, isCut: isCut)
    let found = NumberPattern(pattern, line: line)?.number(in: text.span, isCut: isCut)
    if let place = NumberPattern(pattern, line: line)?.place(in: text.span) {
      expect("a place is in the text", place.upperBound <= text.count)
    }
    for number in [whole, found] {
      guard let number else { continue }
      read(number, calibration)
      expect("a number has digits", text.contains { $0.isASCIIDigit })
    }
  }
}
