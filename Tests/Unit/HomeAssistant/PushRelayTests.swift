import Bytes
import ModelRelay
import Testing

@testable import HomeAssistant

/// What a board asks of a push relay, and what it makes of the answers.
@Suite struct PushRelayTests {
  private let keys = PushKeys(SecretKey(randomBytes: InlineArray(repeating: 7)))

  private func read(
    _ status: Int, _ text: String, after acknowledged: Int64 = 0, with other: PushKeys? = nil,
    time: WallTime? = nil
  ) -> Result<PushFetch.Answer, PushFetch.Problem> {
    var body = ByteBuffer(capacity: 256 * 1024)
    body.append([UInt8](text.utf8))
    var head = AnswerHead(status: status)
    head.time = time
    return PushFetch.read(
      head, &body, after: acknowledged, with: other ?? keys, now: Instant(nanoseconds: 0))
  }

  private func row(_ number: Int64, _ message: String, _ arrived: String = "") -> String {
    #"{"number":\#(number),\#(arrived)"sealed":"\#(ModelRelay.sealed(message, to: keys.publicKey))"}"#
  }

  private func answer(_ rows: [String]) -> String {
    #"{"notifications":[\#(rows.joined(separator: ","))],"remaining":0}"#
  }

  // MARK: The token

  /// The relay computes the same one: a suite of it holds these two texts as well.
  @Test func homeAssistantGetsAnotherSecretThanTheRelayGivesTheBoard() throws {
    let text = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
    let token = try #require(PushRelayToken([UInt8](text.utf8)))
    #expect(token.pushToken == "pQx1sFpO_a0HWfyi8pDxjZp_QqfRrh-pRrThqsKjXZk")
  }

  @Test(arguments: [42, 44, 0])
  func aTokenHas43Characters(count: Int) {
    #expect(PushRelayToken([UInt8](repeating: 0x41, count: count)) == nil)
  }

  @Test(arguments: ["+", "/", "=", " ", "\n", "é"])
  func aTokenOfOtherCharactersIsRefused(character: String) {
    let bytes = [UInt8](character.utf8)
    let text = bytes + [UInt8](repeating: 0x41, count: 43 - bytes.count)
    #expect(PushRelayToken(text) == nil)
  }

  // MARK: The key

  @Test func theKeyOutlivesARestart() throws {
    var file = ByteBuffer(capacity: PushKeys.fileByteCountMax)
    keys.writeFile(into: &file)
    let kept = try PushKeys(file: file.bytes)
    #expect(kept.publicKey == keys.publicKey)
    let text = answer([row(1, #"{"message":"a"}"#)])
    #expect(try read(200, text, with: kept).get().notifications.map(\.message) == ["a"])
  }

  @Test func aDamagedKeyIsNoKey() {
    var file = ByteBuffer(capacity: PushKeys.fileByteCountMax)
    keys.writeFile(into: &file)
    var bytes = [UInt8](file.bytes)
    let digit = bytes.count / 2
    bytes[digit] = bytes[digit] == 0x30 ? 0x31 : 0x30
    #expect(throws: KeptFileError.self) { try PushKeys(file: bytes.span) }
  }

  // MARK: The request

  @Test func aRequestHasTheAcknowledgementAndThePublicKey() throws {
    var body = ByteBuffer(capacity: PushFetch.requestByteCountMax)
    PushFetch.write(acknowledged: .max, keys, into: &body)
    let members = try JSON(parsing: body.bytes).object()
    #expect(try members.get("acknowledged", as: Int64.self) == .max)
    let encoded = try members.get("public_key", as: String.self)
    #expect(encoded.utf8.count == 44 && members.count == 2)
  }

  // MARK: Answers

  @Test func notificationsComeInTheirOrderWithTheLastNumber() throws {
    let text = answer([
      row(11, #"{"message":"a","title":"T","data":{"x":1},"hass_confirm_id":"c"}"#),
      row(12, #"{"message":"b"}"#),
    ])
    let answer = try read(200, text).get()
    #expect(answer.notifications.map(\.message) == ["a", "b"])
    #expect(answer.notifications[0].title == "T" && answer.notifications[0].confirmID == "c")
    #expect(answer.notifications[0].data["x"] == .number(1))
    #expect(answer.newest == 12 && answer.unreadableCount == 0)
  }

  @Test func nothingWaits() throws {
    #expect(try read(200, answer([])).get() == PushFetch.Answer())
  }

  /// A relay, or a stranger in its place, repeats an answer of before.
  @Test func aNotificationThatCameBeforeIsLeftOut() throws {
    let text = answer([row(11, #"{"message":"a"}"#), row(12, #"{"message":"b"}"#)])
    let later = try read(200, text, after: 11).get()
    #expect(later.notifications.map(\.message) == ["b"] && later.newest == 12)
    #expect(try read(200, text, after: 12).get() == PushFetch.Answer())
  }

  /// The card was replaced; what waits for its key would otherwise stay first in the queue.
  @Test func whatWasSealedToAnotherKeyIsCountedAndAcknowledged() throws {
    let other = PushKeys(SecretKey(randomBytes: InlineArray(repeating: 8)))
    let text = answer([row(11, #"{"message":"a"}"#), row(12, #"{"message":"b"}"#)])
    let answer = try read(200, text, with: other).get()
    #expect(answer.notifications.isEmpty && answer.unreadableCount == 2 && answer.newest == 12)
  }

  @Test(arguments: [
    "", "x", "{}", "[]", #""a""#, "AAAA",
    #"{"message":"\#(String(repeating: "a", count: 70000))"}"#,
    "[" + String(repeating: "1,", count: 5000) + "1]",
  ])
  func contentThatIsNoNotificationIsCounted(content: String) throws {
    let answer = try read(200, answer([row(5, content), row(6, #"{"message":"b"}"#)])).get()
    // An object without a message is one, as clear_notification of the companion app.
    #expect(answer.unreadableCount == (content == "{}" ? 0 : 1))
    #expect(answer.notifications.last?.message == "b" && answer.newest == 6)
  }

  @Test(arguments: [
    "", "A", "AAA", "====", "!!!!", "AAAA", #"\u0041AAA"#, #"\"AA"#,
    String(repeating: "A", count: 108), String(repeating: "A", count: 160),
  ])
  func aBoxThatIsNoneIsCounted(sealed: String) throws {
    let answer = try read(200, answer([#"{"number":5,"sealed":"\#(sealed)"}"#])).get()
    #expect(answer.unreadableCount == 1 && answer.newest == 5)
  }

  @Test func aChangedBoxIsNotOpened() throws {
    let sealed = Array(ModelRelay.sealed(#"{"message":"a"}"#, to: keys.publicKey).utf8)
    for place in stride(from: 0, to: sealed.count - 4, by: 7) {
      var changed = sealed
      changed[place] = changed[place] == 0x41 ? 0x42 : 0x41
      let text = String(decoding: changed, as: UTF8.self)
      let answer = try read(200, answer([#"{"number":5,"sealed":"\#(text)"}"#])).get()
      #expect(answer.notifications.isEmpty && answer.unreadableCount == 1)
    }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "OK", "<html>", #"{"notifications":{}}"#, #"{"notifications":[1]}"#,
    #"{"remaining":0}"#, #"{"notifications":[{"number":"1","sealed":""}]}"#,
    #"{"notifications":[{"number":9223372036854775808,"sealed":""}]}"#,
    #"{"notifications":[{"number":1.5,"sealed":""}]}"#, #"{"notifications":[]}x"#,
    #"{"notifications":["#,
  ])
  func aPageOfAnotherServerIsNoAnswer(text: String) {
    #expect(read(200, text) == .failure(.refused(status: 200)))
  }

  /// The acknowledgement of a number that no clock reaches would cover every later notification.
  @Test(arguments: [.min, -1, 0, 4_102_444_800_001, .max - 1, .max] as [Int64])
  func aNumberThatIsNoTimeMakesTheAnswerOneOfNoRelay(number: Int64) {
    let rows = [row(7, #"{"message":"a"}"#), row(number, #"{"message":"b"}"#)]
    #expect(read(200, answer(rows)) == .failure(.impossibleNumber))
    #expect(read(200, answer(rows), after: 7) == .failure(.impossibleNumber))
  }

  @Test(arguments: [1, 4_102_444_800_000] as [Int64])
  func aNumberThatIsATimeIsAcknowledged(number: Int64) throws {
    #expect(try read(200, answer([row(number, "{}")])).get().newest == number)
  }

  // MARK: How long it waited

  /// By the relay's clock alone: the board may not know the time.
  @Test(arguments: [
    (#""arrived":"2026-11-28T08:59:50+00:00","#, -10), (#""arrived":"2026-11-28T09:00:00Z","#, 0),
    (#""arrived":"2026-11-07T09:00:00+00:00","#, -21 * 86_400),
    // The relay's clock was set back meanwhile.
    (#""arrived":"2030-01-01T00:00:00+00:00","#, 0),
    (#""arrived":"1677-10-01T00:00:00+00:00","#, -9_223_372_036),
  ])
  func theWaitIsTheTimeFromTheArrivalToTheAnswer(arrived: String, seconds: Int64) throws {
    let text = answer([row(7, #"{"message":"a"}"#, arrived)])
    let wait = try read(200, text, time: ModelRelay.time).get().notifications[0].wait
    guard case .since(let start) = wait else {
      Issue.record("\(wait)")
      return
    }
    #expect(start.nanoseconds / 1_000_000_000 == seconds)
    // Without the time of the answer it is unknown.
    #expect(try read(200, text).get().notifications[0].wait == .unknown)
  }

  @Test(arguments: [
    "", #""arrived":null,"#, #""arrived":1795856400,"#, #""arrived":"","#,
    #""arrived":"2026-11-28 09:00","#, #""arrived":"9999-01-01T00:00:00+00:00","#,
  ])
  func withoutAnArrivalTheWaitIsUnknown(arrived: String) throws {
    let text = answer([row(7, #"{"message":"a"}"#, arrived)])
    #expect(try read(200, text, time: ModelRelay.time).get().notifications[0].wait == .unknown)
  }

  // MARK: Other answers

  /// Such rows have nothing to acknowledge: they cannot hold up what comes after.
  @Test(arguments: ["{}", #"{"number":1}"#, #"{"sealed":"AAAA"}"#])
  func aRowWithoutNumberOrBoxIsLeftOut(row: String) throws {
    let answer = try read(200, answer([row, self.row(7, #"{"message":"b"}"#)])).get()
    #expect(answer.notifications.map(\.message) == ["b"] && answer.newest == 7)
  }

  @Test func anAnswerLongerThanItMayBeIsNone() {
    var body = ByteBuffer(capacity: 16)
    body.append([UInt8](answer([]).utf8))
    #expect(
      PushFetch.read(
        AnswerHead(status: 200), &body, after: 0, with: keys, now: Instant(nanoseconds: 0))
        == .failure(.refused(status: 200)))
  }

  /// Each of them may be a write to the card and a line of the log.
  @Test func anAnswerWithMoreRowsThanARelayGivesIsNone() throws {
    let rows = (1...Int64(PushFetch.notificationCountMax)).map { row($0, "{}") }
    #expect(try read(200, answer(rows)).get().notifications.count == rows.count)
    #expect(read(200, answer(rows + ["{}"])) == .failure(.refused(status: 200)))
  }

  /// Only the relay's own words are a reason to pair again: a proxy has others, and so has the
  /// relay where a proxy, or a slip of the person, leads to another path of it.
  @Test(arguments: [
    (403, #"{"message":"The relay does not know this token"}"#, PushFetch.Problem.tokenUnknown),
    (403, "access denied", .refused(status: 403)),
    (404, #"{"message":"A relay has /push and /fetch"}"#, .refused(status: 404)),
    (404, "404 page not found", .refused(status: 404)),
    (503, #"{"errorMessage":"x"}"#, .refused(status: 503)), (301, "", .refused(status: 301)),
  ])
  func theRelayDoesNotKnowTheTokenWhereItSaysSo(
    status: Int, body: String, problem: PushFetch.Problem
  ) {
    #expect(read(status, body) == .failure(problem))
  }
}
