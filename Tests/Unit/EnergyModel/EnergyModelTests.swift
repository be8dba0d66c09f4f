import Testing

@testable import EnergyModel

/// The expectations are computed by hand, or are those of others.
@Suite struct EnergyModelTests {
  private let tail = RadioTail(setupSeconds: 1, tailSeconds: 12)
  private let zero = Board.all[0]

  private func energy(_ change: (inout DailyUse) -> Void, over radio: Radio = .wifi) -> DailyEnergy
  {
    var use = DailyUse()
    change(&use)
    return DailyEnergy(of: use, on: zero, over: radio)
  }

  // MARK: The radio

  /// What a modem takes at these intervals was computed from measured currents, apart from this.
  @Test(arguments: [(10, 0.92), (30, 0.66), (60, 0.57), (300, 0.485), (900, 0.47)])
  func aModemTakesWhatItsMeasuredCurrentsSay(interval: Int, watts: Double) {
    let awake = tail.awakeSeconds(moments: [5], windowSeconds: Double(interval))
    let energy = energy({ $0.radioSeconds = awake / Double(interval) * 86_400 }, over: .lte)
    #expect(abs(energy.radio / 24 - watts) < 0.01)
  }

  @Test(
    arguments: [
      ("bytes within a tail are one wake-up", [100, 100.5, 103], 300, 16),
      ("a byte after the tail wakes the radio again", [200, 100], 300, 26),
      ("a tail goes on into the next window", [299], 300, 13),
      ("a radio that never rests is awake all the time", [0, 5, 10, 15], 20, 20),
      ("a silent radio sleeps", [], 300, 0),
    ] as [(String, [Double], Double, Double)])
  func aRadioIsAwake(what: String, moments: [Double], window: Double, seconds: Double) {
    #expect(tail.awakeSeconds(moments: moments, windowSeconds: window) == seconds, "\(what)")
  }

  // MARK: The day

  @Test func aBoardThatDoesNothingTakesItsIdlePower() {
    let energy = energy { _ in }
    #expect(energy.total == 0.55 * 24)
  }

  @Test func theAgentCostsWhatASlowerProcessorNeedsLonger() {
    let energy = energy {
      $0.processorSeconds = 75
      $0.wakeUps = 12_000
    }
    #expect(abs(energy.agent - (75 * 12 * 0.4 + 3.6) / 3600) < 1e-9)
  }

  @Test func aReceiverCostsTheHoursThatItRuns() {
    #expect(abs(energy { $0.receiverSeconds = 7200 }.receiver - 0.45) < 1e-9)
  }

  /// 30 s until modem and receiver are ready, of which 25 s are the boot's, 5 s of work, 10 s to
  /// halt.
  @Test func aBoardThatIsOffPaysForItsStarts() {
    let energy = energy(
      { $0.starts = DailyUse.Starts(perDay: 4, runSeconds: 5, hasReceiver: true) }, over: .lte)
    let on = 4.0 * 45
    let board = 4 * (25 * 1.25 + 20 * 0.55) + (86_400 - on) * 0.03
    #expect(abs(energy.board - board / 3600) < 1e-9)
    #expect(abs(energy.radio - on * 0.465 / 3600) < 1e-9)
    #expect(abs(energy.receiver - on * 0.225 / 3600) < 1e-9)
  }

  /// The receiver needs 30 s, the boot 25.
  @Test func aBoardThatIsOffWaitsForItsReceiverAlsoWithoutAModem() {
    let starts = DailyUse.Starts(perDay: 1, runSeconds: 5, hasReceiver: true)
    #expect(abs(energy { $0.starts = starts }.receiver - 45 * 0.225 / 3600) < 1e-9)
  }

  @Test func aNetworkAtHomeCostsOnlyTheMessages() {
    #expect(abs(energy { $0.radioSeconds = 3600 }.radio - 0.4) < 1e-9)
  }

  // MARK: The battery

  @Test func aBatteryFeedsTheConverterAndLosesChargeByItself() {
    let battery = Battery.all[0]
    let days = battery.days(at: energy { _ in }, isSwitchedOff: false)
    #expect(abs(days - 600 / (13.2 / 0.88 + 2.88 + 0.8)) < 1e-9)
  }

  @Test func aConverterThatIsSwitchedOffTakesNothing() {
    let battery = Battery.all[1]
    let days = battery.days(at: energy { _ in }, isSwitchedOff: true)
    #expect(abs(days - 230.4 / (13.2 / 0.88 + 0.17)) < 1e-9)
  }

  // MARK: The assumptions

  @Test func eachAssumptionNamesItsUnitAndItsSource() {
    for entry in Assumption.allCases.map(\.entry) {
      #expect(!entry.unit.isEmpty && !entry.source.isEmpty && entry.value > 0)
    }
  }
}
