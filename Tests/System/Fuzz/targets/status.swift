import Bytes

@testable import Tools

/// Anything that may come out of the socket of an agent: shown, or refused.
func fuzz(_ input: Span<UInt8>) {
  guard let status = AgentStatus(document: [UInt8](input)) else { return }
  let lines = status.lines
  expect("what is shown is text", String(validating: lines, as: UTF8.self) != nil)
  expect(
    "and no terminal obeys it", lines.allSatisfy { $0 >= 0x20 || $0 == 0x0A } && !lines.isEmpty)
}
