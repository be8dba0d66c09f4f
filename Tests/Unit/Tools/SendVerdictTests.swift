import HomeAssistant
import Testing

@testable import Tools

@Suite struct SendVerdictTests {
  private func name(_ answer: HomeAssistant.Answer, to type: MessageType) -> String {
    "\(SendVerdict(answer, to: type).name)"
  }

  @Test(arguments: MessageType.allCases)
  func anAnswerIsWhatItMeansForItsType(type: MessageType) {
    #expect(name(.opened(3..<9), to: type) == "sealed")
    #expect(name(.content(0..<9), to: type) == "answered")
    #expect(name(.refused(3..<9), to: type) == "refused")
    let silent: [MessageType] = [.updateLocation, .callService, .fireEvent, .scanTag]
    #expect(name(.unproven, to: type) == (silent.contains(type) ? "accepted" : "dropped"))
    // The one type whose failure Home Assistant tells, by saying nothing at all.
    #expect(name(.notLive, to: type) == (type == .callService ? "failed" : "not_live"))
    for answer in [.otherKey, .encryptionRequired, .badRequest, .gone, .server(.banned)]
      as [HomeAssistant.Answer]
    {
      guard case .undelivered = SendVerdict(answer, to: type) else {
        Issue.record("\(answer) never came to its handler")
        continue
      }
    }
  }
}
