import HomeAssistant
import Testing

@Suite struct RequestErrorTests {
  @Test(arguments: [
    (RequestError.server(code: "not_found", message: "no such thing"), "no such thing"),
    (.http(status: 404, body: "404: Not Found"), "404"),
    (.transport("Couldn't connect to server"), "Couldn't connect to server"),
    (.rejected, "login"), (.expired, "does not answer"), (.disconnected, "lost"),
    (.tooLarge, "too large"), (.overrun, "faster"), (.decoding(.missingKey("a")), "answer"),
  ])
  func whatHappenedIsSaidForPeople(error: RequestError, words: String) {
    #expect(error.summary.string.contains(words))
  }

  /// A page of a proxy may hold anything.
  @Test func theBodyOfAnAnswerIsNotSaid() {
    #expect(!RequestError.http(status: 502, body: "<html>").summary.string.contains("html"))
  }
}
