import CMicroHTTPD
import Testing

@testable import PracticeHome

@Suite struct FaultTests {
  @Test(arguments: [401, 403, 404, 410, 503])
  func aFaultyStatusAnswersAndStoresNothing(status: Int) {
    var visitor = Visitor()
    visitor.home.fault = .status(status)
    let reply = visitor.send("update_location", ["gps": [1, 1], "gps_accuracy": 1])
    #expect(reply.status == status)
    #expect(visitor.shown("device_tracker.boat") == "unknown")
    #expect(visitor.lastRefusal == .fault(.status(status)))
    visitor.home.fault = nil
    #expect(visitor.send("get_zones", [:]).opened != nil)
  }

  @Test func aCaptivePortalAnswers200WithAPage() {
    var visitor = Visitor()
    visitor.home.fault = .captivePortal
    let reply = visitor.send("get_zones", [:])
    #expect(reply.status == 200)
    #expect(reply.contentType == "text/html; charset=utf-8")
    #expect(visitor.register().status == 200)
  }

  @Test func aStartingHomeAnswersNothing() {
    var visitor = Visitor()
    visitor.home.fault = .starting
    #expect(visitor.send("get_zones", [:]) == .noBody)
  }

  @Test func anAnswerWithAWrongKeyDoesNotOpenButTheMessageCounts() {
    var visitor = Visitor()
    visitor.sensor("cpu")
    visitor.home.fault = .wrongKey
    let reply = visitor.update("cpu", 5)
    #expect(reply.text.contains("encrypted_data"))
    #expect(reply.opened == nil)
    #expect(visitor.shown("sensor.boat_cpu") == "5")
  }

  @Test func aForgetfulHomeLosesEveryRegistration() {
    var visitor = Visitor()
    visitor.home.fault = .forget
    #expect(visitor.send("get_zones", [:]) == .noBody)
    #expect(visitor.register().status == 201)
    #expect(visitor.send("get_zones", [:]) == .noBody)
  }

  @Test func everyNameIsTheNameOfItsFault() {
    for name in Fault.names { #expect(Fault(name: name)?.name == name) }
    #expect(Fault(name: "418") == nil)
  }
}

@Suite struct JournalTests {
  @Test func everyMessageIsCountedOnce() {
    var visitor = Visitor()
    visitor.sensor("cpu")
    visitor.update("cpu", 5)
    visitor.send("update_location", ["gps": [1, 1], "gps_accuracy": 1])
    visitor.send(raw: "{}")
    visitor.post("/api/webhook/abc", [])
    #expect(
      visitor.home.counters
        == Counters(
          registrations: 1, readings: 1, locations: 1, refused: 2, sealed: 3, plain: 1))
  }

  @Test func theJournalForgetsItsOlderHalfAndKeepsCounting() {
    var visitor = Visitor()
    visitor.home.journalLengthMax = 10
    for _ in 0..<100 { visitor.post("/api/webhook/abc", []) }
    #expect((5...10).contains(visitor.home.journal.count))
    #expect(visitor.home.entryCount == 101)
  }

  @Test func noLineShowsASecretOrAWebhookId() throws {
    var visitor = Visitor(changes: ["app_data": ["push_token": "tok", "push_url": "http://a/b"]])
    let secret = try #require(visitor.secret)
    visitor.sensor("cpu", ["state": 1])
    visitor.update("cpu", "x")
    visitor.register(sealed: false, changes: ["device_id": "2", "os_version": 5])
    visitor.send(raw: #"{"type":"enable_encryption"}"#)
    visitor.post("/api/webhook/\(visitor.webhookID)", Array("{}".utf8))
    visitor.post("/api/webhook/\(visitor.webhookID)/x", Array("{}".utf8))
    visitor.register(changes: ["app_id": nil, "app_data": ["push_token": "tok"]])
    let lines = visitor.home.journal.map { EventLine.entry($0).text }
    let texts = visitor.home.journal.flatMap { PlainLine.entry($0) }
    for line in lines + texts {
      #expect(!line.contains(secret))
      #expect(!line.contains(visitor.webhookID))
      #expect(!line.contains("tok\""))
    }
  }
}

@Suite struct OrderTests {
  /// What is understood of some text, as it came.
  private func orders(_ text: String) -> [Orders.Order] {
    var orders = Orders()
    var taken: [Orders.Order] = []
    for byte in text.utf8 { orders.take(byte, &taken) }
    return taken
  }

  @Test func faultsLastAndAccidentsHappenOnce() {
    #expect(
      orders("hang\nnone\nrestart\n503\n") == [
        .play(.hang), .play(nil), .suffer(.restart), .play(.status(503)),
      ])
    #expect(Fault.names.allSatisfy { orders("\($0)\n") == [.play(Fault(name: $0))] })
    #expect(Accident.allCases.allSatisfy { orders("\($0.rawValue)\n") == [.suffer($0)] })
  }

  @Test func anUnfinishedLineIsNoOrder() { #expect(orders("hang\nrest") == [.play(.hang)]) }

  @Test func whatIsNoOrderIsNamed() {
    #expect(orders("flood\n\n") == [.misunderstood("flood"), .misunderstood("")])
  }

  @Test func aLineWithoutAnEndIsCut() {
    let line = String(repeating: "x", count: 1000)
    #expect(orders(line + "\n") == [.misunderstood(String(repeating: "x", count: 64))])
  }

  @Test func theEndOfTheInputEndsNothing() {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    defer { close(ends[0]) }
    var orders = Orders()
    #expect(orders.next(from: ends[0]) == [], "it does not wait")
    #expect(unsafe write(ends[1], "huge\n", 5) == 5)
    #expect(orders.next(from: ends[0]) == [.play(.huge)])
    close(ends[1])
    #expect(orders.next(from: ends[0]) == [])
    #expect(orders.next(from: ends[0]) == [])
  }
}
