import HomeAssistant
import Testing

@testable import Tools

@Suite struct SendReportTests {
  private func outcome(_ answer: HomeAssistant.Answer, to type: MessageType) -> String {
    let report = SendReport(type, answer, body: [UInt8](repeating: 0x20, count: 9), challenge: nil)
    return "\(report.outcome)"
  }

  @Test(arguments: MessageType.allCases)
  func anAnswerIsWhatItMeansForItsType(type: MessageType) {
    #expect(outcome(.opened(3..<9), to: type) == "sealed")
    #expect(outcome(.content(0..<9), to: type) == "answered")
    #expect(outcome(.refused(3..<9), to: type) == "refused")
    let silent: [MessageType] = [.updateLocation, .callService, .fireEvent, .scanTag]
    #expect(outcome(.unproven, to: type) == (silent.contains(type) ? "accepted" : "dropped"))
    // The one type whose failure Home Assistant tells, by saying nothing at all.
    #expect(outcome(.notLive, to: type) == (type == .callService ? "failed" : "not_live"))
    #expect(outcome(.otherKey, to: type) == "other_key")
    #expect(outcome(.gone, to: type) == "gone")
  }
}
