import Foundation
import LinuxIO
import Testing

@testable import Board

/// The log of a process goes to its standard error: each test is a process of its own.
@Suite struct LogTests {
  @Test func escapeCodesAreOnlyForATerminalWhosePersonWantsColors() async {
    await #expect(processExitsWith: .success) {
      unsafe unsetenv("JOURNAL_STREAM")
      var screen: Int32 = -1
      var terminal: Int32 = -1
      try #require(unsafe openpty(&screen, &terminal, nil, nil, nil) == 0)
      for (type, noColor, isColored) in [
        ("xterm", "", true), ("xterm", "1", false), ("dumb", "", false), ("", "", false),
      ] {
        unsafe setenv("TERM", type, 1)
        unsafe setenv("NO_COLOR", noColor, 1)
        let shown = try line(to: terminal, readFrom: screen) { $0.error("too hot") }
        let expected = isColored ? "\u{1B}[31mtoo hot\u{1B}[0m\n" : "too hot\n"
        #expect(shown == expected, "\(type), \(noColor): \(shown.debugDescription)")
      }
      unsafe setenv("TERM", "xterm", 1)
      unsafe unsetenv("NO_COLOR")
      let piped = try lineThroughPipe { $0.error("too hot") }
      #expect(piped == "too hot\n", "a pipe: \(piped.debugDescription)")
    }
  }

  /// Otherwise `journalctl --priority` shows all of them, or none.
  @Test func theJournalIsToldHowSeriousALineIs() async {
    await #expect(processExitsWith: .success) {
      let error = try lineThroughPipe(isJournal: true) { $0.error("too hot") }
      #expect(error == "<3>too hot\n", "\(error.debugDescription)")
      let warning = try lineThroughPipe(isJournal: true) { $0.warning("warm") }
      #expect(warning == "<4>warm\n", "\(warning.debugDescription)")
      let notice = try lineThroughPipe(isJournal: true) { $0.notice("cool again") }
      #expect(notice == "<5>cool again\n", "\(notice.debugDescription)")
      // A child of a service that writes elsewhere has the variable, too.
      unsafe setenv("JOURNAL_STREAM", "8:1", 1)
      let other = try lineThroughPipe { $0.error("too hot") }
      #expect(other == "too hot\n", "\(other.debugDescription)")
    }
  }

  @Test func whatIsLessSeriousThanItsLevelIsLeftOut() async {
    await #expect(processExitsWith: .success) {
      let line = try lineThroughPipe(level: .notice) {
        $0.write("it is Tuesday", .info)
        $0.debug("and it rains")
        $0.notice("cool again")
      }
      #expect(line == "cool again\n")
    }
  }

  @Test func everyLevelHasItsWord() {
    let levels: [Log.Level] = [.error, .warning, .notice, .info, .debug]
    #expect(Log.Level.words.map { Log.Level(word: [UInt8]($0)) } == levels)
    #expect(levels.map(\.rawValue) == [3, 4, 5, 6, 7])
    #expect(Log.Level(word: [UInt8]("Debug".utf8)) == nil)
  }
}

private func lineThroughPipe(
  isJournal: Bool = false, level: Log.Level = .info, _ write: (Log) -> Void
) throws -> String {
  var ends: [Int32] = [-1, -1]
  try #require(unsafe pipe(&ends) == 0)
  if isJournal {
    var status = stat()
    try #require(unsafe fstat(ends[1], &status) == 0)
    unsafe setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
  }
  return try line(to: ends[1], readFrom: ends[0], level: level, write)
}

/// What a log writes where standard error is `output`, read from the other side.
private func line(
  to output: Int32, readFrom reader: Int32, level: Log.Level = .info, _ write: (Log) -> Void
) throws -> String {
  try #require(dup2(output, STDERR_FILENO) == STDERR_FILENO)
  // No journal of this machine is written to.
  write(Log(level: level, journal: JournalSocket(Path("/nowhere/socket"))))
  var line: [UInt8] = []
  var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
  // A terminal hands it over in its own time.
  while line.last != UInt8(ascii: "\n"), unsafe poll(&ready, 1, 10_000) == 1 {
    var byte: UInt8 = 0
    try #require(unsafe read(reader, &byte, 1) == 1)
    line.append(byte)
  }
  // It makes two characters of the end of a line.
  return String(decoding: line, as: UTF8.self).replacing("\r\n", with: "\n")
}
