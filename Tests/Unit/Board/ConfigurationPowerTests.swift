import Bytes
import Sensing
import Testing

@testable import Board

/// `power`: what is different while the supply is low.
@Suite struct ConfigurationPowerTests {
  @Test func theLevelsAreThoseOfTheFile() throws {
    let configuration = try Outcome.configuration(
      minimum + """
        location: { source: gpsd }
        power:
          - { mains: off, upload: 5min }
          - { below: 30%, every: 15min, upload: 1h }
          - { below: 11.8V, every: 2h, gps: off }
        """)
    #expect(
      configuration.power == [
        PowerLevel(.withoutMains, PowerEffect(uploadEvery: .seconds(300))),
        PowerLevel(
          .chargeBelow(percent: 30),
          PowerEffect(every: .seconds(900), uploadEvery: .seconds(3600))),
        PowerLevel(
          .voltageBelow(microvolts: 11_800_000),
          PowerEffect(every: .seconds(7200), isReceiverOff: true)),
      ])
  }

  @Test(arguments: [
    ("[{ below: 30, every: 15min }]", "write for example 30% or 11.8V"),
    ("[{ below: 96%, every: 15min }]", "write 1 to 95 %"),
    ("[{ below: 12.5%, every: 15min }]", "write a whole number of percent"),
    ("[{ below: 30% }]", "write every, upload or gps: off"),
    ("[{ every: 15min }]", "write for example below: 30%, or mains: off"),
    ("[{ below: 30%, mains: off, every: 15min }]", "write a level for below"),
    ("[{ mains: on, every: 15min }]", "mains: off"),
    ("[{ below: 30%, gps: off }]", "leave out gps"),
    ("[{ below: 10%, every: 2h }, { below: 30%, every: 1h }]", "from the highest limit"),
    ("[{ below: 30%, every: 1s }]", "5 s"),
    ("{ below: 30%, every: 15min }", "write for example power:"),
    ("[]", "write 1 to 16"),
  ])
  func whatCannotBeMeantSaysWhatWouldBe(text: String, remedy: String) throws {
    let problems = Outcome.problems(minimum + "power: \(text)\n")
    #expect(problems.contains { $0.contains(remedy) }, "\(problems)")
  }

  @Test func aSecondLevelWithoutMainsIsNamedByItsPlace() {
    let problems = Outcome.problems(
      minimum + "power:\n  - { mains: off, every: 1h }\n  - { mains: off, every: 5s }\n")
    #expect(
      problems == [
        "f:4:14: power[1].mains: an earlier level already has mains: off; write one level for"
          + " mains: off, with all its changes"
      ])
  }

  @Test(arguments: ["every: 1s", "upload: soon", "gps: on"])
  func aLevelOfWhichAValueIsWrongIsNotSaidToChangeNothing(effect: String) {
    let problems = Outcome.problems(
      minimum + "location: { source: gpsd }\npower: [{ below: 30%, \(effect) }]\n")
    #expect(problems.count == 1, "\(problems)")
    #expect(problems.first?.contains("this level changes nothing") == false)
  }

  @Test func withoutABatteryThereIsNothingToGoBy() {
    let problems = Outcome.problems(
      minimum + "battery: off\npower: [{ below: 30%, every: 15min }]\n")
    #expect(problems.contains { $0.contains("battery: auto") })
  }

  @Test(arguments: [
    (PowerLevel.Condition.chargeBelow(percent: 30), "below 30 %"),
    (.voltageBelow(microvolts: 11_800_000), "below 11.8 V"),
    (.voltageBelow(microvolts: 12_000_000), "below 12 V"), (.withoutMains, "without mains"),
  ])
  func aLevelIsCalledAsAPersonWroteIt(condition: PowerLevel.Condition, words: String) {
    #expect(String(decoding: condition.words.bytes, as: UTF8.self) == words)
  }
}
