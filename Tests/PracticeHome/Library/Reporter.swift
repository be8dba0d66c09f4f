import CMicroHTTPD
import Synchronization

/// Tells what happens, in the form the output calls for.
final class Reporter: Sendable {
  private enum Form {
    case json
    case lines
    case table
  }

  private struct State {
    var table = TerminalTable()
    /// Lines on the screen that the next drawing replaces.
    var drawnCount = 0
    var isStale = true
  }

  private let form: Form
  private let style: Style
  private let output: Output
  private let journal: Output?
  private let options: Options
  private let state = Mutex(State())

  init(options: Options, output: Output, journal: Output?) {
    self.options = options
    self.output = output
    self.journal = journal
    let isTerminal = output.isTerminal
    form = options.isJSON ? .json : isTerminal ? .table : .lines
    style = Style(isColoured: isTerminal && !Self.isColourUnwanted)
  }

  /// https://no-color.org: set and not empty.
  private static var isColourUnwanted: Bool {
    guard let value = unsafe getenv("NO_COLOR") else { return false }
    return unsafe value.pointee != 0
  }

  func start(url: String, port: UInt16) {
    let household = options.household
    let listening = EventLine.listening(url: url, port: port, household).text
    record(listening)
    if form == .json { return print(listening) }
    let token =
      household.token == Home.defaultToken ? "\"\(household.token)\"" : "the one you chose"
    let resident = household.resident
    let lines = [
      "Practice home at \(style.bold(url)), token \(style.bold(token)). Ctrl-C ends it.",
      "What arrives, in a browser: \(style.bold(url + Page.path))",
      "Its resident logs in as \(style.bold(resident.userName)), password "
        + "\(style.bold(resident.password)).",
    ]
    lines.forEach(print)
  }

  private func print(_ line: String) { output.write(line + "\n") }

  private func record(_ line: String) { journal?.write(line + "\n") }

  /// Called on threads of the server.
  func note(_ entries: [JournalEntry]) {
    state.withLock { state in
      if journal != nil { entries.forEach { record(EventLine.entry($0).text) } }
      switch form {
      case .json: entries.forEach { print(EventLine.entry($0).text) }
      case .lines: entries.flatMap { PlainLine.entry($0) }.forEach(print)
      case .table:
        entries.forEach { state.table.note($0) }
        state.isStale = true
      }
    }
  }

  /// Draws the table over the last one, if something changed.
  func refresh(_ counters: Counters) {
    guard form == .table else { return }
    state.withLock { state in
      guard state.isStale else { return }
      state.isStale = false
      var lines = state.table.lines(
        counters: counters, columns: output.columns, style: style)
      // What scrolls off the top cannot be drawn over; the end of the table is the news.
      if output.rows > 0 { lines = lines.suffix(output.rows - 1) }
      let back = state.drawnCount > 0 ? "\u{1B}[\(state.drawnCount)A" : ""
      output.write(back + "\r\u{1B}[J" + lines.joined(separator: "\n") + "\n")
      state.drawnCount = lines.count
    }
  }

  func end(_ counters: Counters) {
    let summary = EventLine.summary(counters).text
    record(summary)
    switch form {
    case .json: print(summary)
    case .table: refresh(counters)
    case .lines:
      print(
        "registrations \(counters.registrations), readings \(counters.readings), locations "
          + "\(counters.locations), refused \(counters.refused), sealed \(counters.sealed), "
          + "plain \(counters.plain)")
    }
  }
}
