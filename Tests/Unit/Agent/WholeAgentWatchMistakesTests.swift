import Foundation
import PracticeHome
import Testing

extension WholeAgent.Watching {
  // MARK: What can be wrong

  @Test func theCredentialThatPairingKeptIsEnough() async throws {
    let (home, board) = try unpairedHomeAndBoard()
    #expect(try await board.paired(with: home).status == 0)
    #expect(try await board.run("watch", "states", "zone.home", "--once").status == 0)
  }

  @Test func theTokenFileIsEnough() async throws {
    let (_, board) = try homeAndBoard()
    #expect(try await board.run("watch", "states", "zone.home", "--once").status == 0)
  }

  /// As for the agent: what stands in the file counts, and not what pairing kept.
  @Test func theTokenFileComesBeforeWhatPairingKept() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    try board.write(token: "wrong-\(UUID().uuidString)")
    let ending = try await board.run("watch", "states", "zone.home", "--once")
    #expect(ending.status == 77)
    #expect(
      ending.lines(with: "write a new token to \(board.path("token")), and restart the agent").count
        == 1, "\(ending.log)")
  }

  @Test func withoutRoomToKeepARejectionNothingIsSent() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    try board.blockWriting()
    let requestCount = home.requestCount
    let ending = try await board.run("watch", "states", "zone.home", "--once")
    #expect(ending.status == 66)
    #expect(ending.lines(with: "no token is sent: a rejection cannot be stored in").count == 1)
    #expect(home.requestCount == requestCount)
  }

  @Test func aRejectedTokenIsNeverSentAgain() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: "wrong-\(UUID().uuidString)")
    try board.makeFolder("state")
    for _ in 0..<2 {
      let ending = try await board.run("watch")
      #expect(ending.status == 77)
      #expect(ending.lines(with: "rejects the login of this board").count == 1)
    }
    #expect(home.refusals(.unauthorized) <= 1, "\(home.journal)")
    #expect(home.socketsTurnedAway == 1, "\(home.journal)")
  }

  @Test func withoutAnythingToLogInWithNothingIsAsked() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home.url, token: nil)
    let ending = try await board.run("watch")
    #expect(ending.status == 66)
    #expect(
      ending.lines(with: "token_file cannot be read: No such file or directory").count == 1,
      "\(ending.log)")
    try board.write(token: "two words")
    let other = try await board.run("watch")
    #expect(other.status == 66)
    #expect(other.lines(with: "token_file contains a space").count == 1, "\(other.log)")
    #expect(home.requestCount == 0)
  }

  @Test func aHomeThatCannotBeReachedAtFirstIsNamed() async throws {
    let (home, board) = try await pairedHomeAndBoard()
    home.fault = .noWebSocket
    let refused = try await board.run("watch")
    #expect(refused.status == 75)
    #expect(refused.lines(with: "cannot be reached at \(home.url): ").count == 1, "\(refused.log)")
    home.stop()
    let ending = try await board.run("watch")
    #expect(ending.status == 75)
    #expect(ending.lines(with: "cannot be reached at \(home.url): ").count == 1, "\(ending.log)")
  }

  @Test func anEntityThatIsNotThereIsSaidAndWaitedFor() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let watch = try watching(board, "states", sensorX, "zone.home")
    try await watch.line(endingWith: "zone.home  0")
    try await board.registerSensor()
    try await watch.line(endingWith: "  \(sensorX)  1 %")
    let ending = await watch.interrupt()
    #expect(ending.log == ["Home Assistant has no \(sensorX) now; it is shown when it appears"])
  }

  @Test func oneEntityThatIsNotThereEndsASnapshotWithAnError() async throws {
    let (_, board) = try await homeAndBoardWithSensor()
    let lines = try await board.run("watch", sensorX, "sensor.none", "zone.home", "--once")
    #expect(lines.status == 65)
    #expect(lines.output.count == 2, "all that is there is shown")
    #expect(lines.lines(with: "homeward watch: Home Assistant has no sensor.none; ").count == 1)
    let script = try await board.run("watch", "sensor.none", "--once", "--json")
    #expect(script.status == 65)
    #expect(script.output == [#"{"a":{}}"#])
    #expect(script.lines(with: "Home Assistant has no sensor.none").count == 1)
  }

  @Test func aSnapshotShowsAllEntitiesThatAreAskedFor() async throws {
    let (_, board) = try await homeAndBoardWithSensor()
    let two = try await board.run("watch", sensorX, "zone.home", "--once")
    #expect(two.status == 0)
    #expect(two.output.map { $0.split(separator: " ")[2] } == [Substring(sensorX), "zone.home"])
    let all = try await board.run("watch", "--once")
    #expect(all.output.count > 2, "\(all.output)")
  }
}
