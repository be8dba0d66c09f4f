import Board
import Testing

/// A token in the wrong place stays out of terminals and logs.
@Suite struct ConfigurationSecretTests {
  static let token =
    "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhYmMifQ.s3cr3t"

  @Test func aTokenUnderHomeAssistantIsSentToAFile() {
    #expect(
      Outcome.problem("home_assistant:\n  url: http://ha\n  token: \(Self.token)\n") == """
        f:3:3: home_assistant: unknown key "token"; \
        put the token into a separate file and name that file with "token_file"; on a card image, \
        write it as token: below card:
        """)
  }

  @Test(arguments: [
    "home_assistant: \(token)", "home_assistant: { url: \(token) }", token, "\(token): x",
    "home_assistant: { url: \"http://\(token)@ha\" }", "home_assistant: { tokn: \(token) }",
    "home_assistant: { token_file: \(token) }", "home_assistant: { token_file: [\(token)] }",
    "home_assistant: { token_file: !secret \(token) }", "home_assistant: { token_file: *\(token) }",
    "home_assistant: { \(token): 1, \(token): 2 }", "\(token): { a: *b }", "eyJ0: { a: *b }",
    "every: \(token)",
    "every: eyJ0", "battery: \(token)", "sensors: [{ gpio: \(token), urgent: \(token) }]",
    "state_directory: \(token)", "device: { name: \"\(token)", "device: { name: \(token): x",
    "location: { source: \(token), port: \(token), host: \"\(token)!\" }",
  ])
  func aTokenIsNeverEchoed(_ line: String) {
    let problems = Outcome.problem(line + "\n")
    #expect(!problems.isEmpty)
    for part in ["eyJ", "s3cr3t", "aWMi"] { #expect(!problems.contains(part), "\(problems)") }
  }

  @Test func aLongTextIsDescribedInsteadOfShown() {
    let long = String(repeating: "x", count: 41)
    #expect(
      Outcome.problem(minimum + "every: \(long)\n") == """
        f:2:8: every: (a text of 41 characters) is not a duration; write for example 60s
        """)
  }
}
