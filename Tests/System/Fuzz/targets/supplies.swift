import Bytes

@testable import Sensing

/// Anything that the files of a power supply may say: what is worked out of it is possible.
///
/// The input is a text for each quantity, behind a byte with its length; a length of 255 is a file
/// that is not there, and one of 254 a device that has gone.
func fuzz(_ input: Span<UInt8>) {
  var answers = SupplyAnswers()
  var place = 0
  for number in 0..<SupplyQuantity.count {
    guard place < input.count, let quantity = SupplyQuantity(rawValue: number) else { break }
    let length = input[place]
    place += 1
    if length >= 254 {
      answers[quantity] = length == 254 ? .unavailable : .absent
      continue
    }
    let count = min(Int(length), input.count - place)
    let text = input.extracting(place..<place + count)
    place += count
    let value = KernelText.integer(text, in: quantity.range)
    answers[quantity] = value.map { .number($0) } ?? .unknown
  }
  check(answers)
}

private func check(_ answers: SupplyAnswers) {
  if case .number(let percent)? = answers.capacityPercent {
    expect("a share is one", percent.decimals == 0 && (0...100).contains(percent.coefficient))
  }
  if case .number(let volts)? = answers.voltageVolts {
    expect("a battery has no negative voltage", volts.coefficient >= 0)
  }
  if case .number(let energy)? = answers.energyWattHours {
    expect("what is left is not less than nothing", energy.coefficient >= 0)
  }
  if case .number(let amperes)? = answers.currentAmperes {
    expect("a current fits", amperes.decimals <= 3)
  }
  expect(
    "what is not there has no sensor",
    answers[.currentNow] != .absent || answers.currentAmperes == nil)
}
