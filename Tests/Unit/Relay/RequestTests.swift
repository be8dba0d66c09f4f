import Bytes
import CSodium
import Testing

@testable import Relay

@Suite struct SecretsTests {
  @Test func aTokenIsOfRandomBytesAndReadAsItIsShown() throws {
    let token = BoardToken.random()
    #expect(token != BoardToken.random())
    #expect(token.text.utf8.count == 43)
    #expect(BoardToken(token.text) == token)
  }

  @Test func whatHomeAssistantHasNeitherIsNorFindsTheToken() throws {
    let token = BoardToken(random: Array(0..<32))
    #expect(token.pushToken != token.text)
    let pushed = try #require(BoardToken(token.pushToken), "the secrets look alike")
    #expect(pushed.fetchDigest != token.fetchDigest)
    #expect(token.pushDigest != token.fetchDigest)
  }

  /// The board computes it by itself: it must not change.
  @Test func thePushTokenOfATokenStaysTheSame() {
    #expect(
      BoardToken(random: [UInt8](repeating: 7, count: 32)).pushToken
        == "pQx1sFpO_a0HWfyi8pDxjZp_QqfRrh-pRrThqsKjXZk")
  }

  @Test(arguments: ["", "x", String(repeating: "a", count: 44), String(repeating: "ä", count: 43)])
  func whatIsNoTokenIsNone(text: String) { #expect(BoardToken(text) == nil) }
}

@Suite struct RequestTests {
  private func push(_ text: String) throws(PushRequest.Mistake) -> PushRequest {
    try PushRequest(Array(text.utf8))
  }

  /// As Home Assistant 2025.4.4 sent it.
  @Test func theBoardGetsWhatIsMeantForIt() throws {
    let request = try push(
      """
      {"message":"c","title":"TT","data":{"a": 1, "\\u00e4":"\\n"},"push_token":"tok123",
       "registration_info":{"app_id":"homeward","app_version":"0.1","webhook_id":"28d0",
       "os_version":"6.12"},"hass_confirm_id":"id"}
      """)
    #expect(request.push == Digest(of: Array("tok123".utf8)))
    #expect(
      String(decoding: request.content, as: UTF8.self)
        == #"{"message":"c","title":"TT","data":{"a": 1, "\u00e4":"\n"},"hass_confirm_id":"id"}"#)
  }

  @Test func aTokenIsTheSameHoweverItsJSONIsWritten() throws {
    let request = try push(#"{"message":"m","push_token":"a\u002Db\/c"}"#)
    #expect(request.push == Digest(of: Array("a-b/c".utf8)))
  }

  @Test func aTokenThatIsTooLongIsNotReadInPart() throws {
    let token = String(repeating: "t", count: 43)
    #expect(throws: PushRequest.Mistake.hasNoToken) {
      try push(
        #"{"message":"m","push_token":"\#(token)\u002d\#(String(repeating: "x", count: 256))"}"#)
    }
  }

  @Test func aKeyWithAnEscapeStaysAsItWasWritten() throws {
    let request = try push(#"{"message":"m","push_token":"t","a\"b\\":1}"#)
    #expect(String(decoding: request.content, as: UTF8.self) == #"{"message":"m","a\"b\\":1}"#)
  }

  @Test(
    arguments: [
      ("", PushRequest.Mistake.isNoJSON), ("[]", .isNoJSON), ("{", .isNoJSON),
      (#"{"message":"m","push_token":"t"} x"#, .isNoJSON),
      (#"{"message":"m","push_token":7}"#, .isNoJSON),
      (#"{"message":"m"}"#, .hasNoToken), (#"{"message":"m","push_token":""}"#, .hasNoToken),
      (#"{"push_token":"t"}"#, .hasNoMessage),
      (String(repeating: "[", count: 100_000), .isNoJSON),
      (#"{"message":"# + String(repeating: "[", count: 1000), .isNoJSON),
    ])
  func whatIsNoNotificationIsRefused(text: String, mistake: PushRequest.Mistake) {
    #expect(throws: mistake) { try push(text) }
  }

  @Test func aBoardSaysWhatItHasAndItsKey() throws {
    let pair = KeyPair()
    let request = try #require(
      FetchRequest(Array(#"{"acknowledged":12,"public_key":"\#(pair.base64)","x":[]}"#.utf8)))
    #expect(request.acknowledged == 12)
    #expect(request.key == pair.publicKey)
    let first = FetchRequest(Array(#"{"public_key":"\#(pair.base64)"}"#.utf8))
    #expect(first?.acknowledged == 0)
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"acknowledged":1}"#, #"{"public_key":"AAAA"}"#, #"{"public_key":"*"}"#,
      #"{"acknowledged":-1,"public_key":"KEY"}"#, #"{"acknowledged":1.5,"public_key":"KEY"}"#,
      #"{"acknowledged":99999999999999999999,"public_key":"KEY"}"#,
      // A key with which everybody could open what is sealed.
      #"{"public_key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#,
    ])
  func whatIsNoQuestionIsRefused(text: String) {
    let text = text.replacing("KEY", with: KeyPair().base64)
    #expect(FetchRequest(Array(text.utf8)) == nil)
  }
}
