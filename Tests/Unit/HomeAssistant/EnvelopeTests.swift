import Bytes
import Testing

@testable import HomeAssistant

@Suite struct EnvelopeTests {
  private let key: SecretKey
  private let nonce = Nonce(Oracle.nonceBytes)

  init() throws { key = try #require(SecretKey(Oracle.keyBytes)) }

  private func sealed(_ data: [UInt8], _ type: MessageType = .updateLocation) -> [UInt8] {
    var buffer = ByteBuffer(capacity: Envelope.byteCount(sealing: data.count))
    Envelope.seal(type, with: key, nonce: nonce, into: &buffer) { $0.append(data) }
    return [UInt8](buffer.bytes)
  }

  /// What stands in the envelope, or nil where it does not open.
  private func opened(_ envelope: [UInt8]) -> [UInt8]? {
    var buffer = buffer(of: envelope)
    guard case .message(let range) = Envelope.open(&buffer, with: key) else { return nil }
    return [UInt8](buffer.bytes.extracting(range))
  }

  private func judged(_ envelope: [UInt8]) -> Envelope.Opened {
    var buffer = buffer(of: envelope)
    return Envelope.open(&buffer, with: key)
  }

  // MARK: Sealing

  @Test func dataOfEveryLengthOpensWithLibsodiumItself() throws {
    let start = [UInt8](#"{"type":"update_location","encrypted":true,"encrypted_data":""#)
    for count in 0...300 {
      let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let envelope = sealed(data)
      try #require(envelope.starts(with: start) && envelope.suffix(2) == [UInt8](#""}"#)[...])
      // The oracle accepts padded Base64 only, as Home Assistant does.
      let text = [UInt8](envelope[start.count..<envelope.count - 2])
      let box = try #require(Oracle.bytes(base64: text), "\(count) bytes of data")
      #expect(box.starts(with: Oracle.nonceBytes))
      #expect(Oracle.open(box) == data, "\(count) bytes of data")
    }
  }

  @Test(arguments: [
    (MessageType.registerSensor, "register_sensor"),
    (.updateSensorStates, "update_sensor_states"), (.conversationProcess, "conversation_process"),
  ])
  func theRealTypeStandsOutsideInClearAndHasRoom(type: MessageType, name: String) {
    for count in 0...100 {
      let envelope = String(
        decoding: sealed([UInt8](repeating: 0, count: count), type), as: UTF8.self)
      #expect(envelope.hasPrefix(#"{"type":"\#(name)","encrypted":true,"encrypted_data":""#))
      #expect(envelope.hasSuffix(#""}"#), "\(count) bytes of data")
    }
  }

  @Test func aMessageThatDoesNotFitIsSeenWhereverItEnds() {
    let data = [UInt8](#"{"gps":[1,2]}"#)
    for capacity in 1..<sealed(data).count {
      var buffer = ByteBuffer(capacity: capacity)
      Envelope.seal(.updateLocation, with: key, nonce: nonce, into: &buffer) { $0.append(data) }
      let isOverflowed = buffer.isOverflowed
      #expect(isOverflowed, "a buffer of \(capacity) bytes")
    }
  }

  @Test func theMessageBeforeIsGone() {
    var buffer = buffer(of: "the message before")
    Envelope.seal(.updateLocation, with: key, nonce: nonce, into: &buffer) { $0.append("{}") }
    #expect([UInt8](buffer.bytes) == sealed([UInt8]("{}")))
  }

  // MARK: Opening

  @Test func answersOfEveryLengthAreOpenedInPlace() {
    for count in 0...300 {
      let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 11) }
      #expect(opened(Oracle.answer(message)) == message, "\(count) bytes")
    }
  }

  @Test(arguments: [
    #"{"encrypted_data":"DATA","encrypted":true}"#,
    " {\n\t\"encrypted\" : true ,\r\n \"encrypted_data\" : \"DATA\" } \n",
    #"{"encrypted":true,"new":{"encrypted":false,"a":[1,null]},"encrypted_data":"DATA"}"#,
  ])
  func theOrderOfMembersAndNewOnesDoNotMatter(form: String) {
    let data = String(decoding: Oracle.base64(Oracle.seal([1, 2, 3])), as: UTF8.self)
    let parts = form.split(separator: "DATA", omittingEmptySubsequences: false)
    #expect(opened([UInt8](parts.joined(separator: data).utf8)) == [1, 2, 3])
  }

  @Test func noFlippedBitMakesAnotherMessage() {
    // With and without padding, whose unused bits are no part of the message.
    for message in ["{\"ab\":1}", "{\"abc\":1}", "{\"abcd\":1}"].map({ [UInt8]($0.utf8) }) {
      for flipped in flips(of: Oracle.answer(message)) {
        let opened = opened(flipped)
        #expect(opened == nil || opened == message)
      }
    }
  }

  @Test func anAnswerCutAtAnyByteIsNoEnvelope() {
    for cut in truncations(of: Oracle.answer([UInt8](#"{"a":{"success":true}}"#))) {
      #expect(judged(cut) == .notAnEnvelope, "\(cut.count) bytes")
    }
  }

  @Test(arguments: 0..<40)
  func aBoxTooShortForItsNonceAndAuthenticatorIsRefused(count: Int) {
    let data = String(decoding: Oracle.base64([UInt8](repeating: 5, count: count)), as: UTF8.self)
    let envelope = #"{"encrypted":true,"encrypted_data":"\#(data)"}"#
    #expect(judged([UInt8](envelope.utf8)) == .otherKey)
  }

  @Test(arguments: [
    "", " ", "null", "[]", "{}", "true", "5", "\"encrypted\"", "<html><body>login</body></html>",
    #"{"encrypted":true}"#, #"{"encrypted_data":"AAAA"}"#,
    #"{"encrypted":true,"encrypted_data":5}"#,
    #"{"encrypted":"true","encrypted_data":"AAAA"}"#, #"{"encrypted":1,"encrypted_data":"AAAA"}"#,
    #"{"encrypted":false,"encrypted_data":"AAAA"}"#,
    #"{"encrypted":true,"encrypted_data":null}"#, #"{"encrypted":true,"encrypted_data":["AAAA"]}"#,
    #"[{"encrypted":true,"encrypted_data":"AAAA"}]"#,
    #"{"a":{"encrypted":true,"encrypted_data":"AAAA"}}"#,
    #"{"encrypted":true,"encrypted_data":"AAAA"}x"#,
    #"{"encrypted":true,"encrypted_data":"AAAA",}"#,
    "\u{FEFF}{\"encrypted\":true,\"encrypted_data\":\"AAAA\"}",
  ])
  func whatIsNotAnEnvelopeIsNone(body: String) {
    #expect(judged([UInt8](body.utf8)) == .notAnEnvelope)
  }

  @Test(arguments: [
    "", "A", "AAA", "AAAAA", "====", "AA==AAAA", "A===", "AAA=AAA=", "-_-_", "AA A", "AA\\/A",
    "\u{00E9}\u{00E9}",
  ])
  func dataThatIsNotBase64IsRefused(data: String) {
    let envelope = #"{"encrypted":true,"encrypted_data":"\#(data)"}"#
    #expect(judged([UInt8](envelope.utf8)) == .otherKey)
  }

  @Test func anAnswerNestedForEverEndsTheReadingNotTheAgent() {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(judged([UInt8](#"{"a":"#) + deep) == .notAnEnvelope)
    let objects = (0..<20_000).flatMap { _ in [UInt8](#"{"a":"#) }
    #expect(judged(objects) == .notAnEnvelope)
  }
}
