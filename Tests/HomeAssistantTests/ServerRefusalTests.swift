import HomeAssistant
import Testing

/// What a status says where the body says nothing.
@Suite struct ServerRefusalTests {
  @Test(arguments: [
    (0, ServerRefusal.notHomeAssistant(status: 0)), (200, .notHomeAssistant(status: 200)),
    (302, .notHomeAssistant(status: 302)), (400, .notHomeAssistant(status: 400)),
    (401, .forbidden(status: 401)), (402, .notHomeAssistant(status: 402)),
    (403, .forbidden(status: 403)), (404, .notFound), (405, .notHomeAssistant(status: 405)),
    (408, .notHomeAssistant(status: 408)), (409, .unavailable(status: 409)),
    (410, .notHomeAssistant(status: 410)), (428, .notHomeAssistant(status: 428)),
    (429, .unavailable(status: 429)), (499, .notHomeAssistant(status: 499)),
    (500, .unavailable(status: 500)), (599, .unavailable(status: 599)),
    (600, .notHomeAssistant(status: 600)),
  ])
  func aStatusIsOneRefusal(status: Int, refusal: ServerRefusal) {
    #expect(ServerRefusal(status: status) == refusal)
  }

  /// A ban is ended by a person; what starts or restarts comes back by itself.
  @Test func onlyARefusalOfTheAddressLasts() {
    #expect(ServerRefusal.forbidden(status: 401).isLasting)
    #expect(ServerRefusal.forbidden(status: 403).isLasting)
    for other in [
      ServerRefusal.notFound, .unavailable(status: 503), .notHomeAssistant(status: 200),
    ] {
      #expect(!other.isLasting)
    }
  }
}
