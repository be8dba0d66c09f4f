import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

@Suite struct PushChannelTests {
  private let rig = ClientRig()
  private let notes = Notes()

  private final class Notes {
    /// Keeps the channel of the test, except for those that end it.
    var channel: PushChannel?
    var changes: [PushChannel.Change] = []
    var notifications: [Result<PushNotification, RequestError>] = []
  }

  private func connect(version: Text = "2025.4.4") -> PushChannel {
    let notes = notes
    let channel = PushChannel(
      client: rig.client, webhookID: [UInt8]("hook".utf8),
      onChange: { [unowned notes] in notes.changes.append($0) },
      onNotification: { [unowned notes] in notes.notifications.append($0) })
    notes.channel = channel
    rig.client.connect()
    rig.driver.acceptConnection(version: version)
    return channel
  }

  @discardableResult private func open() -> PushChannel {
    let channel = connect()
    rig.forget()
    rig.driver.answer()
    return channel
  }

  private func notify(_ id: Text = "c1") {
    rig.driver.tell(["message": "hello", "hass_confirm_id": .text(id)], of: 1)
  }

  private static let command: Text = "mobile_app/push_notification_channel"
  private static let confirmation: Text = "mobile_app/push_notification_confirm"

  @Test(arguments: [("2025.4.4", true), ("2021.10.0b0", true), ("2021.9.7", false)])
  func confirmationsAreAskedForWhereTheServerKnowsThem(version: String, isConfirmed: Bool) {
    _ = connect(version: Text(version))
    let message = rig.driver.messages.last
    #expect(message?["type"] == .text(Self.command))
    #expect(message?["webhook_id"] == "hook")
    #expect(message?["support_confirm"] == (isConfirmed ? true : nil))
  }

  @Test func aNotificationIsConfirmedBeforeAnythingIsDoneAboutIt() throws {
    open()
    notify()
    let message = try #require(rig.driver.messages.last)
    #expect(message["type"] == .text(Self.confirmation))
    #expect(message["confirm_id"] == "c1" && message["webhook_id"] == "hook")
    #expect(notes.notifications.isEmpty)
    rig.driver.answer()
    #expect(try notes.notifications.map { try $0.get().message } == ["hello"])
  }

  /// It has arrived, and Home Assistant may send it nowhere else.
  @Test func aNotificationWhoseConfirmationIsLostIsToldOnce() {
    open()
    notify()
    rig.driver.endConnection()
    #expect(notes.notifications.count == 1)
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: Self.confirmation) == [2])
    #expect(notes.notifications.count == 1)
  }

  @Test func aNotificationWithoutAConfirmationIsToldAndThatIsAll() {
    open()
    rig.driver.tell(["message": "hello"], of: 1)
    #expect(notes.notifications.count == 1 && rig.driver.messages.isEmpty)
  }

  /// Home Assistant closed the channel, and says so in no other way.
  @Test func aConfirmationThatIsNotFoundOpensTheChannelAgainAtOnce() {
    open()
    notify()
    rig.driver.refuse(code: "not_found")
    #expect(rig.ids(of: Self.command) == [3])
    rig.driver.answer()
    #expect(notes.changes == [.opened, .opened])
    rig.driver.tell(["message": "again"], of: 3)
    #expect(notes.notifications.count == 2)
  }

  @Test func anotherRefusalOfAConfirmationIsNoReasonToOpenItAgain() {
    open()
    notify()
    rig.driver.refuse(code: "unknown_error")
    #expect(rig.ids(of: Self.command).isEmpty)
  }

  @Test func itIsOpenedAgainFromTimeToTime() throws {
    let channel = open()
    for _ in 0..<3 {
      let deadline = try #require(channel.deadline)
      #expect(deadline == rig.driver.now + PushChannel.renewalInterval)
      channel.deadlineReached(now: deadline + .nanoseconds(-1))
      #expect(rig.ids(of: Self.command).isEmpty)
      channel.deadlineReached(now: deadline)
      #expect(rig.ids(of: Self.command).count == 1)
      #expect(channel.deadline == nil, "until there is an answer")
      rig.driver.answer()
      rig.forget()
    }
  }

  /// Nothing else would bring the notifications back while the connection stands.
  @Test func aRenewalThatIsRefusedIsTriedAgainFromTimeToTime() throws {
    let channel = open()
    channel.deadlineReached(now: try #require(channel.deadline))
    rig.driver.refuse(rig.ids(of: Self.command).last, code: "not_found")
    rig.driver.advance(by: .seconds(5))
    for count in 2..<6 {
      #expect(rig.ids(of: Self.command).count == count)
      rig.driver.refuse(rig.ids(of: Self.command).last, code: "not_found")
      let deadline = try #require(channel.deadline)
      #expect(deadline == rig.driver.now + PushChannel.renewalInterval)
      channel.deadlineReached(now: deadline)
    }
    rig.driver.answer(rig.ids(of: Self.command).last)
    #expect(notes.changes.last == .opened)
  }

  /// A log that says it every 10 minutes says nothing.
  @Test func aRefusalThatLastsIsToldOnceUntilTheChannelIsOpen() throws {
    let channel = open()
    let refused = PushChannel.Change.refused(.server(code: "not_found", message: ""))
    for _ in 0..<2 {
      for _ in 0..<3 {
        channel.deadlineReached(now: try #require(channel.deadline))
        rig.driver.refuse(rig.ids(of: Self.command).last, code: "not_found")
      }
      channel.deadlineReached(now: try #require(channel.deadline))
      rig.driver.answer(rig.ids(of: Self.command).last)
    }
    #expect(notes.changes == [.opened, refused, .opened, refused, .opened])
  }

  @Test func itIsOpenedOnceAfterAReconnectionAndRestsMeanwhile() {
    let channel = open()
    rig.driver.endConnection()
    #expect(channel.deadline == nil)
    rig.forget()
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: Self.command).count == 1)
    rig.driver.answer()
    #expect(channel.deadline != nil)
    #expect(notes.changes == [.opened, .opened])
  }

  @Test func anOlderServerAfterARestartIsAskedForWhatItKnows() {
    open()
    rig.driver.endConnection()
    rig.client.networkChanged()
    rig.forget()
    rig.driver.acceptConnection(version: "2021.9.7")
    let last = rig.driver.messages.last { $0["type"] == .text(Self.command) }
    #expect(last != nil && last?["support_confirm"] == nil)
  }

  @Test func aRefusedChannelIsTold() {
    let channel = connect()
    rig.driver.refuse(code: "not_found", message: "no such device")
    #expect(notes.changes == [.refused(.server(code: "not_found", message: "no such device"))])
    #expect(channel.deadline == rig.driver.now + PushChannel.renewalInterval)
  }

  /// Its components are not there yet: neither the board nor its token is wrong.
  @Test func aHomeAssistantThatStartsIsNoRefusal() {
    _ = connect()
    rig.driver.refuse(code: "unknown_command", message: "Unknown command.")
    #expect(notes.changes.isEmpty)
    rig.driver.advance(by: .seconds(5))
    rig.driver.refuse(rig.ids(of: Self.command).last, code: "not_found")
    #expect(notes.changes.count == 1)
  }

  @Test func aConfirmationThatIsNoTextIsNotGivenBackAndItsNotificationIsToldAsUnreadable() {
    open()
    rig.driver.tell(["message": "a", "hass_confirm_id": 7], of: 1)
    #expect(rig.driver.messages.isEmpty && notes.notifications.count == 1)
    guard case .failure(.decoding)? = notes.notifications.first else {
      Issue.record("\(notes.notifications)")
      return
    }
  }

  /// Home Assistant closes the channel where it waits for a confirmation in vain.
  @Test(
    arguments: [
      ["message": 7, "hass_confirm_id": "c1"], ["data": "none", "hass_confirm_id": "c1"],
    ] as [JSON])
  func aNotificationOfAnotherFormIsConfirmedAndRead(event: JSON) throws {
    open()
    rig.driver.tell(event, of: 1)
    let message = try #require(rig.driver.messages.last)
    #expect(message["type"] == .text(Self.confirmation) && message["confirm_id"] == "c1")
    #expect(notes.notifications.isEmpty)
    rig.driver.answer()
    #expect(try notes.notifications.first?.get().confirmID == "c1")
    #expect(notes.notifications.count == 1)
  }

  /// A value takes many times the memory of its text.
  @Test(arguments: [false, true])
  func aNotificationThatIsTooLargeIsConfirmedAndToldAsUnreadable(hasManyValues: Bool) throws {
    open()
    let numbers = JSON.array([JSON](repeating: 1, count: 4100))
    let text = JSON.text(Text([UInt8](repeating: UInt8(ascii: "a"), count: 64 * 1024)))
    let message: JSON = hasManyValues ? "hello" : text
    rig.driver.tell(
      ["message": message, "data": ["numbers": numbers], "hass_confirm_id": "c1"], of: 1)
    let answer = try #require(rig.driver.messages.last)
    #expect(answer["type"] == .text(Self.confirmation) && answer["confirm_id"] == "c1")
    rig.driver.answer()
    #expect(notes.notifications.count == 1)
    #expect(throws: RequestError.decoding(.malformed(.tooLarge))) {
      try notes.notifications.first?.get()
    }
  }

  @Test func aChannelThatIsReopenedBringsWhatItsNewDeviceGets() {
    let channel = open()
    channel.reopen(for: [UInt8]("other".utf8))
    #expect(
      rig.driver.messageTypes == ["mobile_app/push_notification_channel", "unsubscribe_events"])
    #expect(rig.driver.messages.first?["webhook_id"] == "other")
    rig.driver.answer(2)
    #expect(notes.changes == [.opened, .opened])
    rig.forget()
    rig.driver.tell(["message": "stale", "hass_confirm_id": "c1"], of: 1)
    #expect(rig.driver.messages.isEmpty, "Home Assistant sends it another way")
    rig.driver.tell(["message": "hello", "hass_confirm_id": "c2"], of: 2)
    #expect(rig.driver.messages.last?["webhook_id"] == "other")
    rig.driver.answer()
    #expect(notes.notifications.count == 1)
  }

  @Test func aChannelThatIsReopenedWithoutAConnectionAsksForItsNewDeviceOnly() {
    let channel = open()
    rig.driver.endConnection()
    rig.forget()
    channel.reopen(for: [UInt8]("other".utf8))
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    let opened = rig.driver.messages.filter { $0["type"] == .text(Self.command) }
    #expect(opened.map { $0["webhook_id"] } == ["other"])
    #expect(channel.deadline == nil, "until there is an answer")
  }

  /// Its refusal is news, whatever became of the former device.
  @Test func aRefusalOfTheNewDeviceIsTold() {
    let refused = PushChannel.Change.refused(.server(code: "not_found", message: ""))
    let channel = open()
    for _ in 0..<2 {
      channel.reopen(for: [UInt8]("other".utf8))
      rig.driver.refuse(rig.ids(of: Self.command).last, code: "not_found")
    }
    #expect(notes.changes == [.opened, refused, refused])
  }

  /// What was asked for it is still answered then.
  @Test(arguments: [true, false])
  func whatArrivesAfterItsEndIsNothing(isAnswered: Bool) throws {
    var channel: PushChannel? = open()
    notify("c1")
    let first = rig.driver.lastMessageID
    notify("c2")
    let second = rig.driver.lastMessageID
    weak let watched = channel
    channel = nil
    notes.channel = nil
    #expect(watched == nil, "nothing keeps it")
    if isAnswered {
      rig.driver.refuse(first, code: "not_found")
      rig.driver.answer(second)
    }
    rig.driver.endConnection()
    #expect(notes.notifications.isEmpty && notes.changes == [.opened])
    rig.client.networkChanged()
    rig.driver.acceptConnection()
    #expect(rig.ids(of: Self.command).isEmpty)
  }

  @Test func itsEndIsTheEndOfTheSubscription() {
    open()
    notes.channel = nil
    #expect(rig.driver.messageTypes == ["unsubscribe_events"])
    rig.forget()
    rig.reconnect()
    #expect(rig.ids(of: Self.command).isEmpty)
    notify()
    #expect(notes.notifications.isEmpty)
  }
}
