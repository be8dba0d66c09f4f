import Board
import Bytes

/// Picture of `homeward status --watch`: a machine that takes the answers of the agent, the keys
/// and the size of the terminal, and returns the bytes for the terminal.
///
/// Durations are shown in whole minutes, so that an unchanged picture costs no byte, and a change
/// costs only its own cells.
///
///     homeward 0.1.0  all is well                                        since 16:20
///     battery   83 %     ▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇                             ⡠⠤⠒⠉
///     signal    -61 dBm  ▅▅▅▄▅▅▆▅▅▅▅▅▅▅▅▅                           ⡠⠊
///     backlog   0        ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁                           ├───┤ 20 m, north up
///     ────────────────────────────────────────────────────────────────────────────────
///     ok     Home Assistant   takes the data
///     lines 1-15 of 40                             j k, arrows, Page: scroll   q: end
struct StatusScreen {
  static let columnsMin = 30
  static let rowsMin = 8

  let look: ScreenLook
  private(set) var size: ScreenSize
  let begin: WallTime
  private(set) var status: AgentStatus?
  private(set) var history: StatusHistory
  /// Reason why the agent does not answer now, and the time of the first failure.
  private(set) var silence: (reason: MessageText, since: WallTime)?
  private var keys = ScreenKeys()
  /// First visible line of the list.
  private var scroll = 0
  private var shown: ScreenGrid?

  init(size: ScreenSize, look: ScreenLook, every: Duration, at moment: ScreenMoment) {
    history = StatusHistory(every: every)
    self.size = size
    self.look = look
    begin = moment.local
  }

  var isReady: Bool { status != nil || silence != nil }

  // MARK: Events

  mutating func answered(_ status: AgentStatus, at moment: ScreenMoment) {
    self.status = status
    silence = nil
    history.answered(status, at: moment)
  }

  /// Records that the agent does not run or does not answer; its last answer stays.
  mutating func unanswered(_ reason: MessageText, at moment: ScreenMoment) {
    silence = (reason, silence?.since ?? moment.local)
    history.unanswered()
  }

  mutating func resized(to size: ScreenSize) {
    self.size = size
    forgetScreen()
  }

  /// Forgets the picture on the terminal, so that all of it is drawn again.
  mutating func forgetScreen() { shown = nil }

  /// Processes typed bytes; returns whether the person quits.
  mutating func typed(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices {
      guard let key = keys.read(bytes[index]) else { continue }
      if key == .end { return true }
      obey(key)
    }
    return false
  }

  private mutating func obey(_ key: ScreenKey) {
    let page = max(listRows.count - 1, 1)
    switch key {
    case .up: scroll -= 1
    case .down: scroll += 1
    case .pageUp: scroll -= page
    case .pageDown: scroll += page
    case .first: scroll = 0
    case .last: scroll = .max
    case .redraw: forgetScreen()
    case .end: break
    }
    // More keys may come before the next picture.
    scroll = min(max(scroll, 0), list(columns: size.columns).count)
  }

  // MARK: The picture

  /// Returns the bytes that update the terminal; empty if nothing has changed.
  mutating func frame() -> [UInt8] {
    let grid = draw()
    let bytes = grid.bytes(after: shown, look)
    shown = grid
    return bytes
  }

  private mutating func draw() -> ScreenGrid {
    var grid = ScreenGrid(size)
    guard size.columns >= Self.columnsMin, size.rows >= Self.rowsMin else {
      let words: MessageText =
        "too small: \(Self.columnsMin) columns and \(Self.rowsMin) rows are needed"
      put(wrapped(words, size.columns), into: &grid, from: 0)
      return grid
    }
    drawTitle(into: &grid)
    drawPanel(into: &grid)
    let rows = listRows
    drawRule(into: &grid, row: rows.lowerBound - 1)
    let lines = list(columns: size.columns)
    scroll = min(scroll, max(lines.count - rows.count, 0))
    put(Array(lines[scroll...].prefix(rows.count)), into: &grid, from: rows.lowerBound)
    drawFooter(into: &grid, lineCount: lines.count, shownCount: rows.count)
    return grid
  }

  private func put(_ lines: [[ScreenCell]], into grid: inout ScreenGrid, from row: Int) {
    for index in lines.indices { grid.put(lines[index], row: row + index, column: 0) }
  }

  private func drawTitle(into grid: inout ScreenGrid) {
    var title: [ScreenCell] = []
    if let version = status?.root.text("version") {
      title = Array(cells("homeward \(version)", .strong).prefix(24)) + cells("  ")
    }
    if let silence {
      title += cells("the agent has not answered since \(seconds: silence.since)", .bad)
    } else if let status {
      title += status.isWell ? cells("all is well", .good) : cells("something is wrong", .bad)
    }
    grid.put(title, row: 0, column: 0)
    let since = cells("since \(minutes: begin)", .faint)
    let column = size.columns - since.count
    if column > title.count + 1 { grid.put(since, row: 0, column: column) }
  }

  private func drawRule(into grid: inout ScreenGrid, row: Int) {
    let scalar: UInt32 = look.isUnicode ? 0x2500 : 0x2D
    let cell = ScreenCell(scalar: scalar, style: .faint)
    grid.put([ScreenCell](repeating: cell, count: size.columns), row: row, column: 0)
  }

  private func drawFooter(into grid: inout ScreenGrid, lineCount: Int, shownCount: Int) {
    let row = size.rows - 1
    var lines: [ScreenCell] = []
    if lineCount > shownCount {
      let last = min(scroll + shownCount, lineCount)
      lines = cells("lines \(scroll + 1)-\(last) of \(lineCount)", .faint)
      grid.put(lines, row: row, column: 0)
    }
    let keys = keys(isScrolling: !lines.isEmpty, columns: size.columns - lines.count)
    grid.put(keys, row: row, column: size.columns - keys.count)
  }

  /// Returns the help on keys, as long as the columns allow.
  private func keys(isScrolling: Bool, columns: Int) -> [ScreenCell] {
    let end = cells("q: end", .faint)
    guard isScrolling else { return end }
    let long: MessageText = size.columns < 60 ? "j k: scroll  " : "j k, arrows, Page: scroll   "
    for words in [long, "j k  "] {
      let keys = cells(words, .faint) + end
      // There is at least one space before them.
      if keys.count < columns { return keys }
    }
    return end
  }

  /// Rows of the list: below the title, the graphs and the rule.
  private var listRows: Range<Int> {
    let first = min(2 + panelRowCount, size.rows - 1)
    return first..<size.rows - 1
  }

  // MARK: Cells

  func cells(_ text: MessageText, _ style: ScreenCell.Style = .plain) -> [ScreenCell] {
    text.bytes.cells(style, isUnicode: look.isUnicode)
  }

  /// Wraps a text into lines, the second and later ones indented.
  func wrapped(
    _ text: MessageText, _ columns: Int, indent: Int = 0, _ style: ScreenCell.Style = .plain
  ) -> [[ScreenCell]] {
    wrapped(cells(text, style), columns, indent: indent)
  }

  func wrapped(_ cells: [ScreenCell], _ columns: Int, indent: Int) -> [[ScreenCell]] {
    let indent = indent <= columns / 2 ? indent : 0
    let margin = [ScreenCell](repeating: .blank, count: indent)
    var lines: [[ScreenCell]] = []
    var rest = cells
    while rest.count > columns {
      let spaces = rest.indices[(indent + 1)...columns].reversed()
      let space = spaces.first { rest[$0].scalar == ScreenCell.blank.scalar }
      let end = space ?? (rest[columns].isSecondHalf ? columns - 1 : columns)
      lines.append(Array(rest[..<end]))
      rest = margin + rest[(space == nil ? end : end + 1)...]
      // A wide character may not fit even on an empty line: it would never get shorter.
      if end <= indent { break }
    }
    lines.append(rest)
    return lines
  }
}

extension MessageText.StringInterpolation {
  /// Appends a time that is local already, such as `16:27`.
  mutating func appendInterpolation(minutes local: WallTime) {
    appendInterpolation(bytes: [UInt8](Text(iso8601: local).bytes[11..<16]))
  }

  /// Appends a time that is local already, such as `16:27:22`.
  mutating func appendInterpolation(seconds local: WallTime) {
    appendInterpolation(bytes: [UInt8](Text(iso8601: local).bytes[11..<19]))
  }
}
