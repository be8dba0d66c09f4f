import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import Outbox

/// What goes over the WebSocket, and what of it comes back to the uplink.
@Suite struct WebSocketTransportTests {
  private final class Owner: WebSocketTransportOwner {
    private(set) var states: [ConnectionState] = []
    private(set) var statuses: [Int] = []
    private(set) var reasons: [String] = []
    private(set) var answers: [Result<JSON, RequestError>] = []
    private(set) var changes: [PushChannel.Change] = []
    private(set) var messages: [Text?] = []
    private(set) var confirmations: [PushConfirmation] = []

    func webSocketChanged(_ state: ConnectionState) { states.append(state) }
    func postAnswered(status: Int) { statuses.append(status) }
    func postFailed(_ reason: InlineText) {
      reasons.append(String(decoding: [UInt8](reason.bytes), as: UTF8.self))
    }
    func asked(_ result: Result<JSON, RequestError>) { answers.append(result) }
    func pushChannelChanged(_ change: PushChannel.Change) { changes.append(change) }
    func notified(_ notification: Result<PushNotification, RequestError>) {
      guard case .success(let notification) = notification else { return }
      messages.append(notification.message)
      confirmations.append(notification.confirmation)
    }
  }

  private let driver = ScriptedDriver()
  private let client: Client
  private let owner = Owner()
  private let transport: WebSocketTransport

  init() {
    client = driver.makeClient(policy: WebSocketTransport.policy)
    transport = WebSocketTransport(client, telling: owner)
  }

  private func connect() {
    transport.setAllowed(true)
    driver.acceptConnection()
    driver.removeDeeds()
  }

  private func registration(_ webhookID: String = "hook") throws -> Registration {
    try #require(Registration(webhookID: [UInt8](webhookID.utf8), protection: .plain))
  }

  private func post() throws -> Bool {
    var body = ByteBuffer(capacity: 16)
    body.append([UInt8]("hello".utf8))
    return transport.post(body, to: try registration())
  }

  private var response: String {
    var text = ""
    transport.readResponse { text = String(decoding: [UInt8]($0.bytes), as: UTF8.self) }
    return text
  }

  // MARK: The connection

  /// Away from home no token may be sent, whatever is asked for.
  @Test func itConnectsWhereThatIsAllowedAndOnlyThere() {
    transport.ask(RawRequest("a"))
    #expect(driver.socket == .closed && driver.deeds.isEmpty)
    transport.setAllowed(true)
    #expect(driver.socket == .opening)
    driver.acceptConnection()
    transport.setAllowed(false)
    #expect(driver.socket == .closed)
    #expect(transport.state == .down(.idle))
  }

  @Test func everyStateIsTold() {
    connect()
    guard case .ready? = owner.states.last else {
      Issue.record("\(owner.states)")
      return
    }
    driver.endConnection()
    guard case .down(.retrying)? = owner.states.last else {
      Issue.record("\(owner.states)")
      return
    }
    #expect(owner.states.last == transport.state)
  }

  @Test func itStandsSinceItOpenedOrEndedAndNotSinceAnAttempt() {
    let start = driver.now
    driver.advance(by: .seconds(10))
    transport.setAllowed(true)
    #expect(transport.stateSince == start)
    driver.acceptConnection()
    let opened = driver.now
    #expect(transport.stateSince == opened)
    driver.advance(by: .seconds(10))
    #expect(transport.stateSince == opened)
    driver.endConnection()
    let ended = driver.now
    #expect(transport.stateSince == ended)
    driver.advance(by: .seconds(10))
    if driver.socket == .opening { driver.endConnection() }
    #expect(transport.stateSince == ended)
  }

  /// How often it is looked for in a day of a Home Assistant that is not there.
  private func attemptsInADay() -> Int {
    let end = driver.now + .seconds(24 * 3600)
    var count = 0
    while let deadline = client.deadline, deadline < end {
      driver.advanceToDeadline()
      if driver.socket == .opening {
        count += 1
        driver.endConnection(.unreachable("no route"))
      }
    }
    return count
  }

  @Test func onABatteryItConnectsEverMoreRarely() {
    transport.setAllowed(true)
    driver.endConnection(.unreachable("no route"))
    transport.setOnBattery(true)
    #expect((20...32).contains(attemptsInADay()))
    transport.setOnBattery(false)
    #expect(attemptsInADay() > 200)
  }

  @Test func aSignThatHomeAssistantIsThereEndsTheWait() {
    transport.setOnBattery(true)
    transport.setAllowed(true)
    for _ in 0..<8 {
      driver.endConnection(.unreachable("no route"))
      if driver.socket != .opening { driver.advanceToDeadline() }
    }
    driver.endConnection(.unreachable("no route"))
    #expect(driver.socket == .closed)
    transport.check()
    #expect(driver.socket == .opening)
  }

  // MARK: Messages

  @Test func aMessageGoesToItsWebhookAndItsAnswerIsRead() throws {
    connect()
    let isSent = try post()
    #expect(isSent)
    let message = try #require(driver.messages.last)
    #expect(message["type"] == "webhook/handle" && message["webhook_id"] == "hook")
    #expect(message["body"] == "hello")
    driver.answer(with: ["status": 201, "body": "done"])
    #expect(owner.statuses == [201] && owner.reasons.isEmpty)
    #expect(response == "done")
  }

  @Test func withoutAConnectionItIsNotTaken() throws {
    let isSent = try post()
    #expect(!isSent && owner.reasons.isEmpty)
  }

  @Test func anAnswerThatIsNoneIsAFailure() throws {
    connect()
    _ = try post()
    driver.answer(with: ["body": "done"])
    #expect(owner.statuses.isEmpty)
    #expect(owner.reasons == ["the answer over the WebSocket is malformed"])
  }

  @Test func aRefusalAndALossSayWhatHappened() throws {
    connect()
    _ = try post()
    driver.refuse(code: "unknown_command")
    _ = try post()
    driver.advance(by: .seconds(120))
    connect()
    _ = try post()
    driver.endConnection()
    #expect(
      owner.reasons == [
        "Home Assistant refused it over the WebSocket",
        "no answer came over the WebSocket", "the WebSocket was closed",
      ])
  }

  @Test func aMessageThatIsGivenUpIsNotAnswered() throws {
    connect()
    _ = try post()
    transport.cancelPost()
    driver.answer(with: ["status": 200])
    #expect(owner.statuses.isEmpty && owner.reasons.isEmpty)
    let isNextSent = try post()
    #expect(isNextSent)
  }

  // MARK: Questions

  @Test func aQuestionIsAnsweredOrNot() {
    connect()
    transport.ask(RawRequest("a"))
    driver.answer(with: 7)
    transport.ask(RawRequest("b"))
    driver.refuse(code: "unauthorized", message: "no")
    #expect(
      owner.answers == [
        .success(7), .failure(.server(code: "unauthorized", message: "no")),
      ])
  }

  // MARK: Notifications

  @Test func notificationsComeForTheRegistrationThatIsThere() throws {
    connect()
    transport.openChannel(of: try registration("first"))
    driver.answer()
    #expect(owner.changes == [.opened])
    let first = try #require(driver.messageID(ofType: "mobile_app/push_notification_channel"))
    transport.openChannel(of: try registration("second"))
    let opened = driver.messages.last { $0["type"] == "mobile_app/push_notification_channel" }
    #expect(opened?["webhook_id"] == "second")
    let second = try #require(driver.messageID(ofType: "mobile_app/push_notification_channel"))
    driver.answer(second)
    driver.tell(["message": "hello", "hass_confirm_id": "c"], of: second)
    driver.answer(driver.messageID(ofType: "mobile_app/push_notification_confirm"))
    driver.tell(["message": "stale", "hass_confirm_id": "d"], of: first)
    #expect(owner.messages == ["hello"])
  }

  /// Home Assistant has told its sender that it arrived, and sends it never again. The agent opens
  /// its channel anew where it registers again, and where it goes on with the former registration.
  @Test(arguments: ["hook", "another"])
  func aNotificationWhoseConfirmationIsUnderWayOutlivesItsChannel(next: String) throws {
    connect()
    transport.openChannel(of: try registration())
    driver.answer()
    let channel = try #require(driver.messageID(ofType: "mobile_app/push_notification_channel"))
    driver.tell(["message": "hello", "hass_confirm_id": "c"], of: channel)
    let confirmation = try #require(
      driver.messageID(ofType: "mobile_app/push_notification_confirm"))
    transport.openChannel(of: try registration(next))
    #expect(owner.messages.isEmpty)
    driver.answer(confirmation)
    #expect(owner.messages == ["hello"])
    driver.answer(driver.messageID(ofType: "mobile_app/push_notification_channel"))
    driver.endConnection()
    #expect(owner.messages == ["hello"])
    #expect(owner.changes == [.opened, .opened])
  }

  /// Else it would ask for the notifications of a device that Home Assistant has deleted.
  @Test func aFormerChannelIsNotOpenedAgainWhereItsConfirmationIsRefused() throws {
    connect()
    transport.openChannel(of: try registration("first"))
    driver.answer()
    let channel = try #require(driver.messageID(ofType: "mobile_app/push_notification_channel"))
    driver.tell(["message": "hello", "hass_confirm_id": "c"], of: channel)
    let confirmation = try #require(
      driver.messageID(ofType: "mobile_app/push_notification_confirm"))
    transport.openChannel(of: try registration("second"))
    driver.refuse(confirmation, code: "not_found")
    let opened = driver.messages.filter { $0["type"] == "mobile_app/push_notification_channel" }
    #expect(opened.map { $0["webhook_id"] } == ["first", "second"])
    #expect(owner.confirmations == [.failed])
  }

  @Test func aChannelIsRenewedAtItsDeadline() throws {
    #expect(transport.deadline == nil)
    connect()
    transport.openChannel(of: try registration())
    driver.answer()
    let deadline = try #require(transport.deadline)
    #expect(deadline == driver.now + PushChannel.renewalInterval)
    let before = driver.messages.count
    transport.deadlineReached(now: deadline + .nanoseconds(-1))
    #expect(driver.messages.count == before)
    transport.deadlineReached(now: deadline)
    #expect(driver.messages.count > before)
  }
}
