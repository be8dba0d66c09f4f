import Bytes
import ModelRelay
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// Commands and notifications as people write them, by reports about the companion apps.
@Suite struct SentCommandTests {
  private let rig = UplinkRig(.init(commands: CommandTests.all))

  private let pumpOff = #"{"output":"Pump","command":"turn_off"}"#

  // MARK: Words

  /// A folded text in YAML ends with a line feed.
  @Test(arguments: [
    #"command_gpio\n"#, "command_gpio ", " command_gpio", #"\tcommand_gpio\r\n"#, "Command_GPIO",
    "COMMAND_GPIO",
  ])
  func spaceAndCaseDoNotMakeACommandANotification(message: String) throws {
    try rig.notify(message, pumpOff)
    #expect(rig.orders == [.output([UInt8]("Pump".utf8), .off)])
    #expect(rig.notifications.isEmpty)
    let results = rig.results.map { String(decoding: $0.call.word, as: UTF8.self) }
    #expect(results == ["command_gpio"])
  }

  @Test(arguments: ["Command_Reboot_", "COMMAND_ACTIVITY", "Remove_Channel"])
  func aCommandOfAnotherAppIsRefusedInAnyCase(message: String) throws {
    try rig.notify(message)
    #expect(rig.results.map(\.problem) == [.unknownCommand] && rig.notifications.isEmpty)
  }

  @Test(arguments: [
    "command", "The command_gpio failed", "commands", "turn_off", "", "\u{A0}command_gpio",
  ])
  func aTextForPeopleIsNotACommand(message: String) throws {
    try rig.notify(message, pumpOff)
    #expect(rig.results.isEmpty && rig.notifications.map(\.message) == [Text(message)])
  }

  @Test(arguments: [
    ("TURN_OFF", BoardOrder.output([UInt8]("Pump".utf8), .off)),
    (#"turn_on\n"#, .output([UInt8]("Pump".utf8), .on)),
    (" Pulse ", .output([UInt8]("Pump".utf8), .pulse(.seconds(5)))),
  ])
  func theSwitchingMayHaveSpaceAndCapitals(command: String, order: BoardOrder) throws {
    try rig.notify("command_gpio", #"{"output":"Pump","command":"\#(command)","duration":"5"}"#)
    #expect(rig.orders == [order])
  }

  /// A pump is stopped however many results wait.
  @Test func aPumpIsStoppedInCapitalsToo() throws {
    for _ in 0..<CommandResults.countMax { try rig.notify("command_gpio", pumpOff) }
    let before = rig.orders.count
    try rig.notify("COMMAND_GPIO", #"{"output":"Pump","command":"TURN_OFF"}"#)
    #expect(rig.orders.count == before + 1)
  }

  // MARK: Numbers in place of texts

  /// A template that renders `1` gives a number.
  @Test func anOutputMayHaveANumberAsItsName() throws {
    try rig.notify("command_gpio", #"{"output":1,"command":"turn_off"}"#)
    #expect(rig.orders == [.output([UInt8]("1".utf8), .off)])
  }

  @Test func aTagMayBeANumber() throws {
    try rig.notify("Storm at nine", #"{"tag":5}"#)
    try rig.notify("Storm at ten", #"{"tag":"5"}"#)
    #expect(rig.uplink.notifications.entries.map(\.message) == ["Storm at ten"])
    try rig.notify("clear_notification", #"{"tag":5}"#)
    #expect(rig.uplink.notifications.entries.isEmpty)
  }

  @Test(arguments: ["{}", #"{"tag":null}"#, #"{"tag":""}"#, #"{"tag":[5]}"#])
  func withoutATagNothingIsClearedAndTheSenderKnows(data: String) throws {
    try rig.notify("Storm at nine", #"{"tag":""}"#)
    try rig.notify("clear_notification", data)
    #expect(rig.results.map(\.problem) == [.wrongData("tag")])
    #expect(rig.uplink.notifications.entries.count == 1)
  }

  // MARK: What is no notification of Home Assistant

  private func notification(_ text: String) throws -> PushNotification {
    let json = try JSON(parsing: Array(text.utf8).span)
    return try PushNotification(json: json)
  }

  @Test(arguments: [#""text""#, "[1]", "5", "true", "null"])
  func dataThatIsNoObjectIsLeftOut(data: String) throws {
    let text = #"{"message":"a","data":\#(data)}"#
    let notification = try notification(text)
    #expect(notification.message == "a" && notification.data.isEmpty)
  }

  @Test(arguments: [("5", "5"), ("-1.5", "-1.5"), (#""a""#, "a")])
  func aNumberAsMessageOrTitleIsItsDigits(json: String, text: Text) throws {
    let object = #"{"message":\#(json),"title":\#(json)}"#
    let notification = try notification(object)
    #expect(notification.message == text && notification.title == text)
  }

  @Test(arguments: ["null", "[]", "{}", "true", "1\(String(repeating: "0", count: 90))"])
  func anotherMessageIsNone(json: String) throws {
    let object = #"{"message":\#(json),"title":"Bilge"}"#
    let notification = try notification(object)
    #expect(notification.message == nil && notification.title == "Bilge")
  }

  @Test func aHalfEmojiIsReplaced() throws {
    let object = #"{"message":"How \ud83d\ude0d","title":"x\ud83d"}"#
    let notification = try notification(object)
    #expect(notification.message == "How 😍" && notification.title == "x\u{FFFD}")
  }

  // MARK: Time

  /// The status would otherwise say that the storm of last week came a moment ago.
  @Test func theTimeOfANotificationIsThatOfItsArrivalAtTheRelay() {
    let rig = UplinkRig.withRelay()
    let relay = ModelRelay()
    relay.arrived = ModelRelay.time - .seconds(7 * 86_400)
    relay.push(#"{"message":"Storm at nine"}"#)
    rig.fetch(from: relay)
    let entry = rig.uplink.notifications.entries.first
    #expect(entry?.receivedAt == rig.now + .seconds(-7 * 86_400))
  }
}
