import Testing

@testable import Board

/// The program that follows an upload, as a person writes it.
@Suite struct ConfigurationAfterUploadTests {
  private func settings(_ keys: String) throws -> AfterUploadSettings? {
    try Outcome.configuration(minimum + "after_upload: { \(keys) }\n").afterUpload
  }

  private func problem(_ keys: String) -> String {
    Outcome.problem(minimum + "after_upload: { \(keys) }\n")
  }

  @Test func withoutTheKeyThereIsNone() throws {
    #expect(try Outcome.configuration(minimum).afterUpload == nil)
  }

  @Test func theWordsStayAsTheyAre() throws {
    let settings = try #require(
      try settings("run: [/opt/program, '--name=My boat', \"$HOME\", 5], timeout: 2min"))
    #expect(text(settings.program) == "/opt/program")
    #expect(settings.arguments.map { text($0) } == ["--name=My boat", "$HOME", "5"])
    #expect(settings.timeout == .seconds(120))
    #expect(try self.settings("run: [/opt/program]")?.timeout == .seconds(30))
  }

  /// It would be looked for in the folders of who starts the agent.
  @Test func aProgramWithoutAPathIsRefused() {
    #expect(
      problem("run: [poweroff]")
        == "f:2:23: after_upload.run[0]: this is not an absolute path; begin it with /")
  }

  @Test func aLineForAShellIsRefused() {
    #expect(
      problem("run: /opt/program --quiet")
        == "f:2:22: after_upload.run: no shell takes such a line apart; write a list of words, such"
        + " as [/usr/local/bin/program, --quiet]")
  }

  @Test func limitsAreTold() {
    #expect(
      problem("run: [/opt/program], timeout: 11min")
        .hasSuffix("\"11min\" is out of range; write a time from 1 s to 10 min"))
    #expect(problem("run: []").contains("write 1 to 17"))
    let long = String(repeating: "x", count: 1025)
    #expect(
      problem("run: [/opt/program, \(long)]")
        .hasSuffix("this argument has 1025 bytes; the most is 1024"))
    #expect(problem("timeout: 30s").contains("the key \"run\" is missing"))
  }

  /// The rest of it would not arrive.
  @Test func anArgumentWithANULIsRefusedAndNotShown() {
    let told = problem("run: [/opt/program, \"secret\\0\"]")
    #expect(told.contains("NUL") || told.contains("character"), "\(told)")
    #expect(!told.contains("secret"))
  }
}
