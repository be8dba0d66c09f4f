import CMicroHTTPD
import Testing

@testable import PracticeHome

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
