import Foundation
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// The state directory, and what can be wrong with it.
  @Suite struct State {}
}

extension WholeAgent.State {
  /// Home Assistant must not be asked for a registration that cannot be kept: it would be made
  /// anew at every start.
  @Test(.enabled(if: canMount, "only root can make a file system that is full or read-only"))
  func aFullStateDirectoryWaitsForRoomAndRegistersOnce() async throws {
    let (home, board, disk) = try homeAndBoardWithSmallDisk()
    try disk.fill()
    let agent = try await RunningAgent.run(on: board, until: "state_failed")
    try await agent.hasReadEverything()
    #expect(home.requestCount == 0)
    try disk.makeRoom()
    try await agent.event("registered")
    try await agent.event("proven")
    #expect(shownCharge(in: home) == "83")

    // Room is needed to register only.
    try disk.fill()
    try await agent.expectToDeliver(charge: 70, to: home)
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "No space left on device; free space there").count == 1)
    let restarted = try await RunningAgent.proven(on: board)
    #expect(await restarted.stop().status == 0)
    #expect(home.counters.registrations == 1)
  }

  @Test(.enabled(if: canMount, "only root can make a file system that is full or read-only"))
  func aReadOnlyStateDirectoryIsToldAndNothingIsRegistered() async throws {
    let (home, board, disk) = try homeAndBoardWithSmallDisk()
    try disk.remount("ro")
    let agent = try await RunningAgent.run(on: board, until: "state_failed")
    try await agent.event("spool_failed")
    for _ in 0..<2 { try await agent.hasReadEverything() }
    #expect(home.requestCount == 0)
    try disk.remount("rw")
    try await agent.event("registered")
    try await agent.event("proven")

    // With a registration in it, nothing has to be written any more.
    try disk.remount("ro")
    #expect(
      await agent.stop().lines(with: "Read-only file system; its disk is read-only").count == 1)
    let restarted = try await RunningAgent.proven(on: board)
    #expect(await restarted.stop().status == 0)
  }

  @Test func twoAgentsDoNotShareAStateDirectory() async throws {
    let (home, board, first) = try await provenAgent()
    let second = try await RunningAgent(on: board).ending()
    #expect(second.status == 75)
    #expect(second.log.count == 1)
    #expect(second.lines(with: "another homeward uses \(board.state.path); stop it").count == 1)
    #expect(home.counters.registrations == 1)

    try board.charge(70)
    try await first.hasReadEverything()
    try await first.event("proven")
    #expect(shownCharge(in: home) == "70")
    #expect(await first.stop().status == 0)
  }

  // MARK: Its owner

  private static let isRoot = geteuid() == 0

  /// What a command of root's leaves must be readable for the service, which runs as another user.
  @Test(.enabled(if: isRoot, "only root can be somebody else"))
  func whatRootWritesBelongsToTheOwnerOfTheDirectory() async throws {
    let (home, board) = try homeAndBoard()
    try board.makeFolder("state")
    try board.give("state", to: 65534)
    #expect(try await board.run("pair", "--token-file", board.path("token"), "--yes").status == 0)
    home.fault = .status(503)
    let once = try await board.run("run", "--once")
    #expect(once.status == 75)
    let names = try FileManager.default.subpathsOfDirectory(atPath: board.state.path)
    #expect(names.contains("registration.json") && names.contains("spool"))
    for name in names { #expect(try board.owner(of: "state/\(name)") == 65534, "\(name)") }
  }

  @Test(.enabled(if: isRoot, "only root can be somebody else"))
  func aLinkOfTheDirectorysOwnerLeadsRootNowhere() async throws {
    let (home, board) = try homeAndBoard()
    #expect(try await board.run("pair", "--token-file", board.path("token"), "--yes").status == 0)
    home.fault = .status(503)
    try board.makeFolder("precious")
    try FileManager.default.createSymbolicLink(
      atPath: board.path("state/spool"), withDestinationPath: board.path("precious"))
    try board.give("state", to: 65534)
    let once = try await board.run("run", "--once")
    #expect(once.status == 75)
    let made = try FileManager.default.contentsOfDirectory(atPath: board.path("precious"))
    #expect(made == [])
  }

  @Test(.enabled(if: isRoot, "only root can be somebody else"))
  func aDirectoryOfAnotherUserIsRefused() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.makeFolder("state")
    try board.give("state", to: 65533)
    unsafe chmod(board.state.path, 0o755)
    let ending = try await board.run("run", startedBy: RunningAgent.withoutPrivileges)
    #expect(ending.status == 77)
    #expect(ending.lines(with: "belongs to another user; run this as that user").count == 1)
  }

  @Test func aDirectoryThatOthersMayWriteToIsRefused() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.makeFolder("state")
    unsafe chmod(board.state.path, 0o777)
    let ending = try await board.run("run")
    #expect(ending.status == 77)
    #expect(ending.lines(with: "run: sudo chmod go-w \(board.state.path)").count == 1)
  }

  @Test func aStateDirectoryThatCannotBeMadeIsNamed() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.write("a file\n", to: "state")
    let ending = try await RunningAgent(on: board).ending()
    #expect(ending.status == 66)
    #expect(ending.lines(with: "\(board.state.path) cannot be used: Not a directory").count == 1)
  }

  @Test func aDamagedOrNewerRegistrationIsNeitherUsedNorReplaced() async throws {
    var home = try practiceHome()
    let board = try Board(reportingTo: home)
    let agent = try await RunningAgent.proven(on: board)
    #expect(await agent.stop().status == 0)
    let good = try String(contentsOf: board.registration, encoding: .utf8)
    // What the agent sent before it ended has arrived once all of its connections are closed.
    home.stop()
    home = try PracticeServer(continuing: home)
    let requests = home.requestCount

    let damaged = [
      "", "\n", String(good.dropLast(good.count / 2)), "\u{0}\u{0}\u{0}", "{}",
      good.replacing("\"version\":3", with: "\"version\":\"3\""),
      good.replacing("\"secret\":\"", with: "\"secret\":\"0"), good + good,
      String(repeating: good, count: 100),
    ].map { ($0, "registration.json is damaged; restore a copy, or remove it") }
    let newer = (
      good.replacing("\"version\":3", with: "\"version\":4"),
      "registration.json has version 4, written by a newer Homeward; install that version"
    )
    for (text, words) in damaged + [newer] {
      try board.write(text, to: "state/registration.json")
      let ending = try await RunningAgent(on: board).ending()
      #expect(ending.status == 65)
      #expect(ending.log.count == 1)
      #expect(ending.lines(with: words).count == 1)
      #expect(try String(contentsOf: board.registration, encoding: .utf8) == text)
    }
    #expect(home.requestCount == requests)

    // A copy brought back is as good as ever.
    try board.write(good, to: "state/registration.json")
    let restored = try await RunningAgent.proven(on: board)
    #expect(await restored.stop().status == 0)
    #expect(home.counters.registrations == 1)
  }

  // MARK: The tokens that Home Assistant rejected

  /// What may take the place of the file that keeps them; as root no permission keeps it from being
  /// read.
  struct Substitute: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What it holds; nil for a directory.
    var text: String?
    var status: Int32 = 65
    var words = "rejected-token is damaged; remove it"
  }

  static let substitutes = [
    Substitute(
      testDescription: "directory", status: 66,
      words: "rejected-token cannot be read: Is a directory; make it readable, or remove it"),
    Substitute(testDescription: "empty", text: ""),
    Substitute(testDescription: "zeros", text: "\u{0}\u{0}\u{0}"),
    Substitute(testDescription: "too large", text: String(repeating: "0", count: 10_000)),
  ]

  /// The token at hand may be one of them, and Home Assistant may ban this address for it.
  @Test(arguments: substitutes)
  func whereItIsNotKnownWhichTokensWereRejectedNoneIsSent(
    _ substitute: Substitute
  ) async throws {
    let (home, board) = try homeAndBoard(settings: "notifications: websocket")
    try board.makeState(withRejected: substitute.text)
    for command in [["pair", "--token-file", board.path("token"), "--yes"], ["watch"]] {
      let ending = try await board.run(options: command)
      #expect(ending.status == substitute.status, "\(command)")
      #expect(ending.lines(with: substitute.words).count == 1, "\(ending.log)")
    }
    let check = try await board.run("check")
    #expect(check.output.contains { $0.contains("WRONG  login") && $0.contains(substitute.words) })
    let once = try await board.run("run", "--once")
    #expect(once.status == 75)
    #expect(once.lines(with: substitute.words).count == 1, "\(once.log)")
    #expect(home.counters.registrations == 0)
    #expect(!home.hasSeenASocket)

    // An agent that waits looks again with every cycle.
    let agent = try await RunningAgent.run(on: board, until: "state_failed")
    try await agent.hasReadEverything()
    try board.remove("state/rejected-token")
    try await agent.event("registered")
    try await agent.event("proven")
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: substitute.words).count == 1)
    #expect(home.counters.refused == 0)
  }

  @Test(arguments: substitutes)
  func aRegisteredBoardDeliversWithoutKnowingWhichTokensWereRejected(
    _ substitute: Substitute
  ) async throws {
    let (home, board) = try homeAndBoard(settings: "notifications: websocket")
    let token = board.path("token")
    #expect(try await board.run("pair", "--token-file", token, "--yes").status == 0)
    let wasSocketSeen = home.hasSeenASocket
    try board.makeState(withRejected: substitute.text)
    let once = try await board.run("run", "--once")
    #expect(once.status == 0)
    #expect(once.lines(with: substitute.words).count == 1, "\(once.log)")
    #expect(shownCharge(in: home) == "83")
    #expect(home.hasSeenASocket == wasSocketSeen)
    let unpair = try await board.run("unpair", "--yes")
    #expect(unpair.status == substitute.status)
    #expect(unpair.lines(with: substitute.words).count == 1, "\(unpair.log)")
    #expect(board.isPaired)
    #expect(try await board.run("unpair", "--local", "--yes").status == 0)
  }
}

extension PracticeServer {
  /// Whether a client has opened a WebSocket, over which the token goes first.
  fileprivate var hasSeenASocket: Bool {
    journal.contains { if case .occurred(.socketOpened) = $0.event { true } else { false } }
  }
}

extension Board {
  fileprivate func give(_ name: String, to user: uid_t) throws {
    try FileManager.default.setAttributes(
      [.ownerAccountID: user, .groupOwnerAccountID: user], ofItemAtPath: path(name))
  }

  fileprivate func owner(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.ownerAccountID] as? Int
  }

  /// Makes a state directory where `text`, or a directory, is in place of the rejected tokens.
  fileprivate func makeState(withRejected text: String?) throws {
    try makeFolder("state")
    if let text {
      try write(text, to: "state/rejected-token")
    } else {
      try makeFolder("state/rejected-token")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state.path)
  }
}

/// A file system of a few pages in memory, over a folder, until it goes.
final class SmallDisk {
  private let folder: URL

  init(at folder: URL) throws {
    self.folder = folder
    try run("mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", folder.path)
  }

  deinit { try? run("umount", "--lazy", folder.path) }

  func remount(_ options: String) throws {
    try run("mount", "-o", "remount,\(options)", folder.path)
  }

  private var ballast: URL { folder.appending(path: "ballast") }

  func fill() throws {
    let handle = try FileHandle(forWritingTo: emptyBallast())
    defer { try? handle.close() }
    let page = Data(repeating: 0x78, count: 4096)
    while (try? handle.write(contentsOf: page)) != nil {}
  }

  private func emptyBallast() throws -> URL {
    try Data().write(to: ballast)
    return ballast
  }

  func makeRoom() throws { try FileManager.default.removeItem(at: ballast) }
}

/// A home, and a board whose state directory is such a file system.
func homeAndBoardWithSmallDisk() throws -> (PracticeServer, Board, SmallDisk) {
  let (home, board) = try homeAndBoard()
  try board.makeFolder("state")
  return (home, board, try SmallDisk(at: board.state))
}

/// Whether this process may mount file systems.
let canMount: Bool = {
  let folder = TestRun.newPlace()
  defer { try? FileManager.default.removeItem(at: folder) }
  do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try SmallDisk(at: folder)
    return true
  } catch {
    return false
  }
}()

private func run(_ command: String...) throws {
  guard try ChildProcess.run(command[0], Array(command.dropFirst())) == 0 else {
    throw CocoaError(.executableLoad)
  }
}
