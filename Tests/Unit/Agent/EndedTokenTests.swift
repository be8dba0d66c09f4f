import Foundation
import Synchronization
import Testing

@testable import PracticeHome

/// A home that takes all tokens back from a moment on that its journal shows.
private final class StrictHome: Sendable {
  let home = Mutex<PracticeServer?>(nil)

  func takeTokensBack() {
    home.withLock {
      $0?.withHome { home in home.grants = Grants(token: "another", random: home.random) }
    }
  }
}

extension SetUp.Pairing {
  /// The person ends it in the profile page while `pair` still looks whose tracker the board is.
  @Test func aTokenThatIsRejectedAfterTheRegistrationIsNotSentAgain() async throws {
    let strict = StrictHome()
    var household = Household()
    household.token = "token-\(UUID().uuidString)"
    let home = try PracticeServer(port: reservedPort(), household: household) { entries in
      let isRegistered = entries.contains { if case .registered = $0.event { true } else { false } }
      if isRegistered { strict.takeTokensBack() }
    }
    strict.home.withLock { $0 = home }
    defer { strict.home.withLock { $0 = nil } }
    let board = try Board(unpairedWith: home)
    let first = try await board.paired(with: home)
    #expect(first.status == 0)
    #expect(first.lines(with: "is not known").count == 1, "\(first.log)")
    #expect(board.isPaired)
    let second = try await board.paired(with: home, "--yes")
    #expect(second.status == 77)
    #expect(second.lines(with: "rejected this token before").count == 1, "\(second.log)")
  }
}
