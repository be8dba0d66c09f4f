import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// `homeward watch`: what a person at the shell sees change.
  @Suite struct Watching {}
}

/// A practice home whose journal is read while it is written.
private final class ObservedHome {
  private(set) var server: PracticeServer
  private var entries: AsyncStream<JournalEntry>.Iterator

  init() throws {
    let (stream, continuation) = AsyncStream<JournalEntry>.makeStream()
    server = try PracticeServer(
      port: reservedPort(), token: "token-\(UUID().uuidString)"
    ) { entries in
      for entry in entries { continuation.yield(entry) }
    }
    entries = stream.makeAsyncIterator()
  }

  func restart() throws {
    server.stop()
    server = try PracticeServer(continuing: server)
  }

  /// Waits until a client subscribes to events.
  func eventsAreWatched() async throws {
    while let entry = await entries.next() {
      if entry.event == .occurred(.commanded("subscribe_events")) { return }
    }
    throw CancellationError()
  }
}

/// `watch` on a board, beside other commands there.
func watching(
  _ board: Board, _ words: String..., startedBy starter: [String] = []
) throws -> RunningAgent {
  try RunningAgent(
    on: board, ["watch"] + words + ["--config", board.configuration], startedBy: starter)
}

/// A board with a sensor that shows 1 %.
func boardWithSensor(in home: PracticeServer) async throws -> Board {
  let board = try await Board.pairedByToken(with: home)
  try await board.registerSensor()
  return board
}

func homeAndBoardWithSensor() async throws -> (PracticeServer, Board) {
  let home = try practiceHome()
  return (home, try await boardWithSensor(in: home))
}

/// How often a command succeeded.
func count(of command: String, in home: PracticeServer) -> Int {
  home.journal.count { $0.event == .occurred(.commanded(command)) }
}

extension WholeAgent.Watching {
  @Test func aStateIsShownAsItIsAndAsItBecomesUntilCtrlC() async throws {
    let (home, board) = try await homeAndBoardWithSensor()
    let watch = try watching(board, "states", sensorX, "zone.home")
    try await watch.line(endingWith: "  \(sensorX)  1 %")
    try await watch.line(endingWith: "  zone.home      0")
    try await board.send(state: 2)
    try await watch.line(endingWith: "  \(sensorX)  2 %")
    // Only a state is a change here, and only of what is watched.
    try await board.send(state: 2, attributes: #"{"phase":"wane"}"#)
    _ = try await board.run("send", "update_location", "53", "4")
    try await board.send(state: 3)
    let line = try await watch.line(endingWith: "%")
    #expect(line.hasSuffix("  \(sensorX)  3 %"))

    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(ending.output.count == 4, "\(ending.output)")
    #expect(ending.log == [])
    #expect(count(of: "unsubscribe_events", in: home) == 1)
  }

  @Test func anEntityThatIsDeletedIsSaidToBeGone() async throws {
    let (home, board) = try await homeAndBoardWithSensor()
    let watch = try watching(board, "states", sensorX)
    try await watch.line(endingWith: "1 %")
    home.withHome { $0.forget(sensorX) }
    try await watch.line(endingWith: "  \(sensorX)  was removed")
    #expect(await watch.stop().status == 0)
  }

  @Test func attributesAreShownToWhoAsksForThem() async throws {
    let (_, board) = try await homeAndBoardWithSensor()
    let watch = try watching(board, "states", sensorX, "--attributes")
    try await watch.line(endingWith: "1 %")
    try await watch.line(endingWith: #"    friendly_name: "Boat X""#)
    try await board.send(state: 1, attributes: #"{"phase":"wane","days":[1,2]}"#)
    try await watch.line(endingWith: "1 %")
    try await watch.line(endingWith: #"    phase: "wane""#)
    try await watch.line(endingWith: "    days: [1,2]")
    #expect(await watch.stop().status == 0)
  }

  @Test func anEventIsShownWithWhatItHolds() async throws {
    let home = try ObservedHome()
    let board = try await Board.pairedByToken(with: home.server)
    let watch = try watching(board, "events", "harbour")
    try await home.eventsAreWatched()
    _ = try await board.run("send", "fire_event", "other")
    _ = try await board.run(
      "send", "fire_event", "harbour", "--data", #"{"name":"Den \u001b[31mOever","berths":[4]}"#)
    let line = try await watch.line(endingWith: "")
    #expect(line.hasSuffix("  harbour"))
    try await watch.line(endingWith: #"  name: "Den \u001b[31mOever""#)
    try await watch.line(endingWith: "  berths: [4]")
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(count(of: "unsubscribe_events", in: home.server) == 1)
  }

  @Test func aChangeOfAStateIsShownAsOneAmongAllEvents() async throws {
    let home = try ObservedHome()
    let board = try await boardWithSensor(in: home.server)
    let watch = try watching(board, "events")
    try await home.eventsAreWatched()
    try await board.send(state: 2)
    try await watch.line(endingWith: "  state_changed  \(sensorX)  1 % -> 2 %")
    home.server.withHome { $0.forget(sensorX) }
    try await watch.line(endingWith: "  state_changed  \(sensorX) was removed")
    #expect(await watch.stop().status == 0)
  }

  @Test func aTemplateIsShownWheneverItSaysSomethingElse() async throws {
    let (home, board) = try await homeAndBoardWithSensor()
    let watch = try watching(board, "template", "{{ states('\(sensorX)') }}")
    #expect(try await watch.line(endingWith: "") == "1")
    try await board.send(state: 2)
    #expect(try await watch.line(endingWith: "") == "2")
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(ending.output == ["1", "2"])
    #expect(count(of: "unsubscribe_events", in: home) == 1)
  }

  // MARK: Restarts

  @Test func statesSurviveARestartAndOnlyWhatChangedIsShown() async throws {
    var home = try practiceHome()
    let board = try await boardWithSensor(in: home)
    let watch = try watching(board, "states", sensorX, "zone.home")
    try await watch.line(endingWith: "zone.home      0")
    home.stop()
    home = try PracticeServer(continuing: home)
    try await board.send(state: 2)
    try await watch.line(endingWith: "  \(sensorX)  2 %")
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(ending.output.count == 3, "\(ending.output)")
    #expect(ending.lines(with: "the connection to Home Assistant is lost: ").count == 1)
    #expect(ending.lines(with: "connected again").count == 1, "\(ending.log)")
  }

  @Test func eventsSurviveARestart() async throws {
    let home = try ObservedHome()
    let board = try await Board.pairedByToken(with: home.server)
    let watch = try watching(board, "events", "harbour")
    try await home.eventsAreWatched()
    try home.restart()
    try await home.eventsAreWatched()
    _ = try await board.run("send", "fire_event", "harbour")
    try await watch.line(endingWith: "  harbour")
    let ending = await watch.interrupt()
    #expect(ending.status == 0)
    #expect(ending.lines(with: "connected again").count == 1, "\(ending.log)")
  }

  @Test func aTemplateSurvivesARestart() async throws {
    var home = try practiceHome()
    let board = try await boardWithSensor(in: home)
    let watch = try watching(board, "template", "{{ states('\(sensorX)') }}")
    try await watch.line(endingWith: "1")
    home.stop()
    home = try PracticeServer(continuing: home)
    try await board.send(state: 2)
    try await watch.line(endingWith: "2")
    #expect(await watch.stop().status == 0)
  }

  // MARK: Scripts

  @Test func aScriptEndsItAfterSoManyEntries() async throws {
    let (home, board) = try await homeAndBoardWithSensor()
    let once = try await board.run("watch", "states", sensorX, "--once")
    #expect(once.status == 0)
    #expect(once.output.count == 1)
    let twice = try await board.run("watch", "--count", "2")
    #expect(twice.status == 0)
    #expect(twice.output.count == 2, "\(twice.output)")

    let template = try watching(board, "template", "{{ states('\(sensorX)') }}", "--count", "2")
    try await template.line(endingWith: "1")
    try await board.send(state: 2)
    let ending = await template.ending()
    #expect(ending.status == 0)
    #expect(ending.output == ["1", "2"])
    #expect(count(of: "unsubscribe_events", in: home) == 3)
  }

  @Test func aScriptGetsWhatHomeAssistantSentUnchanged() async throws {
    let home = try ObservedHome()
    let board = try await boardWithSensor(in: home.server)
    let states = try await board.run("watch", "states", "zone.home", "--once", "--json")
    #expect(states.output.count == 1)
    let line = try #require(states.output.first)
    #expect(line.hasPrefix(#"{"a":{"zone.home":{"s":"0","a":{"latitude":52.0,"#), "\(line)")

    let events = try watching(board, "events", "harbour", "--once", "--json")
    try await home.eventsAreWatched()
    _ = try await board.run("send", "fire_event", "harbour", "--data", #"{"depth":2.0}"#)
    let ending = await events.ending()
    #expect(
      ending.output.first?.hasPrefix(#"{"event_type":"harbour","data":{"depth":2.0},"#) == true,
      "\(ending.output)")
    #expect(ending.output.count == 1)
  }

  @Test func aTerminalGetsNothingThatItWouldObeyAndAPipeAllOfIt() async throws {
    let home = try ObservedHome()
    let board = try await boardWithSensor(in: home.server)
    let words = ["watch", "events", "harbour", "--once", "--json"]
    let terminal = try TypedCommand(
      on: board, words + ["--config", board.configuration], screen: [:])
    try await home.eventsAreWatched()
    let script = try watching(board, "events", "harbour", "--once", "--json")
    try await home.eventsAreWatched()
    _ = try await board.run(
      "send", "fire_event", "harbour", "--data", "{\"ship\":\"a\u{9B}31m\u{7F}\u{202E}b\"}")
    let output = await script.ending().output
    #expect(output.first?.contains("a\u{9B}31m\u{7F}\u{202E}b") == true, "\(output)")
    let screen = await terminal.ending().screen
    #expect(screen.contains(#"a\u009b31m\u007f\u202eb"#), "\(screen)")
  }

  @Test func aTemplateThatCannotBeRenderedEndsAScriptWithAnError() async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let ending = try await board.run("watch", "template", "{{ nonsense() }}", "--once")
    #expect(ending.status == 65)
    #expect(ending.output == [])
    #expect(
      ending.lines(
        with: "Home Assistant reports about the template: TemplateError"
      ).count == 1)
  }

  @Test func aReaderThatClosesTheOutputEndsIt() async throws {
    let (_, board) = try await homeAndBoardWithSensor()
    let line = #"("$0" "$@"; echo "status $?" >&2) | head -n 1"#
    let watch = try watching(board, "states", sensorX, startedBy: ["sh", "-c", line])
    try await watch.line(endingWith: "1 %")
    try await board.send(state: 2)
    let ending = await watch.ending()
    #expect(ending.output.count == 1)
    #expect(ending.log == ["status 0"])
  }

  @Test func theTimeIsThatOfTheClocksHere() async throws {
    let (_, board) = try await homeAndBoardWithSensor()
    var lines: [String] = []
    for zone in ["AAA0", "BBB-5:30"] {
      let words = ["states", sensorX, "--once"]
      lines += try await board.run("watch", options: words, environment: ["TZ": zone]).output
    }
    try #require(lines.count == 2)
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    let times = try lines.map { try style.parse(String($0.prefix(19)) + "Z") }
    #expect(times[1].timeIntervalSince(times[0]) == 5.5 * 3600, "\(lines)")
    #expect(lines.map { $0.dropFirst(19).prefix(8) } == ["+00:00  ", "+05:30  "])
  }
}
