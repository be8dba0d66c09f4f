import Bytes
import HomeAssistant
import Outbox
import Testing

/// Hours of what Home Assistant sums.
@Suite struct StatisticsImportCounterTests {
  private typealias Row = StatisticsHome.Row
  private typealias Rig = StatisticsImportRig

  private static let rain = StatisticsSensor(
    uniqueID: [UInt8]("rain".utf8), unit: [UInt8]("mm".utf8), .sum)
  private static let uncountable: [StatisticsImport.Event] = [
    .failed(.uncountable(uniqueID: [UInt8]("rain".utf8)))
  ]

  /// A gauge that showed 100 mm before the outage, of which Home Assistant had counted 40.
  private func makeRig(counts: [Double], _ kind: StatisticsSensor.Kind = .sum) -> Rig {
    var rig = Rig()
    rig.home.entities["sensor.board_rain"] = "hook_rain"
    rig.home.statistics["sensor.board_rain"] = .init(
      unit: "mm", unitClass: "distance", meanType: 0, hasSum: true,
      rows: [Rig.start(-1): Row(state: 100, sum: 40)])
    for (index, count) in counts.enumerated() {
      rig.transfer.add(
        SensorHour(number: Rig.first + Int64(index), .counted(count)),
        of: StatisticsSensor(uniqueID: Self.rain.uniqueID, unit: Self.rain.unit, kind))
    }
    return rig
  }

  private func rows(_ rig: Rig) throws -> [WallTime: Row] {
    try #require(rig.home.statistics["sensor.board_rain"]).rows
  }

  @Test func theSumsOfAnOutageGoOnFromTheOneBefore() throws {
    var rig = makeRig(counts: [101.5, 101.5, 112])
    // Home Assistant held the last value through the outage, and had the next one after it.
    rig.home.statistics["sensor.board_rain"]?.rows[Rig.start(0)] = Row(state: 100, sum: 40)
    rig.home.statistics["sensor.board_rain"]?.rows[Rig.start(3)] = Row(state: 113, sum: 53)
    try rig.pass()
    let rows = try rows(rig)
    #expect(rows[Rig.start(0)] == Row(state: 101.5, sum: 41.5))
    #expect(rows[Rig.start(1)] == Row(state: 101.5, sum: 41.5))
    #expect(rows[Rig.start(2)] == Row(state: 112, sum: 52))
    #expect(rows[Rig.start(3)] == Row(state: 113, sum: 53))
    #expect(rig.events() == [Rig.imported(3, "rain")])
    #expect(rig.transfer.waiting.isEmpty)
    #expect(rig.home.additions.map { $0.metadata["has_sum"] } == [true])
  }

  @Test func homeAssistantMayHaveBeenAwayBeforeTheOutageToo() throws {
    var rig = makeRig(counts: [130])
    rig.home.statistics["sensor.board_rain"]?.rows = [
      Rig.start(-9): Row(state: 10, sum: 3), Rig.start(-5): Row(state: 100, sum: 40),
      Rig.start(-8): Row(state: 20, sum: 13),
    ]
    try rig.pass()
    #expect(try rows(rig)[Rig.start(0)] == Row(state: 130, sum: 70))
  }

  @Test func hoursThatAreThereAreNotSentAgain() throws {
    var rig = makeRig(counts: [101])
    rig.home.statistics["sensor.board_rain"]?.rows[Rig.start(0)] = Row(state: 101, sum: 41)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [Rig.imported(1, "rain")])
  }

  /// The sums after the outage would be less than those in it: a negative bar in every graph.
  @Test(arguments: [[110, 3, 4], [89]] as [[Double]])
  func whereTheCounterBeganAnewHomeAssistantsOwnFiguresStay(counts: [Double]) throws {
    var rig = makeRig(counts: counts)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(try rows(rig).count == 1)
    #expect(rig.events() == Self.uncountable)
    #expect(rig.transfer.waiting.isEmpty, "they would wait for ever")
  }

  /// Home Assistant sums all that a `total` changes by, in both directions.
  @Test func theSumsOfWhatComesAndGoesGoBothWays() throws {
    var rig = makeRig(counts: [110, 90, 95], .balance)
    try rig.pass()
    let rows = try rows(rig)
    #expect(rows[Rig.start(0)] == Row(state: 110, sum: 50))
    #expect(rows[Rig.start(1)] == Row(state: 90, sum: 30))
    #expect(rows[Rig.start(2)] == Row(state: 95, sum: 35))
    #expect(rig.events() == [Rig.imported(3, "rain")])
    #expect(rig.transfer.waiting.isEmpty)
  }

  /// Nor is it one to Home Assistant, which converts its states and may round them.
  @Test(arguments: [91, 99.999_999_999_999] as [Double])
  func aCountThatIsALittleLessIsNoNewBeginning(count: Double) throws {
    var rig = makeRig(counts: [count, 112])
    try rig.pass()
    let rows = try rows(rig)
    #expect(rows[Rig.start(0)] == Row(state: 100, sum: 40), "a sum does not go back")
    #expect(rows[Rig.start(1)] == Row(state: 112, sum: 52))
    #expect(rig.events() == [Rig.imported(2, "rain")])
  }

  /// The same gauge in inches, of which Home Assistant showed 3.937 rounded up.
  private func makeRoundedRig(counts: [Double]) -> Rig {
    var rig = makeRig(counts: counts)
    rig.home.statistics["sensor.board_rain"] = .init(
      unit: "in", unitClass: "distance", meanType: 0, hasSum: true,
      rows: [Rig.start(-1): Row(state: 3.94, sum: 1.5)])
    return rig
  }

  @Test func aCountThatHomeAssistantRoundedUpIsNoNewBeginning() throws {
    var rig = makeRoundedRig(counts: [100, 101.6, 127])
    try rig.pass()
    let rows = try rows(rig)
    #expect(rows[Rig.start(0)] == Row(state: 3.94, sum: 1.5))
    for (index, state, sum) in [(1, 4.0, 1.56), (2, 5.0, 2.56)] as [(Int64, Double, Double)] {
      let row = try #require(rows[Rig.start(index)])
      let figures = [try #require(row.state), try #require(row.sum)]
      #expect(abs(figures[0] - state) < 1e-9 && abs(figures[1] - sum) < 1e-9)
    }
    #expect(rig.home.additions.count == 1)
    #expect(rig.events() == [Rig.imported(3, "rain")])
  }

  @Test(arguments: [[127, 3], [87]] as [[Double]])
  func whereACounterInAnotherUnitBeganAnewTheFiguresStay(counts: [Double]) throws {
    var rig = makeRoundedRig(counts: counts)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == Self.uncountable)
  }

  @Test func withoutASumFromBeforeThereIsNothingToGoOnFrom() throws {
    var rig = makeRig(counts: [101])
    rig.home.statistics["sensor.board_rain"]?.rows = [Rig.start(1): Row(state: 105, sum: 5)]
    try rig.pass()
    #expect(rig.events() == Self.uncountable)
  }

  @Test func meansAndSumsAreNotTakenForEachOther() throws {
    var rig = makeRig(counts: [101])
    rig.home.statistics["sensor.board_rain"]?.meanType = 1
    rig.home.statistics["sensor.board_rain"]?.hasSum = false
    rig.wait(1)
    rig.home.bilge.meanType = 0
    rig.home.bilge.hasSum = true
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(
      rig.events() == [
        .failed(.unfit(uniqueID: [UInt8]("rain".utf8), unit: "mm")),
        .failed(.unfit(uniqueID: [UInt8]("bilge".utf8), unit: "°C")),
      ])
  }
}
