import Bytes
import HomeAssistant
import Outbox
import Testing

@Suite struct StatisticsImportTests {
  private typealias Row = StatisticsHome.Row

  private static let first: Int64 = 498_682
  private static let bilge = sensor("bilge")

  private static func sensor(_ name: String, unit: String = "°C") -> MeasuredSensor {
    MeasuredSensor(uniqueID: [UInt8](name.utf8), unit: [UInt8](unit.utf8))
  }

  private static func start(_ index: Int64) -> WallTime {
    WallTime(nanoseconds: (first + index) * 3_600_000_000_000)
  }

  /// An import at work with a home.
  private struct Rig {
    var transfer = StatisticsImport(WaitingHours(), seed: 1)
    var home = StatisticsHome()
    var now = Instant(nanoseconds: 0)
    private var told: [StatisticsImport.Event] = []

    mutating func wait(_ count: Int64, of sensor: MeasuredSensor = bilge) {
      for index in 0..<count {
        let mean = 20 + Double(index) / 3
        transfer.add(
          SensorHour(number: first + index, mean: mean, lowest: mean - 1, highest: mean + 1),
          of: sensor)
      }
    }

    /// Two hours of the bilge, and three of another sensor that Home Assistant knows.
    mutating func waitOfTwoSensors() {
      home.entities["sensor.under_the_deck"] = "hook_cabin"
      home.statistics["sensor.under_the_deck"] = .init(unit: "%")
      wait(2)
      wait(3, of: sensor("cabin", unit: "%"))
    }

    /// One pass, with all that it waits for.
    mutating func pass(
      hoursLater: Int64 = 400, deviceID: Text? = "d", webhookID: String = "hook"
    ) throws {
      transfer.connectionReady(
        deviceID: deviceID, webhookID: [UInt8](webhookID.utf8), time: start(hoursLater), now: now)
      var isDone = false
      while !isDone {
        while let question = nextQuestion() { try home.answer(question, to: &transfer, now: now) }
        try #require(home.asked.count < 1000, "a pass ends")
        if let deadline = transfer.deadline {
          now = deadline
          transfer.deadlineReached(now: now)
        } else {
          isDone = true
        }
      }
    }

    /// What is to be asked; what is told before is taken.
    mutating func nextQuestion() -> StatisticsImport.Question? {
      while let action = transfer.nextAction() {
        switch action {
        case .ask(let question): return question
        case .tell(let event): told.append(event)
        }
      }
      return nil
    }

    /// What was told since this was looked at last.
    mutating func events() -> [StatisticsImport.Event] {
      #expect(nextQuestion() == nil)
      defer { told = [] }
      return told
    }
  }

  private static func imported(_ hours: Int, _ name: String = "bilge") -> StatisticsImport.Event {
    .imported(uniqueID: [UInt8](name.utf8), hours: hours)
  }

  @Test func hoursAreInHomeAssistantBeforeTheyAreForgotten() throws {
    var rig = Rig()
    rig.wait(3)
    try rig.pass()
    let statistic = try #require(rig.home.statistics["sensor.board_bilge"])
    #expect(statistic.unit == "°C")
    #expect(statistic.rows[Self.start(0)] == Row(mean: 20, min: 19, max: 21))
    #expect(statistic.rows.count == 3)
    #expect(rig.transfer.waiting.isEmpty)
    #expect(rig.events() == [Self.imported(3)])
    #expect(rig.home.additions.count == 1)
  }

  @Test func whatIsThereAlreadyIsNotSentAgain() throws {
    var rig = Rig()
    rig.wait(1)
    rig.home.statistics["sensor.board_bilge"] = .init(
      unit: "°C", unitClass: "temperature", rows: [Self.start(0): Row(mean: 20, min: 19, max: 21)])
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [Self.imported(1)])
  }

  @Test func theValueThatHomeAssistantHeldThroughTheOutageIsReplaced() throws {
    var rig = Rig()
    rig.wait(2)
    rig.home.statistics["sensor.board_bilge"] = .init(
      unit: "°C", unitClass: "temperature",
      rows: [
        Self.start(0): Row(mean: 5, min: 5, max: 5), Self.start(1): Row(mean: 5, min: 5, max: 5),
        Self.start(2): Row(mean: 5, min: 5, max: 5),
      ])
    try rig.pass()
    let rows = try #require(rig.home.statistics["sensor.board_bilge"]).rows
    #expect(rows[Self.start(0)]?.mean == 20)
    #expect(rows[Self.start(1)]?.mean == 20 + 1.0 / 3)
    #expect(rows[Self.start(2)]?.mean == 5)
  }

  @Test func anAdditionThatTheRecorderLostIsMadeAgain() throws {
    var rig = Rig()
    rig.wait(2)
    rig.home.lostAdditions = 2
    try rig.pass()
    #expect(rig.home.additions.count == 3)
    #expect(rig.events() == [Self.imported(2)])
  }

  @Test func aSlowRecorderGetsItsTimeForEveryWeek() throws {
    var rig = Rig()
    rig.wait(400)
    rig.home.lostAdditions = 2
    try rig.pass(hoursLater: 500)
    #expect(rig.home.additions.count == 9)
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test func afterASuccessTheNextFailureIsTheFirstAgain() throws {
    var rig = Rig()
    for _ in 0..<6 {
      rig.wait(1)
      try rig.pass(deviceID: "d", webhookID: "another")
      rig.now = rig.now + StatisticsImport.longestRetryDelay
    }
    try rig.pass()
    #expect(rig.events().last == Self.imported(1))
    rig.wait(1)
    try rig.pass(webhookID: "another")
    rig.now = rig.now + StatisticsImport.firstRetryDelay
    try rig.pass()
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test(arguments: [
    Row(mean: 20.5, min: 19, max: 21), Row(mean: 20, min: 18, max: 21),
    Row(mean: 20, min: 19, max: 22),
  ])
  func anHourThatDiffersInOneFigureIsReplaced(row: StatisticsHome.Row) throws {
    var rig = Rig()
    rig.wait(1)
    rig.home.statistics["sensor.board_bilge"] = .init(
      unit: "°C", unitClass: "temperature", rows: [Self.start(0): row])
    try rig.pass()
    #expect(
      rig.home.statistics["sensor.board_bilge"]?.rows[Self.start(0)]
        == Row(mean: 20, min: 19, max: 21))
  }

  @Test func anHourIsNotTakenForAnotherOneThatWasTheSame() throws {
    var rig = Rig()
    for index: Int64 in 0..<2 {
      rig.transfer.add(
        SensorHour(number: Self.first + index, mean: 20, lowest: 19, highest: 21), of: Self.bilge)
    }
    rig.home.statistics["sensor.board_bilge"] = .init(
      unit: "°C", unitClass: "temperature", rows: [Self.start(1): Row(mean: 20, min: 19, max: 21)])
    try rig.pass()
    #expect(rig.home.statistics["sensor.board_bilge"]?.rows.count == 2)
  }

  @Test func aRecorderThatKeepsNothingIsToldOnceAndTriedAgainLater() throws {
    var rig = Rig()
    rig.wait(2)
    rig.home.lostAdditions = .max
    try rig.pass()
    #expect(rig.events() == [.failed(.notKept(uniqueID: [UInt8]("bilge".utf8)))])
    let asked = rig.home.asked.count
    try rig.pass()
    #expect(rig.home.asked.count == asked, "it is not tried again at once")
    rig.now = rig.now + StatisticsImport.firstRetryDelay
    try rig.pass()
    #expect(rig.events().isEmpty)
    rig.home.lostAdditions = 0
    rig.now = rig.now + StatisticsImport.longestRetryDelay
    try rig.pass()
    #expect(rig.events() == [Self.imported(2)])
  }

  @Test func anHourThatHasJustEndedIsLeftToHomeAssistantForAWhile() throws {
    var rig = Rig()
    rig.wait(2)
    try rig.pass(hoursLater: 2)
    #expect(rig.events() == [Self.imported(1)])
    #expect(rig.transfer.waiting.count == 1)
  }

  /// Else it would have no hour of any sensor.
  @Test func whatHomeAssistantHasNotCompiledYetIsNotTouched() throws {
    var rig = Rig()
    rig.wait(3)
    rig.home.compiledUpTo = Self.start(3)
    try rig.pass(hoursLater: 5)
    #expect(rig.home.additions.isEmpty && rig.events().isEmpty)
    #expect(rig.transfer.waiting.count == 3)
    rig.home.compiledUpTo = Self.start(5) + .seconds(300)
    rig.now = rig.now + StatisticsImport.compilationDelay
    try rig.pass(hoursLater: 5)
    #expect(rig.events() == [Self.imported(3)])
  }

  @Test func nothingIsAskedWhereNothingWaits() throws {
    var rig = Rig()
    try rig.pass()
    rig.wait(1)
    try rig.pass(hoursLater: 1)
    #expect(rig.home.asked.isEmpty)
  }

  @Test func aYearOfHoursGoesInPartsOfAWeek() throws {
    var rig = Rig()
    rig.wait(400)
    try rig.pass(hoursLater: 500)
    #expect(rig.home.additions.map { $0.hours.count } == [168, 168, 64])
    #expect(rig.home.statistics["sensor.board_bilge"]?.rows.count == 400)
    #expect(rig.transfer.waiting.isEmpty)
  }

  @Test func eachSensorHasItsOwnStatistic() throws {
    var rig = Rig()
    rig.waitOfTwoSensors()
    try rig.pass()
    #expect(rig.home.statistics["sensor.board_bilge"]?.rows.count == 2)
    #expect(rig.home.statistics["sensor.under_the_deck"]?.rows.count == 3)
    #expect(rig.home.statistics["sensor.under_the_deck"]?.unit == "%")
    #expect(rig.events() == [Self.imported(2), Self.imported(3, "cabin")])
  }

  @Test func aSensorThatHomeAssistantDoesNotKnowYetWaits() throws {
    var rig = Rig()
    rig.home.entities = ["sensor.other": "otherhook_bilge"]
    rig.wait(2)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.transfer.waiting.count == 2)
    let problem = StatisticsImport.Problem.notFound(uniqueID: [UInt8]("bilge".utf8))
    #expect(rig.events() == [.failed(problem)])
    rig.now = rig.now + StatisticsImport.firstRetryDelay
    try rig.pass()
    #expect(rig.events().isEmpty && rig.transfer.problem == problem, "it is told once")
    rig.home.entities = ["sensor.board_bilge": "hook_bilge"]
    rig.now = rig.now + StatisticsImport.longestRetryDelay
    try rig.pass()
    #expect(rig.events() == [Self.imported(2)])
    #expect(rig.transfer.problem == nil)
  }

  // MARK: Units

  @Test func temperaturesGoInTheUnitThatHomeAssistantKeepsThemIn() throws {
    var rig = Rig()
    rig.wait(1)
    rig.home.statistics["sensor.board_bilge"] = .init(unit: "°F", unitClass: "temperature")
    try rig.pass()
    let statistic = try #require(rig.home.statistics["sensor.board_bilge"])
    let row = try #require(statistic.rows[Self.start(0)])
    #expect(statistic.unit == "°F")
    #expect(abs(row.mean - 68) < 1e-9)
    #expect(abs(row.min - 66.2) < 1e-9 && abs(row.max - 69.8) < 1e-9)
    #expect(rig.home.additions.first?.unitClass == "temperature")
    let look = rig.home.asked.compactMap { action in
      if case .look(let look) = action { look } else { nil }
    }
    #expect(look.first?.unit == "°F" && look.first?.unitClass == "temperature")
    #expect(rig.events() == [Self.imported(1)])
  }

  @Test func aStatisticInAnotherUnitIsNotSpoiled() throws {
    var rig = Rig()
    rig.wait(2, of: Self.sensor("bilge", unit: "MiB"))
    rig.home.statistics["sensor.board_bilge"] = .init(unit: "GiB", unitClass: "information")
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(
      rig.events() == [.failed(.unfit(uniqueID: [UInt8]("bilge".utf8), unit: "GiB"))])
    #expect(rig.transfer.waiting.isEmpty, "they would wait for ever")
  }

  @Test func aStatisticWithoutMeansIsNotGivenAny() throws {
    var rig = Rig()
    rig.wait(2)
    rig.home.statistics["sensor.board_bilge"] = .init(unit: "°C", meanType: 0)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
  }

  @Test func plainNumbersHaveNoUnit() throws {
    var rig = Rig()
    rig.home.statistics["sensor.board_bilge"] = .init()
    rig.wait(1, of: Self.sensor("bilge", unit: ""))
    try rig.pass()
    #expect(rig.home.additions.first?.unit == nil)
    #expect(rig.events() == [Self.imported(1)])
  }

  // MARK: Failures

  @Test func aSensorThatIsRefusedHindersNoOther() throws {
    var rig = Rig()
    rig.waitOfTwoSensors()
    let error = RequestError.server(code: "invalid_format", message: "no")
    rig.home.refusals["sensor.board_bilge"] = error
    try rig.pass()
    let problem = StatisticsImport.Problem.refused(uniqueID: [UInt8]("bilge".utf8), error)
    #expect(rig.events() == [.failed(problem), Self.imported(3, "cabin")])
    #expect(rig.transfer.waiting.count == 2 && rig.transfer.problem == problem)
  }

  @Test func whatIsLeftOutOfTheRecorderIsNotWrittenThere() throws {
    var rig = Rig()
    rig.home.statistics = [:]
    rig.wait(2)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [.failed(.notFound(uniqueID: [UInt8]("bilge".utf8)))])
  }

  /// A battery that was taken out says no numbers any more.
  @Test func anotherSensorOfTheBoardTellsHowFarHomeAssistantHasCompiled() throws {
    var rig = Rig()
    rig.home.entities["sensor.load"] = "hook_load"
    rig.home.compiled = ["sensor.load"]
    rig.wait(2)
    try rig.pass()
    #expect(rig.events() == [Self.imported(2)])
  }

  @Test func aRecorderThatCompilesNothingIsToldAfterAWhile() throws {
    var rig = Rig()
    rig.home.compiled = []
    rig.wait(2)
    for _ in 0..<9 {
      try rig.pass()
      #expect(rig.events().isEmpty)
      rig.now = rig.now + StatisticsImport.compilationDelay
    }
    try rig.pass()
    #expect(rig.events() == [.failed(.notCompiled)])
    let asked = rig.home.asked.count
    rig.now = rig.now + StatisticsImport.compilationDelay
    try rig.pass()
    #expect(rig.home.asked.count == asked, "it is not tried again every minute")
    #expect(rig.transfer.waiting.count == 2)
  }

  @Test func whatWasToldIsNotToldAgainWhileSomethingElseIsWaitedFor() throws {
    var rig = Rig()
    rig.home.compiled = []
    rig.wait(2)
    rig.wait(2, of: Self.sensor("cabin"))
    let problem = StatisticsImport.Problem.notFound(uniqueID: [UInt8]("cabin".utf8))
    try rig.pass()
    #expect(rig.events() == [.failed(problem)])
    for _ in 0..<3 {
      rig.now = rig.now + StatisticsImport.compilationDelay
      try rig.pass()
      #expect(rig.events().isEmpty && rig.transfer.problem == problem)
    }
  }

  /// Home Assistant that was slow once is not a recorder that compiles nothing.
  @Test func oneCompilationStartsTheWaitingAnew() throws {
    var rig = Rig()
    rig.wait(2)
    for _ in 0..<3 {
      rig.home.compiled = []
      for _ in 0..<9 {
        try rig.pass()
        rig.now = rig.now + StatisticsImport.compilationDelay
      }
      rig.home.compiled = nil
      rig.home.lostAdditions = .max
      try rig.pass()
      rig.now = rig.now + StatisticsImport.longestRetryDelay
    }
    #expect(!rig.events().contains(.failed(.notCompiled)))
  }

  @Test func aRefusalIsNotToldAgainAfterAWhileInWhichNothingWasCompiled() throws {
    var rig = Rig()
    rig.wait(2)
    rig.home.lostAdditions = .max
    let problem = StatisticsImport.Problem.notKept(uniqueID: [UInt8]("bilge".utf8))
    try rig.pass()
    #expect(rig.events() == [.failed(problem)])
    rig.home.compiled = []
    rig.now = rig.now + StatisticsImport.longestRetryDelay
    try rig.pass()
    #expect(rig.events().isEmpty && rig.transfer.problem == problem)
    rig.home.compiled = nil
    rig.now = rig.now + StatisticsImport.compilationDelay
    try rig.pass()
    #expect(rig.events().isEmpty && rig.transfer.problem == problem)
  }

  @Test func hoursThatAreGivenUpAreToldEachTime() throws {
    var rig = Rig()
    rig.home.statistics["sensor.board_bilge"] = .init(unit: "GiB", unitClass: "information")
    for _ in 0..<2 {
      rig.wait(2)
      try rig.pass()
      #expect(rig.events().count == 1)
    }
  }

  @Test func aUserWhoMayNotIsNotAskedAgainForADay() throws {
    var rig = Rig()
    rig.wait(1)
    rig.transfer.connectionReady(
      deviceID: "d", webhookID: [UInt8]("hook".utf8), time: Self.start(5), now: rig.now)
    #expect(rig.nextQuestion() == .findEntities(deviceID: "d"))
    let error = RequestError.server(code: "unauthorized", message: "Unauthorized")
    rig.transfer.failed(error, now: rig.now)
    #expect(rig.events() == [.failed(.notAllowed)])
    rig.now = rig.now + StatisticsImport.longestRetryDelay
    try rig.pass()
    #expect(rig.home.asked.isEmpty)
    rig.now = rig.now + StatisticsImport.refusalDelay
    try rig.pass()
    #expect(rig.events() == [Self.imported(1)])
  }

  @Test func aPassThatWasBrokenOffBeginsAnewAndLosesNothing() throws {
    var rig = Rig()
    rig.wait(3)
    rig.transfer.connectionReady(
      deviceID: "d", webhookID: [UInt8]("hook".utf8), time: Self.start(5), now: rig.now)
    // The addition was answered, and Home Assistant is killed.
    while rig.home.additions.isEmpty, let question = rig.nextQuestion() {
      try rig.home.answer(question, to: &rig.transfer, now: rig.now)
    }
    rig.home.statistics = StatisticsHome().statistics
    rig.transfer.failed(.disconnected, now: rig.now)
    #expect(rig.events().isEmpty)
    rig.now = rig.now + StatisticsImport.firstRetryDelay
    try rig.pass()
    #expect(rig.events() == [Self.imported(3)])
    #expect(rig.home.statistics["sensor.board_bilge"]?.rows.count == 3)
  }

  @Test func aServerThatDoesNotSayWhichDeviceThisIsCannotBeServed() throws {
    var rig = Rig()
    rig.wait(1)
    try rig.pass(deviceID: nil)
    try rig.pass(deviceID: nil)
    #expect(rig.events() == [.failed(.deviceUnknown)])
    #expect(rig.transfer.waiting.count == 1)
  }

  @Test func whatIsNewMeanwhileIsKeptAndToldToBeUnkept() throws {
    var rig = Rig()
    #expect(!rig.transfer.isUnkept)
    rig.wait(1)
    #expect(rig.transfer.isUnkept)
    rig.transfer.kept()
    #expect(!rig.transfer.isUnkept)
    try rig.pass()
    #expect(rig.transfer.isUnkept)
  }
}
