import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// What hinders an import, and what is broken off.
@Suite struct StatisticsImportFailureTests {
  private typealias Rig = StatisticsImportRig

  private var rig = Rig()

  @Test mutating func aSensorThatIsRefusedHindersNoOther() throws {
    rig.waitOfTwoSensors()
    let error = RequestError.server(code: "invalid_format", message: "no")
    rig.home.refusals["sensor.board_bilge"] = error
    try rig.pass()
    let problem = StatisticsImport.Problem.refused(uniqueID: [UInt8]("bilge".utf8), error)
    #expect(rig.events() == [.failed(problem), Rig.imported(3, "cabin")])
    #expect(rig.transfer.waiting.count == 2 && rig.transfer.problem == problem)
  }

  @Test mutating func whatIsLeftOutOfTheRecorderIsNotWrittenThere() throws {
    rig.home.statistics = [:]
    rig.wait(2)
    try rig.pass()
    #expect(rig.home.additions.isEmpty)
    #expect(rig.events() == [.failed(.notFound(uniqueID: [UInt8]("bilge".utf8)))])
  }

  /// A battery that was taken out says no numbers any more.
  @Test mutating func anotherSensorOfTheBoardTellsHowFarHomeAssistantHasCompiled() throws {
    rig.home.entities["sensor.load"] = "hook_load"
    rig.home.compiled = ["sensor.load"]
    rig.wait(2)
    try rig.pass()
    #expect(rig.events() == [Rig.imported(2)])
  }

  @Test mutating func aRecorderThatCompilesNothingIsToldAfterAWhile() throws {
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
    try rig.pass(after: StatisticsImport.compilationDelay)
    #expect(rig.home.asked.count == asked, "it is not tried again every minute")
    #expect(rig.transfer.waiting.count == 2)
  }

  @Test mutating func whatWasToldIsNotToldAgainWhileSomethingElseIsWaitedFor() throws {
    rig.home.compiled = []
    rig.wait(2)
    rig.wait(2, of: Rig.sensor("cabin"))
    let problem = StatisticsImport.Problem.notFound(uniqueID: [UInt8]("cabin".utf8))
    try rig.pass()
    #expect(rig.events() == [.failed(problem)])
    for _ in 0..<3 {
      try rig.pass(after: StatisticsImport.compilationDelay)
      #expect(rig.events().isEmpty && rig.transfer.problem == problem)
    }
  }

  /// Home Assistant that was slow once is not a recorder that compiles nothing.
  @Test mutating func oneCompilationStartsTheWaitingAnew() throws {
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

  @Test mutating func aRefusalIsNotToldAgainAfterAWhileInWhichNothingWasCompiled() throws {
    rig.wait(2)
    rig.home.lostAdditions = .max
    let problem = StatisticsImport.Problem.notKept(uniqueID: [UInt8]("bilge".utf8))
    try rig.pass()
    #expect(rig.events() == [.failed(problem)])
    rig.home.compiled = []
    try rig.pass(after: StatisticsImport.longestRetryDelay)
    #expect(rig.events().isEmpty && rig.transfer.problem == problem)
    rig.home.compiled = nil
    try rig.pass(after: StatisticsImport.compilationDelay)
    #expect(rig.events().isEmpty && rig.transfer.problem == problem)
  }

  @Test mutating func hoursThatAreGivenUpAreToldEachTime() throws {
    rig.home.bilge = .init(unit: "GiB", unitClass: "information")
    for _ in 0..<2 {
      rig.wait(2)
      try rig.pass()
      #expect(rig.events().count == 1)
    }
  }

  @Test mutating func aUserWhoMayNotIsNotAskedAgainForADay() throws {
    rig.wait(1)
    rig.begin()
    #expect(rig.nextQuestion()?.payload == ["item_type": "device", "item_id": "d"])
    let error = RequestError.server(code: "unauthorized", message: "Unauthorized")
    rig.transfer.answered(.failure(error), now: rig.now)
    #expect(rig.events() == [.failed(.notAllowed)])
    #expect(!rig.transfer.isAtWork, "a person has to do something")
    try rig.pass(after: StatisticsImport.longestRetryDelay)
    #expect(rig.home.asked.isEmpty)
    try rig.pass(after: StatisticsImport.refusalDelay)
    #expect(rig.events() == [Rig.imported(1)])
  }

  @Test mutating func aPassThatWasBrokenOffBeginsAnewAndLosesNothing() throws {
    rig.wait(3)
    rig.begin()
    // The addition was answered, and Home Assistant is killed.
    while rig.home.additions.isEmpty, let question = rig.nextQuestion() {
      try rig.home.answer(question, to: &rig.transfer, now: rig.now)
    }
    rig.home.statistics = StatisticsHome().statistics
    rig.transfer.answered(.failure(.disconnected), now: rig.now)
    #expect(rig.events().isEmpty)
    try rig.pass(after: StatisticsImport.firstRetryDelay)
    #expect(rig.events() == [Rig.imported(3)])
    #expect(rig.home.bilge.rows.count == 3)
  }

  @Test mutating func aServerThatDoesNotSayWhichDeviceThisIsCannotBeServed() throws {
    rig.wait(1)
    try rig.pass(deviceID: nil)
    try rig.pass(deviceID: nil)
    #expect(rig.events() == [.failed(.deviceUnknown)])
    #expect(rig.transfer.waiting.count == 1)
  }

  @Test mutating func aQuestionIsGivenOnceAndNotAfterThePassWasBrokenOff() throws {
    rig.wait(1)
    rig.begin()
    #expect(rig.nextQuestion() != nil)
    rig.transfer.answered(.failure(.disconnected), now: rig.now)
    #expect(rig.nextQuestion() == nil)
    rig.now = rig.now + StatisticsImport.firstRetryDelay
    rig.begin()
    rig.begin()
    rig.transfer.answered(.failure(.disconnected), now: rig.now)
    #expect(rig.nextQuestion()?.command == "search/related", "its answer could not come yet")
    #expect(rig.nextQuestion() == nil)
  }

  @Test mutating func whatIsNewMeanwhileIsKeptAndToldToBeUnkept() throws {
    #expect(!rig.transfer.keeping.isUnkept)
    rig.wait(1)
    #expect(rig.transfer.keeping.isUnkept)
    rig.transfer.kept(nil)
    #expect(!rig.transfer.keeping.isUnkept)
    try rig.pass()
    #expect(rig.transfer.keeping.isUnkept)
  }
}
