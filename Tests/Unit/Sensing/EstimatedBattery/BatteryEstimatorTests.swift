import Bytes
import Testing

@testable import Sensing

/// A battery in virtual time, measured once a minute.
private final class Bench {
  private(set) var estimator: BatteryEstimator
  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  /// Each percentage that was told, once.
  private(set) var told: [Int] = []

  init(_ chemistry: BatteryChemistry, cells: Int) {
    estimator = BatteryEstimator(chemistry: chemistry, cells: cells)
  }

  func measure(_ volts: Double, amperes: Double? = nil) {
    estimator.voltageRead(microvolts: Int64((volts * 1_000_000).rounded()), now: now)
    if let amperes {
      estimator.currentRead(microamperes: Int64((amperes * 1_000_000).rounded()), now: now)
    }
    if let percent = estimator.percent, told.last != percent { told.append(percent) }
  }

  /// Measures every minute, the voltage on its way from one value to another.
  func pass(_ minutes: Int, _ volts: Double, to end: Double? = nil, amperes: Double? = nil) {
    for minute in 0..<minutes {
      now = now + .seconds(60)
      let part = Double(minute + 1) / Double(minutes)
      measure(volts + ((end ?? volts) - volts) * part, amperes: amperes)
    }
  }

  func wait(_ duration: Duration) { now = now + duration }
  func lose() { estimator.voltageRead(microvolts: nil, now: now) }
  func loseCurrent() { estimator.currentRead(microamperes: nil, now: now) }

  var percent: Int? { estimator.percent }
  var confidence: BatteryConfidence { estimator.confidence }
  var status: BatteryStatus? { estimator.status }
}

@Suite struct BatteryEstimatorTests {
  // MARK: Rest

  @Test(arguments: [
    (BatteryChemistry.leadAcid, 6, 12.50, 80), (.leadAcid, 12, 24.20, 50),
    (.leadAcid, 6, 11.0, 0), (.agm, 6, 12.55, 75), (.agm, 6, 12.375, 63),
    (.liIon, 1, 3.838, 50), (.liIon, 3, 12.267, 90), (.lifepo4, 4, 12.71, 10),
    (.lifepo4, 4, 13.405, 95), (.lifepo4, 8, 25.42, 10),
  ])
  func aRestedBatteryIsWhatItsCurveSays(
    chemistry: BatteryChemistry, cells: Int, volts: Double, percent: Int
  ) {
    let bench = Bench(chemistry, cells: cells)
    bench.pass(40, volts, amperes: 0)
    #expect(bench.percent == percent)
    #expect(bench.confidence == .rested)
    #expect(bench.status == .idle)
  }

  @Test func restTakesHalfAnHourWithoutMovement() {
    let bench = Bench(.agm, cells: 6)
    bench.pass(30, 12.55, amperes: 0)
    #expect(bench.confidence == .settling)
    bench.pass(1, 12.55, amperes: 0)
    #expect(bench.confidence == .rested)
    bench.pass(1, 12.58, amperes: 0)
    #expect(bench.confidence == .settling, "30 mV are a movement")
    bench.pass(30, 12.56, amperes: 0)
    #expect(bench.confidence == .rested, "20 mV are none")
  }

  @Test func aCurrentEndsTheRest() {
    let bench = Bench(.agm, cells: 6)
    bench.pass(40, 12.55, amperes: 0.4)
    #expect(bench.confidence == .rested)
    bench.pass(1, 12.55, amperes: -1.1)
    #expect(bench.confidence == .underLoad)
    #expect(bench.status == .discharging)
    bench.pass(31, 12.55, amperes: -0.6)
    #expect(bench.status == .discharging, "less than half of an ampere is idle again")
    bench.pass(31, 12.55, amperes: -0.4)
    #expect(bench.status == .idle)
    #expect(bench.confidence == .rested)
  }

  @Test func aChargeBecomesIdleBelowHalfOfTheIdleCurrentToo() {
    let bench = Bench(.agm, cells: 6)
    bench.pass(1, 13.2, amperes: 1.1)
    bench.pass(1, 13.2, amperes: 0.6)
    #expect(bench.status == .charging)
    bench.pass(1, 13.2, amperes: 0.4)
    #expect(bench.status == .idle)
  }

  @Test func twoReadingsFarApartAreARest() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.measure(12.24)
    #expect(bench.confidence == .voltageOnly)
    bench.wait(.seconds(7200))
    bench.measure(12.25)
    #expect(bench.confidence == .rested)
    #expect(bench.status == .idle)
  }

  @Test func noiseOfAPercentOrTwoIsNotTold() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(40, 12.30, amperes: 0)
    for _ in 0..<300 {
      bench.pass(1, 12.305, amperes: 0)
      bench.pass(1, 12.295, amperes: 0)
    }
    #expect(bench.told.count == 1)
    #expect(bench.confidence == .rested)
  }

  // MARK: Days

  /// A boat: the sun charges, the refrigerator comes and goes, at night it is drawn from.
  @Test func aDayOnABoatFallsAtNightAndIsFullInTheAfternoon() {
    let bench = Bench(.agm, cells: 6)
    bench.pass(60, 12.55, amperes: 0)
    #expect(bench.percent == 75)
    for hour in 0..<8 {
      let volts = 12.50 - Double(hour) * 0.05
      bench.pass(20, volts - 0.12, amperes: -5)
      bench.pass(40, volts, amperes: -1.5)
    }
    let atDawn = bench.percent ?? -1
    #expect((40...55).contains(atDawn))
    #expect(bench.told == bench.told.sorted(by: >), "it never rises at night")
    #expect(bench.confidence == .underLoad)

    bench.pass(240, 12.8, to: 14.4, amperes: 12)
    #expect(bench.percent == atDawn, "the voltage of charging says nothing")
    #expect(bench.status == .charging)
    #expect(bench.confidence == .charging)
    bench.pass(3, 14.4, amperes: 0.4)
    #expect(bench.status == .idle)
    bench.pass(1, 14.4, amperes: 0.4)
    #expect(bench.percent == 100)
    #expect(bench.status == .full)
    #expect(bench.confidence == .full)
    bench.pass(120, 13.5, to: 12.9, amperes: 0)
    #expect(bench.percent == 100)
    bench.pass(90, 12.75, amperes: -4)
    #expect(bench.status == .discharging)
    #expect((94...98).contains(bench.percent ?? -1), "the curve of the day, from the best voltage")
  }

  @Test func aStarterMotorDoesNotEmptyTheBattery() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(40, 12.62, amperes: 0)
    bench.pass(1, 9.8, amperes: -180)
    #expect(bench.percent == 90)
    bench.pass(5, 12.3, amperes: 0)
    #expect(bench.percent == 90)
    #expect(bench.confidence == .settling)
  }

  @Test func aLoadThatStaysPullsThePercentageDownAfterAQuarterOfAnHour() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(40, 12.62, amperes: 0)
    bench.pass(15, 12.10, amperes: -8)
    #expect(bench.percent == 90)
    bench.pass(16, 12.10, amperes: -8)
    #expect(bench.percent == 50)
    bench.pass(40, 12.30, amperes: -8)
    #expect(bench.percent == 50, "it does not rise under load")
    bench.pass(40, 12.37, amperes: 0)
    #expect(bench.percent == 70, "a rest knows better")
  }

  /// The voltage of a rested battery hardly moves with the cold: a night of frost is no discharge.
  @Test func aNightOfFrostIsNoDischarge() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(60, 12.50, amperes: -0.05)
    bench.pass(600, 12.50, to: 12.49, amperes: -0.05)
    #expect(bench.told == [80])
  }

  @Test func withoutACurrentAVoltageAboveRestIsCharging() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(40, 12.24)
    #expect(bench.percent == 60)
    bench.pass(300, 13.6)
    #expect(bench.status == .charging)
    #expect(bench.confidence == .charging)
    #expect(bench.percent == 60)
    bench.pass(20, 12.9, to: 12.7)
    #expect(bench.status == nil)
    #expect(bench.confidence == .voltageOnly)
    bench.pass(40, 12.62)
    #expect(bench.percent == 90)
    #expect(bench.status == .idle)
  }

  @Test func lithiumIronPhosphateSaysLittleInTheMiddle() {
    let bench = Bench(.lifepo4, cells: 4)
    bench.pass(40, 13.05, amperes: 0)
    #expect(bench.percent == 60)
    #expect(bench.confidence == .restedOnPlateau)
    bench.pass(40, 13.23, amperes: 0)
    bench.pass(40, 12.945, amperes: 0)
    #expect(bench.told == [60], "just beside the plateau it does not jump")
    bench.pass(40, 12.85, amperes: 0)
    #expect(bench.percent == 20)
    #expect(bench.confidence == .rested)
    bench.pass(40, 12.955, amperes: 0)
    #expect(bench.percent == 30)
  }

  @Test func aFullBatteryIsFullOnlyAfterThreeMinutes() {
    let bench = Bench(.lifepo4, cells: 4)
    bench.pass(10, 14.2, amperes: 20)
    bench.pass(2, 14.2, amperes: 0.3)
    bench.pass(1, 14.2, amperes: 5)
    bench.pass(3, 14.2, amperes: 0.3)
    #expect(bench.status != .full)
    bench.pass(1, 14.2, amperes: 0.3)
    #expect(bench.status == .full)
    bench.pass(1, 13.3, amperes: -3)
    #expect(bench.status == .discharging)
    #expect(bench.percent == 100)
  }

  /// An alternator charged it for half an hour, and stopped: the voltage of the charge is left.
  @Test func aChargerThatStopsLeavesNoFullBattery() {
    let bench = Bench(.agm, cells: 6)
    bench.pass(40, 12.20, amperes: 0)
    #expect(bench.percent == 50)
    bench.pass(30, 12.8, to: 14.2, amperes: 20)
    for volts in [13.60, 13.50, 13.43, 13.37, 13.31, 13.26, 13.21] {
      bench.pass(1, volts, amperes: -0.3)
    }
    #expect(bench.status != .full)
    #expect(bench.percent == 50)
  }

  // MARK: What is missing

  @Test func theFirstVoltageIsTakenForWhatItIs() {
    let bench = Bench(.leadAcid, cells: 6)
    #expect(bench.percent == nil)
    bench.measure(12.24, amperes: -6)
    #expect(bench.percent == 60)
    #expect(bench.confidence == .underLoad)
  }

  @Test func withoutAVoltageTheRestBeginsAnew() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(40, 12.24, amperes: 0)
    bench.lose()
    #expect(!bench.estimator.isMeasured)
    bench.pass(5, 12.24, amperes: 0)
    #expect(bench.confidence == .settling)
    #expect(bench.percent == 60)
  }

  @Test func aCurrentThatIsLostLeavesTheVoltage() {
    let bench = Bench(.leadAcid, cells: 6)
    bench.pass(5, 12.24, amperes: -5)
    bench.loseCurrent()
    #expect(bench.status == nil)
    #expect(bench.confidence == .voltageOnly)
  }

  @Test(arguments: [0, -12_000_000, 99_999, 1_000_000_001, Int64.max, Int64.min])
  func whatNoBatteryHasIsNoVoltage(microvolts: Int64) {
    var estimator = BatteryEstimator(chemistry: .agm, cells: 6)
    estimator.voltageRead(microvolts: microvolts, now: Instant(nanoseconds: 0))
    #expect(!estimator.isMeasured)
    #expect(estimator.percent == nil)
  }

  /// Each with its likely number of cells.
  @Test(
    arguments: [
      (.agm, 12, 12_600_000, 6), (.leadAcid, 6, 6_300_000, 3), (.leadAcid, 6, 24_100_000, 12),
      (.leadAcid, 6, 18_100_000, 12), (.lifepo4, 8, 12_600_000, 4), (.lifepo4, 4, 3_300_000, 1),
      (.lifepo4, 8, 15_500_000, 4),
      (.liIon, 12, 12_600_000, 3), (.liIon, 3, 13_300_000, 4), (.agm, 6, 0, nil),
      (.agm, 6, -20_000, nil), (.lifepo4, 4, 1_200_000, nil), (.liIon, 3, 900_000_000, nil),
    ] as [(BatteryChemistry, Int, Int64, Int?)])
  func whatItsCellsCannotShareIsImpossible(
    chemistry: BatteryChemistry, cells: Int, microvolts: Int64, likely: Int?
  ) {
    var estimator = BatteryEstimator(chemistry: chemistry, cells: cells)
    estimator.voltageRead(microvolts: microvolts, now: Instant(nanoseconds: 0))
    #expect(estimator.impossibleMicrovolts == microvolts)
    #expect(estimator.percent == nil && !estimator.isMeasured)
    #expect(chemistry.likelyCells(microvolts: microvolts) == likely)
  }

  @Test(
    arguments: [
      (.leadAcid, 6, 9_000_000), (.agm, 6, 16_500_000), (.lifepo4, 4, 8_000_000),
      (.lifepo4, 4, 16_800_000), (.liIon, 3, 6_000_000), (.liIon, 3, 13_200_000),
    ] as [(BatteryChemistry, Int, Int64)])
  func whatACellCanHaveIsAVoltage(chemistry: BatteryChemistry, cells: Int, microvolts: Int64) {
    var estimator = BatteryEstimator(chemistry: chemistry, cells: cells)
    estimator.voltageRead(microvolts: microvolts, now: Instant(nanoseconds: 0))
    #expect(estimator.isMeasured && estimator.impossibleMicrovolts == nil)
  }

  // MARK: Laws

  @Test(arguments: BatteryChemistry.allCases)
  func likelyCellsFitToTheVoltageAndToTheConfiguration(chemistry: BatteryChemistry) {
    let odd: [Int64] = [.min, .max, -2_600_000]
    for microvolts in odd + Array(stride(from: Int64(0), to: 400_000_000, by: 70_000)) {
      guard let cells = chemistry.likelyCells(microvolts: microvolts) else { continue }
      #expect(BatteryEstimator.cellsRange.contains(cells))
      #expect(chemistry.figures.cellMicrovolts.contains(microvolts / Int64(cells)))
    }
  }

  @Test(arguments: BatteryChemistry.allCases)
  func aHigherVoltageIsNeverLess(chemistry: BatteryChemistry) {
    var last = 0
    for microvolts in stride(from: Int64(0), through: 20_000_000, by: 1000) {
      let percent = chemistry.percent(ofRested: microvolts)
      #expect((last...100).contains(percent))
      last = percent
    }
    #expect(chemistry.percent(ofRested: Int64.max) == 100)
    #expect(chemistry.percent(ofRested: Int64.min) == 0)
  }

  @Test func anyReadingsAreTakenAndThePercentageStaysOne() {
    var random = SplitMix64(seed: 4711)
    func number(_ limits: [Int64]) -> Int64? {
      switch random.next() % 10 {
      case 0: nil
      case 1: Int64(bitPattern: random.next())
      case 2: limits[Int(random.next() % UInt64(limits.count))]
      default: Int64(random.next() % 16_000_000)
      }
    }
    for chemistry in BatteryChemistry.allCases {
      for cells in [1, 4, 6, 100] {
        var estimator = BatteryEstimator(chemistry: chemistry, cells: cells)
        var now = Instant(nanoseconds: 0)
        var shown: Int?
        for _ in 0..<2000 {
          // Also backwards, and very far.
          now = now + .nanoseconds(Int64(bitPattern: random.next()) >> Int64(random.next() % 40))
          if random.next() % 2 == 0 {
            estimator.voltageRead(microvolts: number([0, Int64.min, Int64.max]), now: now)
          } else {
            estimator.currentRead(microamperes: number([0, Int64.min, Int64.max]), now: now)
          }
          if let percent = estimator.percent {
            #expect((0...100).contains(percent))
            if let shown, percent != shown, percent != 0, percent != 100 {
              #expect(abs(percent - shown) >= BatteryEstimator.stepPercent)
            }
          } else {
            #expect(shown == nil, "a percentage is never forgotten")
          }
          shown = estimator.percent
        }
      }
    }
  }
}
