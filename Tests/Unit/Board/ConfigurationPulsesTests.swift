import Board
import Bytes
import Sensing
import Testing
import YAML

@testable import Drivers

/// Pulse counters and outputs in the configuration.
@Suite struct ConfigurationPulsesTests {
  private func pulses(_ settings: String) throws -> PulseSettings {
    let configuration = try Outcome.configuration(
      minimum + "sensors: [{ pulses: GPIO27, name: Rain\(settings) }]")
    return try #require(configuration.sensors.first as? SensorEntry<PulseSettings>).settings
  }

  private func output(_ settings: String) throws -> OutputSettings {
    let configuration = try Outcome.configuration(
      minimum + "outputs: [{ gpio: GPIO22, name: Pump\(settings) }]")
    return try #require(configuration.outputs.first)
  }

  @Test func aRainGaugeIsRead() throws {
    let rain = try pulses(
      """
      , per_pulse: 0.2794, unit: mm, device_class: precipitation, state_class: total_increasing,
          min_width: 5ms, bias: pull_up, active_low: true,
          rate: { per: hour, name: Rain rate, unit: mm/h }
      """)
    #expect(rain.address == .name([UInt8]("GPIO27")))
    #expect(rain.perPulse == FixedPoint(2794, decimals: 4))
    #expect(rain.minWidth == .milliseconds(5))
    #expect(rain.bias == .pullUp)
    #expect(rain.isActiveLow)
    #expect(text(rain.entity.unit) == "mm")
    #expect(rain.rate?.span == .seconds(3600))
    #expect(text(rain.rate?.entity.name) == "Rain rate")
    #expect(text(rain.rate?.entity.unit) == "mm/h")
  }

  @Test func aCounterNeedsALineAndANameOnly() throws {
    let counter = try pulses("")
    #expect(counter.perPulse == FixedPoint(1))
    #expect(counter.minWidth == .zero)
    #expect(!counter.isActiveLow)
    #expect(counter.bias == .asIs)
    #expect(counter.rate == nil)
  }

  @Test(
    arguments: [
      ("1", 1, 0), ("0.000666667", 666_667, 9), ("999999999.999999999", 999_999_999_999_999_999, 9),
      ("2.50", 250, 2), ("000.1", 1, 1),
    ] as [(String, Int64, UInt8)])
  func anAmountIsExact(written: String, coefficient: Int64, decimals: UInt8) throws {
    let amount = try pulses(", per_pulse: \(written)").perPulse
    #expect(amount == FixedPoint(coefficient, decimals: decimals))
  }

  @Test(arguments: [
    "0", "0.0", "-1", "1e3", "1.", ".5", "1234567890", "0.1234567891", "1/450", "1.2.3",
  ])
  func whatIsNoAmountIsRefused(written: String) {
    let problem = Outcome.problem(
      minimum + "sensors: [{ pulses: GPIO27, name: Rain, per_pulse: \(written) }]")
    #expect(problem.contains("sensors[0].per_pulse: "), "\(problem)")
    #expect(problem.hasSuffix("on each side of its point, such as 0.2794"), "\(problem)")
  }

  @Test(arguments: [
    ("min_width: 1001ms", "sensors[0].min_width: "), ("rate: hour", "sensors[0].rate: "),
    ("rate: { name: x }", "the key \"per\" is missing"),
    ("rate: { per: hour }", "the key \"name\" is missing"),
    ("rate: { per: day, name: x }", "write second, minute or hour"),
    ("rate: { per: hour, name: Rain }", "already used"),
    ("rate: { per: hour, name: x, window: 5s }", "unknown key \"window\""),
    ("debounce: 5ms", "unknown key \"debounce\""), ("urgent: true", "unknown key \"urgent\""),
    ("unit: lightyears", "sensors[0].unit: "),
  ])
  func whatACounterCannotHaveIsRefused(setting: String, words: String) {
    let problem = Outcome.problem(
      minimum + "sensors: [{ pulses: GPIO27, name: Rain, \(setting) }]")
    #expect(problem.contains(words), "\(problem)")
  }

  @Test func anOutputIsRead() throws {
    let pump = try output(", device_class: running, max_on: 10min, active_low: true, safe: off")
    #expect(pump.address == .name([UInt8]("GPIO22")))
    #expect(pump.maxOn == .seconds(600))
    #expect(pump.isActiveLow)
    #expect(pump.safe == .inactive)
    #expect(text(pump.entity.deviceClass) == "running")
    let lamp = try output(", safe: on")
    #expect(lamp.safe == .active)
    #expect(lamp.maxOn == nil)
    #expect(try output("").safe == .inactive)
    #expect(try Outcome.configuration(minimum).outputs.isEmpty)
  }

  @Test(arguments: [
    ("max_on: 0s", "outputs[0].max_on: "), ("max_on: 25h", "outputs[0].max_on: "),
    ("safe: maybe", "outputs[0].safe: "), ("debounce: 5ms", "unknown key \"debounce\""),
    ("safe: on, max_on: 5s", "remove max_on or safe: on"),
  ])
  func whatAnOutputCannotHaveIsRefused(setting: String, words: String) {
    let problem = Outcome.problem(
      minimum + "outputs: [{ gpio: GPIO22, name: Pump, \(setting) }]")
    #expect(problem.contains(words), "\(problem)")
  }

  @Test func aLineOrANameIsUsedOnceInSensorsAndOutputs() {
    let problems = Outcome.problems(
      minimum + """
        sensors:
          - { gpio: GPIO17, name: Bilge }
          - { pulses: GPIO17, name: Rain }
        outputs:
          - { gpio: GPIO17, name: Horn }
          - { gpio: GPIO22, name: BILGE }
        """)
    #expect(problems.count == 3)
    #expect(problems.allSatisfy { $0.contains("already used on line 3") }, "\(problems)")
  }

  @Test func thereAreSixteenOutputsAtMost() {
    func outputs(_ count: Int) -> [String] {
      let entries = (1...count).map { "  - { gpio: GPIO\($0), name: Output \($0) }\n" }
      return Outcome.problems(minimum + "outputs:\n" + entries.joined())
    }
    #expect(outputs(16).isEmpty)
    #expect(outputs(17).count == 1)
  }

  /// Its figures are those of the kernel, and no power supplies.
  @Test(arguments: ["load average", "memory", "last start"] as [StaticString])
  func whereTheKernelsFilesAreNotTheConfigurationIsToBeLookedAt(source: StaticString) throws {
    let configuration = try Outcome.configuration(minimum + "host: { proc: /host/prok }\n")
    let advice = SourceAdvice(configuration)
    let name = InlineText(source)
    let words = String(
      decoding: advice.remedy(for: .missing(name), of: name).bytes, as: UTF8.self)
    #expect(
      words.hasPrefix("it comes from host.proc, which is /host/prok: write where"), "\(words)")
    #expect(advice.isNamedByPerson(name))
    #expect(!SourceAdvice(try Outcome.configuration(minimum)).isNamedByPerson(name))
  }

  @Test func eachSourceBringsItsRemedy() throws {
    let configuration = try Outcome.configuration(
      minimum + """
        sensors: [{ pulses: GPIO27, name: Rain }]
        outputs: [{ gpio: GPIO22, name: Pump }]
        """)
    let advice = SourceAdvice(configuration)
    func remedy(_ failure: SourceFailure, _ source: StaticString) -> String {
      let text = advice.remedy(for: failure, of: InlineText(source))
      return String(decoding: text.bytes, as: UTF8.self)
    }
    let line = InlineText("GPIO27")
    #expect(remedy(.busy(line), "GPIO27").hasPrefix("stop the program that uses it"))
    let places = InlineText("1-0020/3 1-0021/3")
    #expect(remedy(.ambiguous(line, found: places), "GPIO27").hasSuffix("such as 1-0021/3"))
    #expect(remedy(.flooded(line, edgesPerSecond: 9), "GPIO27").hasPrefix("check its wire"))
    let found = InlineText("off")
    #expect(remedy(.malformed(line, found: found), "GPIO22").hasPrefix("check its wire: another"))
    #expect(
      remedy(.malformed(line, found: found), "pulses.counts").hasPrefix("if it is damaged"))
    #expect(remedy(.failed(line, errno: 28), "pulses.counts").hasPrefix("free space"))
  }
}
