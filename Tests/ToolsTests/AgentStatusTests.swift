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
    #"{"is_well":true,"failing_source_count":-1e99,"started":{"seconds":-5},"next_cycle":{}}"#,
  ])
  func whatAnotherVersionLeavesOutOrSaysOtherwiseIsLeftOut(text: String) throws {
    let status = try #require(told(text))
    #expect(status.isWell)
    #expect(!status.lines.isEmpty)
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
