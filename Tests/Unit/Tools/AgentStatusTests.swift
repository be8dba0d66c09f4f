import Testing

@testable import Tools

/// The side that asks: the answer may be of another version, or of another program.
@Suite struct AgentStatusTests {
  private func told(_ text: String) -> AgentStatus? {
    AgentStatus(document: [UInt8](text.utf8))
  }

  @Test(arguments: [
    "", "\n", "{", "[]", "null", "{}", #"{"is_well":1}"#, #"{"is_well":null}"#,
    #"{"is_well":true"#, #"{"is_well":true}{"is_well":true}"#, "SSH-2.0-OpenSSH_9.2\r\n",
  ])
  func whatIsNoAnswerOfAnAgentIsNone(text: String) {
    #expect(told(text) == nil)
  }

  @Test(arguments: [
    #"{"is_well":true}"#,
    #"{"is_well":true,"home_assistant":1,"routes":{},"waiting":[],"failing_sources":[1,"a",{}]}"#,
    #"{"is_well":true,"home_assistant":{"last_proof":3,"is_well":"yes","text":[]},"network":{}}"#,
    #"{"is_well":true,"failing_source_count":-9223372036854775808,"failing_sources":[{}]}"#,
    #"{"is_well":true,"next_cycle":{"seconds":-9223372036854775808}}"#,
    #"{"is_well":true,"waiting":{"readings":9223372036854775807,"locations":9223372036854775807}}"#,
    #"{"is_well":true,"failing_source_count":-1e99,"started":{"seconds":-5},"next_cycle":{}}"#,
  ])
  func whatAnotherVersionLeavesOutOrSaysOtherwiseIsLeftOut(text: String) throws {
    let status = try #require(told(text))
    #expect(status.isWell)
    #expect(!status.lines.isEmpty)
  }

  @Test(
    arguments: [
      (#""home_assistant":{"is_well":true},"disk":{"is_well":false}"#, 66),
      (#""home_assistant":{"is_well":true},"failing_sources":[{}]"#, 74),
      (#""home_assistant":{"is_well":false},"disk":{"is_well":false}"#, 75),
      (#""home_assistant":{"is_well":false,"cause":"gone"}"#, 69),
      (#""home_assistant":{"is_well":false,"is_registration_doubted":true}"#, 69),
    ] as [(String, Int32)])
  func theCodeIsThatOfWhatIsWrong(members: String, code: Int32) throws {
    #expect(try #require(told(#"{"is_well":false,\#(members)}"#)).code.rawValue == code)
  }

  @Test func whatMayBeADeletionIsForCheckToSay() throws {
    let status = try #require(
      told(#"{"is_well":false,"home_assistant":{"is_well":false,"cause":"not_live"}}"#))
    let text = String(decoding: status.lines, as: UTF8.self)
    #expect(text.contains("check: it shows whether this board was deleted there"), "\(text)")
  }

  @Test func verdictsAreColoredAndNothingElse() {
    let lines = "ok     disk\n         ok to do\nWRONG  source  WRONG\n\nokra\n"
    #expect(
      String(decoding: [UInt8](lines.utf8).withColoredVerdicts, as: UTF8.self)
        == "\u{1B}[32mok\u{1B}[0m     disk\n         ok to do\n"
        + "\u{1B}[1;31mWRONG\u{1B}[0m  source  WRONG\n\nokra\n")
  }

  @Test func whatTheAgentPassesOnSteersNoTerminal() throws {
    let status = try #require(
      told(
        #"{"is_well":false,"home_assistant":{"text":"a\u001b[2Jb\nc"},"#
          + #""failing_sources":[{"text":"\u202ex\r"}]}"#))
    let text = String(decoding: status.lines, as: UTF8.self)
    #expect(text.contains("a?[2Jb?c"))
    #expect(text.contains("?x?"))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x202E })
  }
}
