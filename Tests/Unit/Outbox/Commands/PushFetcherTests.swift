import Bytes
import ModelRelay
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What an uplink does about the notifications that wait at a push relay.
@Suite struct PushFetcherTests {
  private let relay = ModelRelay()
  private let rig = UplinkRig.withRelay()

  private func pump(_ id: String, _ command: String = "turn_on") -> String {
    #"{"message":"command_gpio","data":{"output":"Pump","command":"\#(command)","id":"\#(id)"}}"#
  }

  // MARK: When

  @Test func theRelayIsAskedAfterAnUploadAndNotBefore() {
    let rig = UplinkRig(
      .init(isRegistered: true, isPlain: true, pushURL: "https://relay.example"))
    rig.firstCycle()
    #expect(rig.fetchCount == 0)
    rig.answer(400, UplinkRig.noKey)
    rig.prove()
    #expect(rig.fetchCount == 1)
  }

  @Test func withoutARelayNothingIsAsked() {
    let rig = UplinkRig.proven(.init())
    #expect(rig.fetchCount == 0)
  }

  @Test func anUploadEachFewSecondsDoesNotAskEachTime() {
    rig.fetch(from: relay)
    for _ in 0..<5 {
      rig.wait(.seconds(10))
      rig.uploadProven()
    }
    #expect(rig.fetchCount == 1)
    rig.wait(.seconds(10))
    rig.uploadProven()
    #expect(rig.fetchCount == 2)
  }

  @Test func aRelayThatFailsIsAskedLessAndLessOften() {
    var counts: [Int] = []
    for _ in 0..<6 {
      let before = rig.minuteCount
      while !rig.isFetching { rig.uploadProvenAfterAMinute() }
      counts.append(rig.minuteCount - before)
      rig.event { $0.fetchFailed(InlineText("no route"), now: $1) }
    }
    #expect(counts[0] == 0 && counts[1] <= 1)
    #expect(zip(counts.dropFirst(), counts.dropFirst(2)).allSatisfy { $0 < $1 }, "\(counts)")
  }

  @Test func aPlainRelayIsNotAskedAwayFromHome() {
    let rig = UplinkRig.withRelay {
      $0.pushURL = "http://192.168.1.5:8426"
      $0.url = "https://ha.example"
      $0.knowsHome = true
    }
    rig.arrive(atHome: false)
    rig.uploadProvenAfterAMinute()
    #expect(rig.fetchCount == 0)
    rig.arrive(atHome: true)
    rig.uploadProvenAfterAMinute()
    #expect(rig.fetchCount == 1)
    rig.arrive(atHome: false)
    #expect(rig.cancelled.contains(.push), "the token is on its way in a foreign network")
  }

  // MARK: What comes

  @Test func aNotificationIsHandedOnWhenTheRelayHasForgottenIt() {
    relay.push(#"{"message":"Storm at nine"}"#)
    rig.fetchOnce(from: relay)
    #expect(rig.notifications.isEmpty && rig.isFetching)
    rig.fetchOnce(from: relay)
    #expect(rig.notifications.map(\.message) == ["Storm at nine"])
    #expect(relay.waiting.isEmpty)
    #expect(!rig.isFetching)
  }

  @Test func aPowerCutBeforeThatLosesNothing() {
    relay.push(pump("1"))
    rig.fetchOnce(from: relay)
    let second = UplinkRig.withRelay()
    second.fetch(from: relay)
    #expect(second.orders.count == 1)
  }

  /// A reboot that came again after each reboot would never end.
  @Test func aPowerCutAfterThatRepeatsNothing() {
    relay.push(pump("1", "pulse"))
    rig.fetch(from: relay)
    let second = UplinkRig.withRelay()
    second.fetch(from: relay)
    #expect(second.orders.isEmpty && relay.waiting.isEmpty)
  }

  @Test func anAnswerThatIsLostCarriesOutNothingTwice() {
    relay.push(pump("1"))
    rig.fetchOnce(from: relay)
    // The relay forgets, and its answer does not arrive.
    rig.fetchOnce(from: relay, arrives: false)
    #expect(rig.orders.isEmpty)
    rig.uploadProvenAfterAMinute()
    rig.uploadProvenAfterAMinute()
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
  }

  @Test func aRelayThatForgetsNothingIsAskedAFewTimesOnly() {
    relay.isForgetful = false
    relay.push(pump("1"))
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
    #expect(rig.fetchCount <= 3)
  }

  @Test func aLongQueueEndsAfterSomeRequestsAndGoesOnLater() {
    relay.answerCountMax = 1
    for number in 0..<20 { relay.push(#"{"message":"\#(number)"}"#) }
    rig.fetch(from: relay)
    #expect(rig.fetchCount == PushFetcher.requestCountMax)
    // An upload each few seconds would otherwise bring as many requests each time.
    rig.wait(.seconds(10))
    rig.event { $0.push?.uploadProven(now: $1) }
    #expect(rig.fetchCount == PushFetcher.requestCountMax)
    rig.uploadProvenAfterAMinute()
    rig.fetch(from: relay)
    #expect(rig.notifications.map(\.message) == (0..<20).map { Text("\($0)") })
  }

  /// Only so many results are kept for Home Assistant; the rest of the commands waits.
  @Test func aCommandWaitsUntilThereIsRoomForItsResult() {
    let count = CommandResults.countMax + 4
    for number in 0..<count { relay.push(pump("\(number)")) }
    rig.fetch(from: relay)
    #expect(rig.orders.count == CommandResults.countMax)
    for _ in 0..<4 { rig.uploadProvenAfterAMinute(results: true) }
    #expect(rig.orders.count == count)
    #expect(rig.results.allSatisfy { $0.problem == nil })
  }

  /// A relay that always has more would fill the memory with commands that wait for room.
  @Test func nothingMoreIsFetchedWhileACommandWaits() {
    relay.answerCountMax = CommandResults.countMax
    for number in 0..<CommandResults.countMax * 8 { relay.push(pump("\(number)")) }
    rig.fetch(from: relay)
    #expect(rig.orders.count == CommandResults.countMax)
    // The first ones have taken the room, the second ones wait, the third ones are not yet
    // acknowledged.
    #expect(rig.fetchCount == 3)
    for _ in 0..<16 {
      rig.uploadProvenAfterAMinute(results: true)
      rig.fetch(from: relay)
    }
    #expect(rig.orders.count == CommandResults.countMax * 8)
    #expect(relay.waiting.isEmpty)
  }

  @Test func oneThatCameOverTheWebSocketIsNotRepeatedByTheRelay() throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on"}"#, confirmID: "c-1")
    relay.push(
      #"{"message":"command_gpio","data":{"output":"Pump","command":"turn_on"},"#
        + #""hass_confirm_id":"c-1"}"#)
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
    #expect(rig.results.map(\.problem) == [nil, .repeated])
  }

  @Test func commandsThatAreNotAllowedAreRefusedFromTheRelayToo() {
    let rig = UplinkRig.withRelay { $0.commands = [] }
    relay.push(pump("1"))
    rig.fetch(from: relay)
    #expect(rig.orders.isEmpty && rig.results.map(\.problem) == [.notAllowed])
  }

  // MARK: Commands over a restart

  @Test func aCommandIsStoredBeforeItIsCarriedOut() throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"pulse","duration":5,"id":"7"}"#)
    #expect(rig.keptIDs.first?.orderCount == 0 && rig.orders.count == 1)
    let ids = try #require(rig.keptIDs.last?.ids)
    let second = UplinkRig.withRelay { $0.commandIDs = ids }
    try second.notify("command_gpio", #"{"output":"Pump","command":"pulse","duration":5,"id":"7"}"#)
    #expect(second.orders.isEmpty && second.results.map(\.problem) == [.repeated])
  }

  @Test func aCommandThatTheBoardRefusedMayComeAgainAfterARestart() throws {
    rig.boardProblem = .unknownOutput
    try rig.notify(
      "command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#, confirmID: "a")
    let ids = try #require(rig.keptIDs.last?.ids)
    let second = UplinkRig.withRelay { $0.commandIDs = ids }
    try second.notify(
      "command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#, confirmID: "b")
    #expect(second.orders.count == 1)
  }

  @Test func aReadOnlyDiskIsReportedAndStopsNoPump() throws {
    rig.isWritable = false
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_off","id":"7"}"#)
    #expect(rig.orders.count == 1 && rig.stateFailures == 1)
  }

  // MARK: A run with an end

  @Test func aShortRunWaitsForItsCommandsAndTheirResults() {
    let rig = UplinkRig.withRelay { $0.onceTimeout = .seconds(90) }
    let end = Instant(nanoseconds: 0) + .seconds(90)
    relay.push(pump("1"))
    #expect(!rig.uplink.isDone(by: end), "the relay was not asked")
    rig.fetch(from: relay)
    #expect(rig.orders.count == 1)
    #expect(!rig.uplink.isDone(by: end), "Home Assistant does not know what became of it")
    rig.uploadProven(results: true)
    #expect(rig.told.map(\.result) == ["done"])
    #expect(rig.uplink.isDone(by: end))
  }

  /// The state of the pump that it has just switched.
  @Test func aShortRunDeliversAnUrgentChangeAfterItsProof() throws {
    let rig = UplinkRig.withRelay { $0.onceTimeout = .seconds(90) }
    let end = Instant(nanoseconds: 0) + .seconds(90)
    rig.fetch(from: relay)
    rig.record(try rig.declare("pump", isUrgent: true), 1)
    #expect(!rig.uplink.isDone(by: end))
  }

  @Test func aRelayThatFailsDoesNotHoldUpAShortRun() {
    let rig = UplinkRig.withRelay { $0.onceTimeout = .seconds(90) }
    rig.event { $0.fetchFailed(InlineText("no route"), now: $1) }
    #expect(rig.uplink.isDone(by: Instant(nanoseconds: 0) + .seconds(90)))
  }

  @Test func anIntervalFromTheRelaySetsTheNextWake() {
    let rig = UplinkRig.withRelay { $0.onceTimeout = .seconds(90) }
    relay.push(#"{"message":"command_interval","data":{"every":900}}"#)
    rig.fetch(from: relay)
    #expect(rig.uplink.reportInterval == .seconds(900))
  }

  // MARK: Reports

  @Test func aProblemIsReportedOnceAndItsEnd() {
    for _ in 0..<3 {
      while !rig.isFetching { rig.uploadProvenAfterAMinute() }
      rig.event { $0.fetchFailed(InlineText("no route"), now: $1) }
    }
    let problem = PushFetch.Problem.noConnection(InlineText("no route"))
    #expect(rig.pushEvents == [.problem(problem)])
    #expect(rig.uplink.pushStatus?.problem == problem)
    while !rig.isFetching { rig.uploadProvenAfterAMinute() }
    rig.fetch(from: relay)
    #expect(rig.pushEvents == [.problem(problem), .problem(nil)])
    #expect(rig.uplink.pushStatus?.answeredAt == rig.now)
  }

  @Test func whatCannotBeOpenedIsReportedAndAcknowledged() {
    relay.push("no JSON")
    relay.push(#"{"message":"b"}"#)
    rig.fetch(from: relay)
    #expect(rig.pushEvents == [.unreadable(count: 1)])
    #expect(rig.notifications.map(\.message) == ["b"] && relay.waiting.isEmpty)
  }

  @Test func anAnswerThatWasNotAskedForIsIgnored() {
    rig.fetch(from: relay)
    relay.push(#"{"message":"b"}"#)
    var request = ByteBuffer(capacity: 256)
    rig.uplink.writeFetch(into: &request)
    var body = ByteBuffer(capacity: 4096)
    body.append(relay.answer([UInt8](request.bytes)) ?? [])
    rig.event { $0.fetchAnswered(AnswerHead(status: 200), &body, now: $1) }
    #expect(!rig.isFetching && rig.pushEvents.isEmpty)
  }
}

extension UplinkRig {
  /// One with a push relay, to which all commands are allowed.
  static func withRelay(_ change: (inout Setup) -> Void = { _ in }) -> UplinkRig {
    var setup = Setup(commands: CommandTests.all, pushURL: "https://relay.example")
    change(&setup)
    return proven(setup)
  }

  var fetchCount: Int {
    calls.filter { if case .fetch = $0 { true } else { false } }.count
  }

  var isFetching: Bool { uplink.push?.isUnderWay == true }

  var minuteCount: Int {
    Int((now - Instant(nanoseconds: 0)).nanoseconds / 60_000_000_000)
  }

  /// Takes one request, if there is one, to the relay, and its answer of `time` back.
  func fetchOnce(
    from relay: ModelRelay, arrives: Bool = true, time: WallTime? = ModelRelay.time
  ) {
    guard isFetching else { return }
    var request = ByteBuffer(capacity: PushFetch.requestByteCountMax)
    uplink.writeFetch(into: &request)
    var body = ByteBuffer(capacity: PushFetch.responseByteCountMax)
    body.append(relay.answer([UInt8](request.bytes)) ?? [])
    guard arrives else { return event { $0.fetchFailed(InlineText("reset"), now: $1) } }
    var head = AnswerHead(status: 200)
    head.time = time
    event { $0.fetchAnswered(head, &body, now: $1) }
  }

  /// Takes requests to the relay until the uplink has no more of them.
  func fetch(from relay: ModelRelay, time: WallTime? = ModelRelay.time) {
    for _ in 0..<100 where isFetching { fetchOnce(from: relay, time: time) }
  }

  /// A cycle whose upload Home Assistant takes. With `results`, it takes events before it.
  func uploadProven(results: Bool = false) {
    event { $0.deadlineReached(now: $1) }
    cycle()
    if results {
      for _ in 0..<CommandResults.countMax where messages.last?.contains("fire_event") == true {
        answer(200, "{}")
      }
    }
    prove()
  }

  func uploadProvenAfterAMinute(results: Bool = false) {
    wait(.seconds(60))
    uploadProven(results: results)
  }
}
