import Bytes
import Testing

@testable import HomeAssistant

extension Challenge {
  /// Of a nonce of zeros: `AAAAAA`.
  static var zeros: Challenge { Challenge(of: Nonce(randomBytes: InlineArray(repeating: 0))) }
}

@Suite struct ChallengeTests {
  private static let refusal =
    #"{"success":false,"error":{"code":"not_registered","message":"sensor AAAAAA is not registered"}}"#

  private func challenge(_ bytes: UInt8...) -> Challenge {
    var nonce = InlineArray<24, UInt8>(repeating: 0)
    for index in bytes.indices { nonce[index] = bytes[index] }
    return Challenge(of: Nonce(randomBytes: nonce))
  }

  private func isRepeated(by answer: String) -> Bool {
    Challenge.zeros.isRepeated(inVerdicts: [UInt8](answer.utf8).span)
  }

  @Test func itIsMadeOfTheNonceAndNeedsNoEscapes() {
    #expect(Challenge.zeros.key == "AAAAAA")
    #expect(challenge(1, 25, 26, 51, 52, 61).key == "BZaz09")
    #expect(challenge(62, 63, 64, 255, 0x80, 0xC1).key == "-_A_AB")
  }

  @Test func itIsTheLeastThatHomeAssistantNeedsOfASensor() {
    let state = written { Challenge.zeros.appendState(to: &$0) }
    #expect(state == #"{"type":"sensor","unique_id":"AAAAAA"}"#)
    #expect(state.utf8.count + 1 == Challenge.stateByteCount)
  }

  @Test func itIsRepeatedByTheVerdictThatThereIsNoSuchSensor() {
    #expect(isRepeated(by: #"{"AAAAAA":\#(Self.refusal)}"#))
    #expect(isRepeated(by: #"{"cpu":{"success":true},"AAAAAA":\#(Self.refusal),"x":5}"#))
  }

  /// What an on-path attacker may have kept, or has got from us.
  @Test(arguments: [
    "{}", "", "[]", "null", #"{"AAAAAB":\#(refusal)}"#, #"{"cpu":{"success":true}}"#,
    #"{"AAAAAA":{"success":true}}"#, #"{"AAAAAA":1}"#, #"{"AAAAAA":{}}"#,
    #"{"x":{"AAAAAA":\#(refusal)}}"#, #"[{"type":"sensor","unique_id":"AAAAAA"}]"#,
    #"{"type":"sensor","unique_id":"AAAAAA"}"#,
    #"{"AAAAAA":{"success":false,"error":{"code":"invalid_format"}}}"#,
  ])
  func noOtherAnswerRepeatsIt(answer: String) { #expect(!isRepeated(by: answer)) }

  @Test(arguments: [
    (#"{"AAAAAA":{"e":null}}"#, true), (#"{"AAAAAA":"text"}"#, true), ("{}", false), ("[]", false),
    ("", false), (#"{"AAAAAB":{"e":null}}"#, false), (#"{"x":{"AAAAAA":1}}"#, false),
  ])
  func aTemplateThatIsNamedByItRepeatsIt(answer: String, isRepeated: Bool) {
    #expect(Challenge.zeros.isRepeated(asKeyOf: [UInt8](answer.utf8).span) == isRepeated)
  }

  @Test func itJoinsMessagesWhoseAnswersCanRepeatIt() {
    func joined(_ type: MessageType, _ data: String) -> String {
      written {
        $0.append([UInt8](data.utf8))
        Challenge.zeros.join(type, &$0)
      }
    }
    let state = #"{"type":"sensor","unique_id":"AAAAAA"}"#
    #expect(joined(.updateSensorStates, "[]") == "[\(state)]")
    #expect(joined(.updateSensorStates, "[{}]") == "[{},\(state)]")
    #expect(joined(.renderTemplate, "{}") == #"{"AAAAAA":{"template":"1"}}"#)
    #expect(
      joined(.renderTemplate, #"{"a":{"template":"b"}}"#)
        == #"{"a":{"template":"b"},"AAAAAA":{"template":"1"}}"#)
    #expect(
      MessageType.allCases.filter { Challenge.isRepeated(by: $0) }
        == [.updateSensorStates, .renderTemplate])
  }
}
