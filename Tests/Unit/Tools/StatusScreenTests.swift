import Bytes
import TestRun
import Testing

@testable import Tools

/// The picture of `homeward status --watch`, as a terminal shows it.
@Suite struct StatusScreenTests {
  // MARK: Calm

  @Test func aPictureOfWhichNothingHasChangedCostsNoByte() throws {
    var rig = ScreenRig(80, 24, every: 2)
    var told = ToldStatus()
    told.fix = (age: 3, east: 5, north: 5)
    try rig.answered(told.document)
    #expect(!rig.frame.isEmpty)
    // The ages of what stays the same are other ones each time, and a column of the graphs is of
    // ten seconds.
    for seconds in [1, 2, 3, 4] {
      told.fix?.age = 3 + 2 * seconds
      told.sensors[1].2 += 1
      try rig.answered(told.document, after: 2)
      #expect(rig.frame == [], "after \(2 * seconds) s: \(rig.frame)")
    }
    try rig.answered(told.document, after: 2)
    #expect((1...120).contains(rig.frame.count), "three columns of graphs: \(rig.frame.count)")
  }

  @Test func whatHasChangedCostsItsOwnCellsOnly() throws {
    var rig = ScreenRig(80, 24, every: 2)
    var told = ToldStatus()
    try rig.answered(told.document)
    told.sensors[0].1 = "on"
    try rig.answered(told.document, after: 1)
    #expect(rig.frame.count < 40, "\(rig.frame.count)")
    #expect(rig.picture.contains("Bilge           on\n"))
  }

  // MARK: Sizes

  private static let voyages = [
    "80x24": """
    homeward 0.1.0  all is well                                          since 16:20
    battery  12 %       █▆▅▄▂▁
                        ███████▇▅▄▃▁                                     ⢀
    signal   -84 dBm    ▆▅▄▃▂▁                                          ⢀⠎
                        ███████▇▆▅▄▂                                   ⢀⠎
    backlog  3                                                      ⣀⣀⠔⠁
                        ▁▂▄▆▁▂▄▆▁▂▄▆                        ├───┤ 200 m, north up
    ────────────────────────────────────────────────────────────────────────────────
    ok     Home Assistant   accepts the data
             last proof     less than 1 min ago
    ok     route            home_assistant.url: http://192.168.1.5:8123, for 3 min
           waiting          3 readings, 0 locations

    Sensors
      House capacity  12 %
      Signal          -84 dBm
      Bilge           off
      Soil            12.3 °C                                              6 min ago

           location         a fix, less than 1 min ago
             accuracy       5 m, from eph
             track          moving; kept: moving.every has passed
           agent            homeward 0.1.0, for 3 h 2 min
    lines 1-15 of 19                              j k, arrows, Page: scroll   q: end
    """,
    "60x20": """
    homeward 0.1.0  all is well                      since 16:20
    battery  12 %       █▆▅▄▂▁
                        ███████▇▅▄▃▁                   ⢀
    signal   -84 dBm    ▆▅▄▃▂▁                        ⢀⠎
                        ███████▇▆▅▄▂                 ⢀⠎
    backlog  3                                    ⣀⣀⠔⠁
                        ▁▂▄▆▁▂▄▆▁▂▄▆        ├───┤ 200 m
    ────────────────────────────────────────────────────────────
    ok     Home Assistant   accepts the data
             last proof     less than 1 min ago
    ok     route            home_assistant.url:
                            http://192.168.1.5:8123, for 3 min
           waiting          3 readings, 0 locations

    Sensors
      House capacity  12 %
      Signal          -84 dBm
      Bilge           off
      Soil            12.3 °C                          6 min ago
    lines 1-11 of 21          j k, arrows, Page: scroll   q: end
    """,
    "40x12": """
    homeward 0.1.0  all is well  since 16:20
    battery  12 %       █▇▆▆▅▄▄▃▂▂▁▁
    signal   -84 dBm    ▇▆▆▅▅▄▄▃▃▂▂▁
    backlog  3          ▁▁▂▃▁▁▂▃▁▁▂▃
    ────────────────────────────────────────
    ok     Home Assistant accepts the data
             last proof less than 1 min ago
    ok     route home_assistant.url:
             http://192.168.1.5:8123, for 3
             min
           waiting 3 readings, 0 locations
    lines 1-6 of 25      j k: scroll  q: end
    """,
  ]

  /// A boat that sails to the north-east for two minutes.
  @Test(arguments: [(80, 24), (60, 20), (40, 12)])
  func aVoyageIsDrawn(_ columns: Int, _ rows: Int) throws {
    let rig = try voyage(columns, rows)
    #expect(rig.picture == Self.voyages["\(columns)x\(rows)"])
  }

  @Test func aLargeScreenHasRoomForAll() throws {
    let rig = try voyage(200, 60)
    let left = rig.terminal.lines.map { $0.prefix(36).description.trimmingSpaces }
    #expect(
      left[1...4] == [
        "battery  12 %       █▅▂", "                    ████▅▃",
        "                    ███████▆▃", "                    ██████████▆▃",
      ])
    #expect(rig.terminal.lines[16].hasSuffix("  ├───┤ 50 m, north up"))
    #expect(
      rig.terminal.lines[1...15].joined().unicodeScalars.count { $0.value >> 8 == 0x28 } == 30)
    #expect(left.contains("  16:22  kept: moving.every has pass"))
    #expect(rig.terminal.lines[59].trimmingSpaces.hasSuffix(" q: end"))
    #expect(!rig.terminal.lines[59].contains("lines"), "there is nothing to scroll")
  }

  private func voyage(_ columns: Int, _ rows: Int) throws -> ScreenRig {
    var rig = ScreenRig(columns, rows)
    for step in 0..<12 {
      var told = ToldStatus()
      told.battery = String(100 - step * 8)
      told.signal = String(-40 - step * 4)
      told.waiting = step % 4
      told.fix = (age: 3, east: step * 20, north: step * step * 2)
      try rig.answered(told.document)
    }
    return rig
  }

  @Test func whatIsTooSmallSaysHowLargeItHasToBe() throws {
    for (columns, rows) in [(29, 24), (80, 7), (1, 1), (12, 3), (2, 200)] {
      var rig = ScreenRig(columns, rows)
      try rig.answered(ToldStatus().document)
      if columns >= 29 {
        #expect(rig.picture.hasPrefix("too small: 30"))
        #expect(rig.terminal.lines.joined(separator: " ").contains("8 rows are needed"))
      }
      rig.resized(to: 30, 8)
      #expect(rig.picture.contains("all is well"))
    }
  }

  @Test func noSizeIsAFault() throws {
    for columns in [1, 2, 29, 30, 31, 45, 55, 56, 57, 59, 60, 61, 100, 512] {
      for rows in [1, 7, 8, 9, 10, 11, 12, 17, 18, 23, 24, 32, 48, 100] {
        var rig = ScreenRig(columns, rows)
        var told = ToldStatus()
        told.sensors.append(("船の温度計の長い名前がここにあります", "二十一度と半分くらいです", 90))
        for step in 0..<3 {
          told.fix = (age: 3, east: step * 7, north: step * -9)
          try rig.answered(told.document)
        }
        rig.unanswered()
        rig.type("G")
        rig.type("k")
      }
    }
  }

  /// The count of the lines ended in what the keys do.
  @Test(arguments: [0, 100, 900])
  func theFooterOfANarrowScreenDoesNotOverlap(sensorCount: Int) throws {
    for columns in 30...70 {
      var rig = ScreenRig(columns, 8)
      var told = ToldStatus()
      told.sensors = (0..<sensorCount).map { ("Sensor \($0)", "on", 4) }
      try rig.answered(told.document)
      rig.type("G")
      let footer = try #require(rig.terminal.lines.last)
      #expect(footer.hasSuffix("q: end"))
      #expect(footer.contains(#/^lines \d+-\d+ of \d+ /#), "\(columns): \(footer)")
    }
    var rig = ScreenRig(30, 8)
    try rig.answered(ToldStatus().document)
    #expect(rig.terminal.lines.last?.hasSuffix("  j k  q: end") == true)
  }

  @Test func aTerminalThatDoesNotSayHowLargeItIsHas80By24() {
    #expect(ScreenSize(columns: 0, rows: 0) == ScreenSize(columns: 80, rows: 24))
    #expect(ScreenSize(columns: 65535, rows: 65535) == ScreenSize(columns: 512, rows: 256))
  }

  // MARK: The list

  @Test func everySensorCanBeReached() throws {
    var rig = ScreenRig(40, 12)
    var told = ToldStatus()
    told.sensors = (0..<100).map { ("Sensor \($0)", "\($0) V", 4) }
    try rig.answered(told.document)
    var seen: Set<String> = []
    for _ in 0..<60 {
      for line in rig.terminal.lines where line.hasPrefix("  Sensor ") { seen.insert(line) }
      rig.type("\u{1B}[6~")
    }
    #expect(seen.count == 100)
    #expect(rig.terminal.lines.last?.contains("of 1") == true)
  }

  @Test func keysScrollAndStopAtBothEnds() throws {
    var rig = ScreenRig(80, 24)
    var told = ToldStatus()
    told.sensors = (0..<50).map { ("Sensor \($0)", "on", 4) }
    try rig.answered(told.document)
    let top = rig.picture
    func footer(_ keys: String) -> String {
      rig.type(keys)
      return String(rig.terminal.lines.last?.prefix { $0 != "q" }.split(separator: " j")[0] ?? "")
        .trimmingSpaces
    }
    #expect(footer("kk") == "lines 1-18 of 61")
    #expect(footer("j") == "lines 2-19 of 61")
    #expect(footer("\u{1B}[B\u{1B}OB") == "lines 4-21 of 61")
    #expect(footer("\u{1B}[A") == "lines 3-20 of 61")
    #expect(footer(" ") == "lines 20-37 of 61")
    #expect(footer("\u{1B}[5~") == "lines 3-20 of 61")
    #expect(footer("G") == "lines 44-61 of 61")
    #expect(footer("jjj\u{1B}[6~") == "lines 44-61 of 61")
    #expect(footer("k") == "lines 43-60 of 61")
    #expect(footer("\u{1B}[F") == "lines 44-61 of 61")
    #expect(footer("\u{1B}[1~") == "lines 1-18 of 61")
    #expect(rig.picture == top)
  }

  @Test(arguments: [
    ("q", true), ("\u{3}", true), ("x", false), ("\u{1B}", false), ("\u{1B}[q", false),
    ("\u{1B}[1;5A", false), ("\u{1B}q", true), ("\u{1B}\u{1B}q", true), ("Q", false),
    ("\u{1B}[999999999999~q", true),
  ])
  func qAndCtrlCEnd(_ keys: String, _ ends: Bool) throws {
    var rig = ScreenRig(80, 24)
    try rig.answered(ToldStatus().document)
    #expect(rig.type(keys) == ends)
  }

  @Test func aKeyThatComesInPiecesIsOne() throws {
    var rig = ScreenRig(30, 8)
    try rig.answered(ToldStatus().document)
    let before = rig.picture
    for piece in ["\u{1B}", "[", "B"] { rig.type(piece) }
    #expect(rig.picture != before)
  }

  @Test func ctrlLDrawsAllAnew() throws {
    var rig = ScreenRig(80, 24)
    try rig.answered(ToldStatus().document)
    rig.type("\u{C}")
    #expect(String(decoding: rig.frame, as: UTF8.self).contains("\u{1B}[2J"))
  }

  @Test func sensorsThatWereNotToldAreCounted() throws {
    var rig = ScreenRig(80, 40)
    let document = ToldStatus().document.replacing(
      "\"sensor_count\":4", with: "\"sensor_count\":300")
    try rig.answered(document)
    #expect(rig.picture.contains("296 sensors not shown (no value yet, or the list is too long)"))
  }

  // MARK: The agent

  @Test func anAgentThatIsAwayIsToldAndItsLastPictureStaysFaint() throws {
    var rig = ScreenRig(80, 24)
    try rig.answered(ToldStatus().document)
    rig.unanswered("no agent runs with /var/lib/homeward", after: 142)
    rig.unanswered("no agent runs with /var/lib/homeward")
    #expect(rig.terminal.lines[0].contains("the agent has not answered since 16:22:32"))
    #expect(rig.picture.contains("no agent runs with /var/lib/homeward\n"))
    #expect(rig.picture.contains("battery  83 %"))
    for text in ["accepts the data", "Bilge", "83 %", "battery"] {
      #expect(rig.style(of: text) == "0;2", "\(text)")
    }
    try rig.answered(ToldStatus().document)
    #expect(rig.terminal.lines[0].contains("all is well"))
    #expect(rig.style(of: "accepts the data") == "0")
    #expect(rig.picture.contains("83 %       ▆  ▆\n"), "a gap of two columns")
  }

  @Test func anAgentThatWasNeverThereIsWaitedFor() throws {
    var rig = ScreenRig(80, 24)
    #expect(!rig.screen.isReady)
    rig.unanswered("no agent runs with /var/lib/homeward; start it: sudo homeward run")
    #expect(rig.screen.isReady)
    #expect(rig.picture.contains("start it: sudo homeward run"))
    try rig.answered(ToldStatus().document)
    #expect(rig.terminal.lines[0].hasPrefix("homeward 0.1.0  all is well"))
  }

  @Test func theTrackOfAnAgentThatWasRestartedBeginsAnew() throws {
    var rig = ScreenRig(80, 24)
    var told = ToldStatus()
    for east in [0, 400] {
      told.fix = (age: 3, east: east, north: 0)
      try rig.answered(told.document)
    }
    #expect(rig.picture.contains("├───┤ 100 m, north up"))
    told.started = 4
    told.fix = (age: 3, east: 0, north: 0)
    try rig.answered(told.document)
    #expect(rig.picture.contains("├───┤ 10 m, north up"))
  }

  @Test func whatIsWrongIsSaid() throws {
    var rig = ScreenRig(80, 24)
    var told = ToldStatus()
    told.isWell = false
    try rig.answered(told.document)
    #expect(rig.terminal.lines[0].contains("something is wrong"))
    #expect(rig.picture.contains("WRONG  Home Assistant"))
    #expect(rig.style(of: "WRONG") == "0;1", "without colours")
    rig.screen = StatusScreen(
      size: rig.screen.size, look: ScreenLook(isColored: true, isUnicode: true),
      every: .seconds(2), at: ScreenMoment(instant: .init(nanoseconds: 0), local: rig.screen.begin))
    try rig.answered(told.document)
    #expect(rig.style(of: "WRONG") == "0;1;31")
    #expect(rig.style(of: "ok ") == "0;32")
  }

  // MARK: The filter

  @Test func whatBecameOfFixesIsTold() throws {
    var rig = ScreenRig(80, 40)
    var told = ToldStatus()
    let decisions = [
      ("first", "kept: the first point"), ("standing", "left out: the board stands"),
      ("standing", "left out: the board stands"),
      ("jump", "rejected: the board cannot have moved there so fast"),
    ]
    for (index, decision) in decisions.enumerated() {
      told.decision = decision
      // One that cannot be right is no part of the map.
      told.fix = (age: 3, east: decision.0 == "jump" ? 90_000 : index, north: 0)
      try rig.answered(told.document, after: 30)
      // The same fix, asked for again.
      told.fix?.age += 5
      try rig.answered(told.document, after: 5)
    }
    #expect(
      rig.picture.contains(
        """
        The last fixes
          16:22  rejected: the board cannot have moved there so fast
          16:21  left out: the board stands (2x)
          16:20  kept: the first point
        """))
    #expect(rig.picture.contains("├───┤ 10 m"))
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
