import Bytes
import TestRun
import Testing

@testable import Tools

/// A picture of a status, and a terminal that shows it.
struct ScreenRig {
  static let dark = ScreenLook(isColored: false, isUnicode: true)

  var screen: StatusScreen
  var terminal: TerminalEmulator
  /// What was written for the last picture.
  private(set) var frame: [UInt8] = []
  /// Seconds since the watching began, at 16:20.
  private(set) var second = 0

  init(_ columns: Int, _ rows: Int, look: ScreenLook = dark, every: Int = 10) {
    screen = StatusScreen(
      size: ScreenSize(columns: columns, rows: rows), look: look, every: .seconds(every),
      at: Self.moment(0))
    terminal = TerminalEmulator(columns: columns, rows: rows)
  }

  private static func moment(_ second: Int) -> ScreenMoment {
    ScreenMoment(
      instant: Instant(nanoseconds: Int64(100_000 + second) * 1_000_000_000),
      local: WallTime(nanoseconds: Int64(58_800 + second) * 1_000_000_000))
  }

  /// The agent answers so many seconds after the last event, and the terminal shows it.
  mutating func answered(_ document: String, after seconds: Int = 10) throws {
    second += seconds
    // One that is not told to have been restarted runs on.
    let document = document.replacing(
      "\"started\":{\"seconds\":10800}", with: "\"started\":{\"seconds\":\(10_800 + second)}")
    let status = try #require(AgentStatus(document: [UInt8](document.utf8), isCalm: true))
    screen.answered(status, at: Self.moment(second))
    draw()
  }

  mutating func unanswered(_ reason: StaticString = "no agent runs", after seconds: Int = 10) {
    second += seconds
    screen.unanswered(MessageText(stringLiteral: reason), at: Self.moment(second))
    draw()
  }

  mutating func resized(to columns: Int, _ rows: Int) {
    screen.resized(to: ScreenSize(columns: columns, rows: rows))
    terminal = TerminalEmulator(columns: columns, rows: rows)
    draw()
  }

  /// Returns whether the person wanted the end.
  @discardableResult
  mutating func type(_ keys: String) -> Bool {
    let isEnd = screen.typed([UInt8](keys.utf8).span)
    draw()
    return isEnd
  }

  mutating func draw(at location: SourceLocation = #_sourceLocation) {
    frame = screen.frame()
    terminal.feed(frame)
    #expect(terminal.faults == [], sourceLocation: location)
    #expect(terminal.cells == drawnAnew.cells, "a difference", sourceLocation: location)
  }

  /// A terminal that knew nothing, and is shown the same.
  private var drawnAnew: TerminalEmulator {
    var (copy, other) = (
      screen, TerminalEmulator(columns: terminal.columns, rows: terminal.rows)
    )
    copy.forgetScreen()
    other.feed(copy.frame())
    return other
  }

  var picture: String { terminal.lines.joined(separator: "\n") }

  func style(of text: String) -> String? {
    for (row, line) in terminal.lines.enumerated() {
      guard let range = line.range(of: text) else { continue }
      let column = line.distance(from: line.startIndex, to: range.lowerBound)
      return terminal.cells[row][column].style
    }
    return nil
  }
}

extension ScreenGrid {
  /// The lines that a terminal of its size shows.
  var shown: [String] {
    var terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
    terminal.feed(bytes(after: nil, ScreenRig.dark))
    #expect(terminal.faults == [])
    return terminal.lines
  }
}

/// What an agent tells.
struct ToldStatus {
  var isWell = true
  var started = 10_800
  var waiting = 0
  var battery = "83"
  var signal = "-61"
  /// How long ago the last fix was, and where.
  var fix: (age: Int, east: Int, north: Int)?
  var decision = (code: "interval", words: "kept: moving.every has passed")
  var sensors = [("Bilge", "off", 4), ("Soil", "12.3 °C", 400)]

  var document: String {
    var members = [
      #""is_well":\#(isWell),"version":"0.1.0","started":{"seconds":\#(started)}"#,
      #""home_assistant":{"is_well":\#(isWell),"state":"proven","text":"accepts the data","#
        + #""last_proof":{"seconds":4}}"#,
      #""routes":[{"route":"instance","name":"home_assistant.url","state":"taken","#
        + #""url":"http://192.168.1.5:8123","since":{"seconds":200}}]"#,
      #""waiting":{"readings":\#(waiting),"locations":0},"history":{"entries":0}"#,
      #""next_cycle":{"seconds":3}"#,
    ]
    if let fix {
      members.append(
        #""last_fix":{"seconds":\#(fix.age)},"accuracy":{"meters":5,"from":"eph"},"#
          + #""offset":{"east_meters":\#(fix.east),"north_meters":\#(fix.north)},"#
          + #""track":{"state":"moving","decision":"\#(decision.code)","#
          + #""text":"\#(decision.words)"}"#)
    }
    var list = [
      sensor("House capacity", battery, "\(battery) %", 4, "battery"),
      sensor("Signal", signal, "\(signal) dBm", 4, "signal_strength"),
    ]
    list += sensors.map { sensor($0.0, "\"\($0.1)\"", $0.1, $0.2, nil) }
    members.append(
      #""sensor_count":\#(list.count),"sensors":["# + list.joined(separator: ",") + "]")
    return "{" + members.joined(separator: ",") + "}"
  }

  private func sensor(
    _ name: String, _ value: String, _ text: String, _ age: Int, _ deviceClass: String?
  ) -> String {
    let more = deviceClass.map { #","device_class":"\#($0)""# } ?? ""
    return #"{"sensor":"x","name":"\#(name)","value":\#(value),"text":"\#(text)"\#(more),"#
      + #""read":{"seconds":\#(age)}}"#
  }
}
