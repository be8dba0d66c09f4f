import Bytes

@testable import Sensing

/// Anything that the kernel may say of a thermometer, reading after reading: what is believed is a
/// temperature that the part can measure, and never the one that it has at power-up, unless it was
/// near that before.
///
/// The input is texts, each behind a byte with its length.
func fuzz(_ input: Span<UInt8>) {
  var filter = OneWireFilter(of: KernelPart(named: [UInt8]("28-0316a2796cff" as StaticString)))
  var known: Int64?
  var place = 0
  while place < input.count {
    let count = min(Int(input[place]), input.count - place - 1)
    let text = input.extracting(place + 1..<place + 1 + count)
    place += 1 + count
    guard case .number(let celsius) = filter.answered(text) else { continue }
    let number = celsius.coefficient
    expect("a part can measure it", (-55_000...125_000).contains(number))
    if number == PowerUpFilter.millidegrees {
      let isNear = known.map { abs($0 - number) <= PowerUpFilter.nearMillidegrees } ?? false
      expect("85 degrees are near what was before", isNear)
    }
    known = number
  }
}
