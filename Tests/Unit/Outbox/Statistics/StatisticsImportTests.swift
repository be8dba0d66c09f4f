import Bytes
import HomeAssistant
import Outbox
import Testing

@Suite struct StatisticsImportTests {
  private typealias Row = StatisticsHome.Row
  private typealias Rig = StatisticsImportRig

  private var rig = Rig()

  @Test mutating func hoursAreInHomeAssistantBeforeTheyAreForgotten() throws {
    rig.wait(3)
    try rig.pass()
    #expect(rig.home.bilge.unit == "°C")
    #expect(rig.home.bilge.rows[Rig.start(0)] == Row(mean: 20, min: 19, max: 21))
    #expect(rig.home.bilge.rows.count == 3)
    #expect(rig.transfer.waiting.isEmpty)
    #expect(rig.events() == [Rig.imported(3)])
    #expect(rig.home.additions.count == 1)
  }

  @Test mutating func whatIsThereAlreadyIsNotSentAgain() throws {
    rig.wait(1)
    rig.home.bilge.rows = [Rig.start(0): Row(mean: 20, min: 19, max: 21)]
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [Rig.imported(1)])
  }

  @Test mutating func theValueThatHomeAssistantHeldThroughTheOutageIsReplaced() throws {
    rig.wait(2)
    let held = Row(mean: 5, min: 5, max: 5)
    rig.home.bilge.rows = [Rig.start(0): held, Rig.start(1): held, Rig.start(2): held]
    try rig.pass()
    let rows = rig.home.bilge.rows
    #expect(rows[Rig.start(0)]?.mean == 20)
    #expect(rows[Rig.start(1)]?.mean == 20 + 1.0 / 3)
    #expect(rows[Rig.start(2)]?.mean == 5)
  }

  @Test mutating func anAdditionThatTheRecorderLostIsMadeAgain() throws {
    rig.wait(2)
    rig.home.lostAdditions = 2
    try rig.pass()
    #expect(rig.home.additions.count == 3)
    #expect(rig.events() == [Rig.imported(2)])
  }

  @Test mutating func aSlowRecorderGetsItsTimeForEveryWeek() throws {
    rig.wait(400)
    rig.home.lostAdditions = 2
    try rig.pass(hoursLater: 500)
    #expect(rig.home.additions.count == 9)
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test mutating func afterASuccessTheNextFailureIsTheFirstAgain() throws {
    for _ in 0..<6 {
      rig.wait(1)
      try rig.pass(deviceID: "d", webhookID: "another")
      rig.now = rig.now + StatisticsImport.longestRetryDelay
    }
    try rig.pass()
    #expect(rig.events().last == Rig.imported(1))
    rig.wait(1)
    try rig.pass(webhookID: "another")
    try rig.pass(after: StatisticsImport.firstRetryDelay)
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test(arguments: [
    Row(mean: 20.5, min: 19, max: 21), Row(mean: 20, min: 18, max: 21),
    Row(mean: 20, min: 19, max: 22),
  ])
  mutating func anHourThatDiffersInOneFigureIsReplaced(row: StatisticsHome.Row) throws {
    rig.wait(1)
    rig.home.bilge.rows = [Rig.start(0): row]
    try rig.pass()
    #expect(rig.home.bilge.rows[Rig.start(0)] == Row(mean: 20, min: 19, max: 21))
  }

  @Test mutating func anHourIsNotTakenForAnotherOneThatWasTheSame() throws {
    for index: Int64 in 0..<2 {
      rig.transfer.add(
        SensorHour(number: Rig.first + index, .measured(mean: 20, lowest: 19, highest: 21)),
        of: Rig.bilge)
    }
    rig.home.bilge.rows = [Rig.start(1): Row(mean: 20, min: 19, max: 21)]
    try rig.pass()
    #expect(rig.home.bilge.rows.count == 2)
  }

  @Test mutating func aRecorderThatKeepsNothingIsToldOnceAndTriedAgainLater() throws {
    rig.wait(2)
    rig.home.lostAdditions = .max
    try rig.pass()
    #expect(rig.events() == [.failed(.notKept(uniqueID: [UInt8]("bilge".utf8)))])
    let asked = rig.home.asked.count
    try rig.pass()
    #expect(rig.home.asked.count == asked, "it is not tried again at once")
    try rig.pass(after: StatisticsImport.firstRetryDelay)
    #expect(rig.events().isEmpty)
    rig.home.lostAdditions = 0
    try rig.pass(after: StatisticsImport.longestRetryDelay)
    #expect(rig.events() == [Rig.imported(2)])
  }

  @Test mutating func anHourThatHasJustEndedIsLeftToHomeAssistantForAWhile() throws {
    rig.wait(2)
    try rig.pass(hoursLater: 2)
    #expect(rig.events() == [Rig.imported(1)])
    #expect(rig.transfer.waiting.count == 1)
  }

  /// Else it would have no hour of any sensor.
  @Test mutating func whatHomeAssistantHasNotCompiledYetIsNotTouched() throws {
    rig.wait(3)
    rig.home.compiledUpTo = Rig.start(3)
    try rig.pass(hoursLater: 5)
    #expect(rig.home.additions.isEmpty && rig.events().isEmpty)
    #expect(rig.transfer.waiting.count == 3)
    rig.home.compiledUpTo = Rig.start(5) + .seconds(300)
    try rig.pass(after: StatisticsImport.compilationDelay, hoursLater: 5)
    #expect(rig.events() == [Rig.imported(3)])
  }

  @Test mutating func nothingIsAskedWhereNothingWaits() throws {
    try rig.pass()
    rig.wait(1)
    try rig.pass(hoursLater: 1)
    #expect(rig.home.asked.isEmpty)
  }

  @Test mutating func aYearOfHoursGoesInPartsOfAWeek() throws {
    rig.wait(400)
    try rig.pass(hoursLater: 500)
    #expect(rig.home.additions.map { $0.hours.count } == [168, 168, 64])
    #expect(rig.home.bilge.rows.count == 400)
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test mutating func eachSensorHasItsOwnStatistic() throws {
    rig.waitOfTwoSensors()
    try rig.pass()
    #expect(rig.home.bilge.rows.count == 2)
    #expect(rig.home.statistics["sensor.under_the_deck"]?.rows.count == 3)
    #expect(rig.home.statistics["sensor.under_the_deck"]?.unit == "%")
    #expect(rig.events() == [Rig.imported(2), Rig.imported(3, "cabin")])
  }

  @Test mutating func aSensorThatHomeAssistantDoesNotKnowYetWaits() throws {
    rig.home.entities = ["sensor.other": "otherhook_bilge"]
    rig.wait(2)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.transfer.waiting.count == 2)
    let problem = StatisticsImport.Problem.notFound(uniqueID: [UInt8]("bilge".utf8))
    #expect(rig.events() == [.failed(problem)])
    try rig.pass(after: StatisticsImport.firstRetryDelay)
    #expect(rig.events().isEmpty && rig.transfer.problem == problem, "it is told once")
    rig.home.entities = ["sensor.board_bilge": "hook_bilge"]
    try rig.pass(after: StatisticsImport.longestRetryDelay)
    #expect(rig.events() == [Rig.imported(2)])
    #expect(rig.transfer.problem == nil)
  }

  // MARK: Units

  @Test mutating func temperaturesGoInTheUnitThatHomeAssistantKeepsThemIn() throws {
    rig.wait(1)
    rig.home.bilge = .init(unit: "°F", unitClass: "temperature")
    try rig.pass()
    let row = try #require(rig.home.bilge.rows[Rig.start(0)])
    #expect(rig.home.bilge.unit == "°F")
    let mean = try #require(row.mean)
    let extremes = [try #require(row.min), try #require(row.max)]
    #expect(abs(mean - 68) < 1e-9)
    #expect(abs(extremes[0] - 66.2) < 1e-9 && abs(extremes[1] - 69.8) < 1e-9)
    #expect(rig.home.additions.first?.metadata["unit_class"] == "temperature")
    let look = rig.home.asked.first { $0.payload["period"] == "hour" }
    #expect(look?.payload["units"] == ["temperature": "°F"])
    #expect(rig.events() == [Rig.imported(1)])
  }

  /// Home Assistant keeps the sign that it has: another one would be another unit.
  @Test mutating func bothSignsOfMicroAreOneUnit() throws {
    rig.wait(1, of: Rig.sensor("bilge", unit: "µg/m³"))
    rig.home.bilge = .init(unit: "\u{3BC}g/m³")
    try rig.pass()
    #expect(rig.home.bilge.rows[Rig.start(0)] == Row(mean: 20, min: 19, max: 21))
    #expect(rig.home.additions.first?.metadata["unit_of_measurement"] == "\u{3BC}g/m³")
    #expect(rig.events() == [Rig.imported(1)])
  }

  @Test mutating func aStatisticInAnotherUnitIsNotSpoiled() throws {
    rig.wait(2, of: Rig.sensor("bilge", unit: "lx"))
    rig.home.bilge = .init(unit: "GiB", unitClass: "information")
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [.failed(.unfit(uniqueID: [UInt8]("bilge".utf8), unit: "GiB"))])
    #expect(rig.transfer.waiting.isEmpty, "they would wait for ever")
  }

  @Test mutating func aStatisticWithoutMeansIsNotGivenAny() throws {
    rig.wait(2)
    rig.home.bilge = .init(unit: "°C", meanType: 0)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
  }

  @Test mutating func plainNumbersHaveNoUnit() throws {
    rig.home.bilge = .init()
    rig.wait(1, of: Rig.sensor("bilge", unit: ""))
    try rig.pass()
    #expect(rig.home.additions.first?.metadata["unit_of_measurement"] == .null)
    #expect(rig.events() == [Rig.imported(1)])
  }
}
