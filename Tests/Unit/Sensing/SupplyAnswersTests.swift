import Bytes
import Testing

@testable import Sensing

@Suite struct SupplyAnswersTests {
  private func answers(_ pairs: [(SupplyQuantity, SupplyAnswer)]) -> SupplyAnswers {
    var answers = SupplyAnswers()
    for (quantity, answer) in pairs { answers[quantity] = answer }
    return answers
  }
  private func hundredths(_ number: Int64) -> Value { .number(FixedPoint(number, decimals: 2)) }

  @Test func aSupplyThatSaysNothingHasNoSensors() {
    let answers = SupplyAnswers()
    #expect(answers.capacityPercent == nil)
    #expect(answers.voltageVolts == nil)
    #expect(answers.currentAmperes == nil)
    #expect(answers.energyWattHours == nil)
  }

  @Test func theKernelsMillionthsBecomeVoltsAndAmperes() {
    let answers = answers([
      (.voltageNow, .number(12_345_678)), (.currentNow, .number(-1_234_567)),
    ])
    #expect(answers.voltageVolts == hundredths(1235))
    #expect(answers.currentAmperes == .number(FixedPoint(-1235, decimals: 3)))
  }

  @Test(
    arguments: [
      // The supply's own percentage wins over one that is worked out.
      ([(.capacity, .number(42)), (.energyNow, .number(1)), (.energyFull, .number(2))], 42),
      // One that is missing is worked out.
      ([(.energyNow, .number(2_000_000)), (.energyFull, .number(3_000_000))], 67),
      ([(.chargeNow, .number(2_000_000)), (.chargeFull, .number(3_000_000))], 67),
      // So is one that is not to be had.
      ([(.capacity, .unknown), (.energyNow, .number(2)), (.energyFull, .number(3))], 67),
      ([(.capacity, .unavailable), (.energyNow, .number(2)), (.energyFull, .number(3))], 67),
      ([(.capacity, .number(101)), (.energyNow, .number(2)), (.energyFull, .number(3))], 67),
      ([(.capacity, .number(254)), (.energyNow, .number(2)), (.energyFull, .number(3))], 67),
      // An overfull battery is full.
      ([(.capacity, .number(104))], 100),
      ([(.chargeNow, .number(103)), (.chargeFull, .number(100))], 100),
    ] as [([(SupplyQuantity, SupplyAnswer)], Int64)])
  func aPercentageIsTheSupplysOwnOrWorkedOut(
    pairs: [(SupplyQuantity, SupplyAnswer)], percent: Int64
  ) {
    #expect(answers(pairs).capacityPercent == .number(FixedPoint(percent)))
  }

  @Test func withoutAShareAPercentageThatIsNotToBeHadStaysSo() {
    let share: [(SupplyQuantity, SupplyAnswer)] = [
      (.energyFull, .number(0)), (.energyNow, .number(5)),
    ]
    #expect(answers([(.capacity, .unknown)] + share).capacityPercent == .unknown)
    #expect(answers([(.capacity, .unavailable)]).capacityPercent == .unavailable)
  }

  /// Registers full of ones.
  @Test(
    arguments: [
      (.capacity, 255, "255 %", "outside of 0 to 100 %"),
      (.voltageNow, 2_147_483_647, "2147.484 V", "outside of -2000 to 2000 V"),
      (.voltageMinDesign, 2_000_000_001, "2000.000 V", "outside of -2000 to 2000 V"),
    ] as [(SupplyQuantity, Int64, String, String)])
  func whatCannotBeIsSaidWithWhatCanBe(
    quantity: SupplyQuantity, number: Int64, found: String, why: String
  ) {
    let name = InlineText("BAT0/x")
    #expect(
      quantity.failure(of: name, number)
        == .implausible(
          name, found: InlineText([UInt8](found.utf8).span), why: InlineText([UInt8](why.utf8).span)
        ))
  }

  @Test(
    arguments: [
      (.capacity, 0), (.capacity, 254), (.voltageNow, 0), (.voltageNow, 2_000_000_000),
      (.currentNow, -2_147_483_648), (.energyNow, 2_147_483_647),
    ] as [(SupplyQuantity, Int64)])
  func whatCanBeIsNoFailure(quantity: SupplyQuantity, number: Int64) {
    #expect(quantity.failure(of: InlineText("BAT0/x"), number) == nil)
  }

  @Test func aBatteryWithoutAFullChargeHasNoPercentage() {
    let empty = answers([(.chargeNow, .number(0)), (.chargeFull, .number(0))])
    #expect(empty.capacityPercent == .unknown)
    #expect(answers([(.chargeNow, .number(5))]).capacityPercent == nil)
  }

  @Test func energyIsTakenAsItIsBeforeItIsWorkedOut() {
    let answers = answers([
      (.energyNow, .number(41_526_000)), (.chargeNow, .number(1)), (.voltageNow, .number(1)),
    ])
    #expect(answers.energyWattHours == hundredths(4153))
  }

  @Test func chargeBecomesEnergyAtTheRatedVoltage() {
    var answers = answers([
      (.chargeNow, .number(2_500_000)), (.voltageMinDesign, .number(3_700_000)),
      (.voltageNow, .number(4_200_000)),
    ])
    #expect(answers.energyWattHours == hundredths(925))
    answers[.voltageMinDesign] = .absent
    #expect(answers.energyWattHours == hundredths(1050))
    answers[.voltageMinDesign] = .number(0)
    #expect(answers.energyWattHours == hundredths(1050))
    answers[.voltageNow] = .absent
    answers[.voltageMinDesign] = .absent
    #expect(answers.energyWattHours == nil)
  }

  @Test func theLargestNumbersOfTheKernelDoNotOverflow() {
    let largest = Int64(Int32.max)
    let answers = answers([
      (.chargeNow, .number(largest)), (.chargeFull, .number(largest)),
      (.voltageNow, .number(largest)),
    ])
    #expect(answers.energyWattHours == hundredths(461_168_601))
    #expect(answers.capacityPercent == .number(FixedPoint(100)))
  }

  @Test func whatIsWorkedOutFromNothingIsNotInvented() {
    var answers = answers([(.chargeNow, .unknown), (.chargeFull, .number(100))])
    #expect(answers.capacityPercent == .unknown)
    answers[.chargeFull] = .unavailable
    #expect(answers.capacityPercent == .unavailable)
    answers[.voltageNow] = .number(1)
    #expect(answers.energyWattHours == .unknown)
  }

  @Test func theNameOfASupplyCannotBreakItsUniqueID() {
    let description = SupplySensor.capacity.description(of: [UInt8]("Hid-00:1F\"é battery".utf8))
    #expect(description.uniqueID == [UInt8]("supply_hid_00_1f____battery_capacity"))
    #expect(SupplySensor.energy.description(of: [UInt8]("BAT0")).name == [UInt8]("BAT0 energy"))
  }

  @Test func onlyWhatCountsHasAStateClass() {
    let supply = [UInt8]("BAT0")
    #expect(SupplySensor.voltage.description(of: supply).stateClass == [UInt8]("measurement"))
    #expect(SupplySensor.status.description(of: supply).stateClass == nil)
    #expect(SupplySensor.online.description(of: supply).kind == .binarySensor)
    let diagnostic = SupplySensor.allCases.filter { $0.description(of: supply).isDiagnostic }
    #expect(diagnostic == [.status, .energy], "volts and amperes are what a van is asked first")
    let icons = SupplySensor.allCases.filter { $0.description(of: supply).icon != nil }
    #expect(icons == [.status], "the others have a class, which Home Assistant draws")
  }
}
