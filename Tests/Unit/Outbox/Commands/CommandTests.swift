import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What an uplink does about the commands that come with notifications.
@Suite struct CommandTests {
  static let all = CommandKinds(CommandKind.allCases.map { CommandKinds($0) })

  private let rig = Self.rig()

  private static func rig(_ commands: CommandKinds = all) -> UplinkRig {
    .proven(.init(commands: commands))
  }

  // MARK: Which are carried out

  /// One that had no bit of its own would be allowed with another one, or always.
  @Test func eachKindOfCommandHasABitOfItsOwn() {
    let bits = CommandKind.allCases.map { CommandKinds($0) }
    #expect(bits.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
    #expect(Set(bits.map(\.rawValue)).count == CommandKind.allCases.count)
    #expect(CommandKind.allCases.count <= CommandKinds.RawValue.bitWidth)
    for kind in CommandKind.allCases {
      #expect(CommandKinds(kind).allows(kind))
      #expect(!Self.all.subtracting(CommandKinds(kind)).allows(kind))
    }
  }

  @Test(arguments: CommandKind.allCases)
  func whatTheConfigurationDoesNotAllowIsRefusedAndReported(kind: CommandKind) throws {
    let rig = Self.rig(Self.all.subtracting(CommandKinds(kind)))
    try rig.notify("\(kind.word)", #"{"output":"Pump","command":"turn_on","tag":"1"}"#)
    #expect(rig.results.map { $0.problem } == [.notAllowed])
    #expect(rig.orders.isEmpty && rig.notifications.isEmpty)
    rig.cycle()
    #expect(rig.told.map { $0.result } == ["refused"])
    #expect(rig.told.map { $0.reason } == ["not_allowed"])
  }

  @Test(arguments: ["command_flashlight", "command_", "remove_channel", "command_stop_tts"])
  func commandsOfPhonesAreRefusedByName(word: String) throws {
    try rig.notify(word)
    rig.cycle()
    #expect(rig.told.map { $0.reason } == ["unknown_command"])
    #expect(rig.told.map { $0.command } == [word])
  }

  /// Its sender was told that it did not arrive, and may have sent it another way.
  @Test func whatHomeAssistantBelievesUndeliveredIsNotCarriedOut() throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on"}"#, confirmation: .failed)
    #expect(rig.orders.isEmpty)
    #expect(rig.results.map { $0.problem } == [.notConfirmed])
  }

  @Test func aServerThatAsksForNoConfirmationCommandsAllTheSame() throws {
    try rig.notify(
      "command_gpio", #"{"output":"Pump","command":"turn_on"}"#, confirmation: .notAsked)
    #expect(rig.orders == [.output([UInt8]("Pump".utf8), .on)])
  }

  @Test func oneThatCameTwiceIsCarriedOutOnce() throws {
    let pump = #"{"output":"Pump","command":"turn_on"}"#
    try rig.notify("command_gpio", pump, confirmID: "a")
    try rig.notify("command_gpio", pump, confirmID: "a")
    try rig.notify("command_gpio", pump, confirmID: "b")
    #expect(rig.orders.count == 2)
    #expect(rig.results.map { $0.problem } == [nil, .repeated, nil])
  }

  /// A template that looks like a number renders one.
  @Test func anIdMayBeANumber() throws {
    for _ in 0..<2 {
      try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":1764000000}"#)
    }
    #expect(rig.results.map { $0.problem } == [nil, .repeated])
    rig.cycle()
    rig.prove()
    #expect(rig.told.map { $0.id } == ["1764000000", "1764000000"])
  }

  /// Two that only began alike were one, and a number of too many digits was none at all.
  @Test(arguments: [
    "\"" + String(repeating: "x", count: 65) + "\"", "1" + String(repeating: "0", count: 64),
    "true", "[7]",
  ])
  func anIdThatCannotBeRememberedIsRefused(id: String) throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":\#(id)}"#)
    #expect(rig.orders.isEmpty)
    #expect(rig.results.map { $0.problem } == [.wrongData("id")])
    rig.cycle()
    #expect(rig.told.map { $0.id } == [nil])
  }

  @Test func idsThatDifferInTheLastByteAreTwo() throws {
    let long = String(repeating: "x", count: 63)
    for last in ["a", "b", "a"] {
      try rig.notify(
        "command_gpio", #"{"output":"Pump","command":"turn_on","id":"\#(long + last)"}"#)
    }
    #expect(rig.results.map { $0.problem } == [nil, nil, .repeated])
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":null}"#)
    #expect(rig.orders.count == 3)
  }

  /// The first one was not carried out: its sender mends it.
  @Test func theIdOfOneThatWasRefusedIsFree() throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"on","id":"7"}"#)
    rig.boardProblem = .unknownOutput
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#)
    rig.boardProblem = .outputFailed
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#)
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#)
    #expect(
      rig.results.map { $0.problem }
        == [.wrongData("command"), .unknownOutput, .outputFailed, .repeated])
  }

  @Test func idsAreForgottenInTheirOrder() throws {
    for id in 0..<33 {
      try rig.notify("clear_notification", #"{"tag":"x","id":"\#(id)"}"#)
      rig.cycle()
      rig.prove()
    }
    try rig.notify("clear_notification", #"{"tag":"x","id":"1"}"#)
    try rig.notify("clear_notification", #"{"tag":"x","id":"0"}"#)
    #expect(rig.results.suffix(2).map { $0.problem } == [.repeated, nil])
  }

  // MARK: Notifications

  private var shown: [Text] { rig.uplink.notifications.entries.map(\.message) }

  @Test func theLastNotificationsAreShownUntilTheyAreCleared() throws {
    for number in 1...5 { try rig.notify("\(number)", #"{"tag":"\#(number % 3)"}"#) }
    #expect(shown == ["3", "4", "5"], "4 came in the place of 1, and 5 in that of 2")
    try rig.notify("none")
    try rig.notify("another")
    #expect(shown == ["4", "5", "none", "another"])
    try rig.notify("clear_notification", #"{"tag":"1"}"#)
    try rig.notify("clear_notification", #"{"tag":"none"}"#)
    #expect(shown == ["5", "none", "another"])
    #expect(rig.results.map { $0.problem } == [nil, nil])
  }

  @Test func aLongNotificationIsCutBetweenTwoCharacters() throws {
    let tag = String(repeating: "t", count: 500)
    try rig.notify(String(repeating: "é", count: 500), #"{"tag":"\#(tag)"}"#)
    #expect(shown == [Text(String(repeating: "é", count: 80))])
    try rig.notify("clear_notification", #"{"tag":"\#(tag)"}"#)
    #expect(shown.isEmpty)
  }

  // MARK: What belongs to them

  @Test(arguments: [
    (#"{"command":"turn_on"}"#, "output"), (#"{"output":"","command":"turn_on"}"#, "output"),
    (#"{"output":[5],"command":"turn_on"}"#, "output"), (#"{"output":"Pump"}"#, "command"),
    (#"{"output":"Pump","command":"toggle"}"#, "command"),
    (#"{"output":"Pump","command":"pulse"}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":0}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":-1}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":86401}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":1e300}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":"5s"}"#, "duration"),
    (#"{"output":"Pump","command":"pulse","duration":[5]}"#, "duration"),
    ("{}", "output"),
  ])
  func aSwitchingThatMakesNoSenseSaysWhichMember(data: String, key: String) throws {
    try rig.notify("command_gpio", data)
    #expect(rig.orders.isEmpty)
    rig.cycle()
    #expect(rig.told.map { $0.reason } == ["wrong_data"])
    #expect(rig.told.map { $0.key } == [key])
  }

  @Test(arguments: [
    (#"{"output":"Pump","command":"turn_off"}"#, Command.Switching.off),
    (#"{"output":"Pump","command":"pulse","duration":86400}"#, .pulse(.seconds(86_400))),
    (#"{"output":"Pump","command":"pulse","duration":0.001}"#, .pulse(.milliseconds(1))),
    (#"{"output":"Pump","command":"pulse","duration":"2.5"}"#, .pulse(.milliseconds(2500))),
    (#"{"output":"Pump","command":"turn_on","duration":null}"#, .on),
  ])
  func anOutputIsSwitched(data: String, switching: Command.Switching) throws {
    try rig.notify("command_gpio", data)
    #expect(rig.orders == [.output([UInt8]("Pump".utf8), switching)])
  }

  @Test func theAnchorWatchIsSetAndCleared() throws {
    try rig.notify("command_anchor", #"{"command":"turn_on"}"#)
    try rig.notify("command_anchor", #"{"command":"turn_off"}"#)
    try rig.notify("command_anchor", #"{"command":"pulse"}"#)
    #expect(rig.orders == [.anchor(isSet: true), .anchor(isSet: false)])
    #expect(rig.results.last?.problem == .wrongData("command"))
  }

  // MARK: Results

  @Test func theResultGoesAtOnceAndRepeatsWhatWasAsked() throws {
    rig.wait(.seconds(3))
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on","id":"7"}"#)
    rig.cycle()
    let told = try #require(rig.told.first)
    #expect(told.command == "command_gpio" && told.id == "7" && told.result == "done")
    #expect(told.output == "Pump" && told.action == "turn_on" && told.reason == nil)
    #expect(told.deviceID == "board" && told.device == "Boat")
    #expect(told.time == Double(UplinkRig.firstHour * 3600 + 3))
  }

  @Test func whatTheBoardCannotDoIsTold() throws {
    rig.boardProblem = .outputFailed
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on"}"#)
    rig.boardProblem = .unknownOutput
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on"}"#)
    rig.cycle()
    rig.prove()
    #expect(rig.told.map { $0.result } == ["failed", "refused"])
    #expect(rig.told.map { $0.reason } == ["output_failed", "unknown_output"])
  }

  /// The answer to the event alone proves nothing.
  @Test(arguments: [false, true])
  func aResultIsToldUntilItIsProven(isAnswered: Bool) throws {
    try rig.notify("command_anchor", #"{"command":"turn_on"}"#)
    rig.cycle()
    #expect(rig.told.count == 1)
    if isAnswered { rig.answer(200, "{}") }
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
    rig.wait(.seconds(10))
    rig.prove()
    #expect(rig.told.count == 2)
    rig.wait(.seconds(30))
    rig.cycle()
    rig.prove()
    #expect(rig.told.count == 2)
  }

  @Test func oneThatComesDuringACycleFollowsIt() throws {
    rig.wait(.seconds(30))
    rig.cycle()
    try rig.notify("command_anchor", #"{"command":"turn_on"}"#)
    rig.cycle()
    rig.prove()
    #expect(rig.told.isEmpty)
    rig.cycle()
    rig.prove()
    #expect(rig.told.count == 1)
  }

  @Test func moreThanCanBeToldAreNotCarriedOut() throws {
    for _ in 0..<20 { try rig.notify("command_anchor", #"{"command":"turn_on"}"#) }
    #expect(rig.orders.count == 16)
    #expect(rig.results.suffix(4).allSatisfy { $0.problem == .tooMany })
    rig.cycle()
    for _ in 0..<4 { rig.prove() }
    #expect(rig.told.count == 16)
    try rig.notify("command_anchor", #"{"command":"turn_on"}"#)
    #expect(rig.orders.count == 17)
  }

  /// Home Assistant took no data for an hour, and a person who sees no answer asks again and again.
  @Test func aPumpIsSwitchedOffWhateverWaits() throws {
    for _ in 0..<17 {
      try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_on"}"#)
    }
    #expect(rig.results.last?.problem == .tooMany)
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_off"}"#)
    #expect(rig.orders.last == .output([UInt8]("Pump".utf8), .off))
    #expect(rig.results.last?.problem == nil)
    rig.cycle()
    for _ in 0..<4 { rig.prove() }
    #expect(rig.told.count == 16)
  }

  /// Sixteen commands for phones came while Home Assistant took no data; the pump has to stop.
  @Test func whatIsRefusedKeepsNoCommandFromBeingCarriedOut() throws {
    for _ in 0..<20 { try rig.notify("command_flashlight") }
    try rig.notify("command_gpio", #"{"output":"Pump","command":"turn_off"}"#)
    #expect(rig.orders == [.output([UInt8]("Pump".utf8), .off)])
    rig.cycle()
    for _ in 0..<2 { rig.prove() }
    #expect(rig.told.count == 9 && rig.results.count == 21)
  }
}
