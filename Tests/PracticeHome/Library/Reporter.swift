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
  private let output: Output
  private let journal: Output?
  private let options: Options
  private let state = Mutex(State())

  init(options: Options, output: Output, journal: Output?) {
    self.options = options
    self.output = output
    self.journal = journal
    form = options.isJSON ? .json : output.isTerminal ? .table : .lines
  }

  func start(url: String, port: UInt16) {
    let household = options.household
    let listening = EventLine.listening(url: url, port: port, household).text
    record(listening)
    if form == .json { return print(listening) }
    let token =
      household.token == Home.defaultToken ? "\"\(household.token)\"" : "the one you chose"
    let resident = household.resident
    print("Practice home at \(url), token \(token). Ctrl-C ends it.")
    print("What arrives, in a browser: \(url + Page.path)")
    print("Its resident logs in as \(resident.userName), password \(resident.password).")
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
      var lines = state.table.lines(counters, columns: output.columns)
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
    case .lines: print(counters.text)
    }
  }
}

/// What the terminal shows: the last value of each sensor and location, how often it came, the last
/// refusals, and counts.
struct TerminalTable {
  /// Refusals that stay on the screen.
  static let refusalsMax = 6
  /// The least width that is drawn for; a narrower terminal wraps.
  static let columnsMin = 40
  /// The width of a terminal that does not tell its own.
  static let columnsUsual = 80

  private var rows: [String: (value: String, time: Moment, count: Int)] = [:]
  private var refusals: [String] = []

  mutating func note(_ entry: JournalEntry) {
    switch entry.event {
    case .readings(let readings):
      for reading in readings {
        show(reading.entityID, PlainLine.value(reading.shown, reading.unit), entry)
      }
    case .located(let location): show("location", PlainLine.describe(location), entry)
    case .refused: refusals = (refusals + PlainLine.entry(entry)).suffix(Self.refusalsMax)
    default: break
    }
  }

  private mutating func show(_ name: String, _ value: String, _ entry: JournalEntry) {
    let name = "\(entry.device ?? "-")  \(name)".harmless
    rows[name] = (value.harmless, entry.time, (rows[name]?.count ?? 0) + 1)
  }

  /// Lines of at most so many characters.
  func lines(_ counters: Counters, columns: Int) -> [String] {
    let nameWidth = rows.keys.map(\.count).max() ?? 0
    let table = rows.sorted { $0.key < $1.key }.map { name, row in
      let space = String(repeating: " ", count: nameWidth - name.count)
      return "\(row.time.clockText)  \(name)\(space)  \(row.value)  \(row.count)x"
    }
    let width = columns == 0 ? Self.columnsUsual : max(Self.columnsMin, columns)
    return (table + [""] + refusals + ["", counters.text]).flatMap { line in
      stride(from: 0, through: max(0, line.count - 1), by: width).map {
        String(line.dropFirst($0).prefix(width))
      }
    }
  }
}
