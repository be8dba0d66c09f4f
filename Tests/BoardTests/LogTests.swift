import Foundation
import Testing

@testable import Board

@Suite struct LogTests {
  /// The log of a process goes to its standard error: this is a process of its own.
  @Test func escapeCodesAreOnlyForATerminalWhosePersonWantsColors() async {
    await #expect(processExitsWith: .success) {
      var screen: Int32 = -1
      var terminal: Int32 = -1
      try #require(unsafe openpty(&screen, &terminal, nil, nil, nil) == 0)
      var ends: [Int32] = [-1, -1]
      try #require(unsafe pipe(&ends) == 0)

      /// What `error` writes where standard error is `output`, read from the other side.
      func written(to output: Int32, readFrom reader: Int32) throws -> String {
        try #require(dup2(output, STDERR_FILENO) == STDERR_FILENO)
        Log().error("too hot")
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

      for name in ["JOURNAL_STREAM", "NO_COLOR"] { unsafe unsetenv(name) }
      let colored = try written(to: terminal, readFrom: screen)
      #expect(colored == "\u{1B}[31mtoo hot\u{1B}[0m\n", "a terminal: \(colored.debugDescription)")
      let piped = try written(to: ends[1], readFrom: ends[0])
      #expect(piped == "too hot\n", "a pipe: \(piped.debugDescription)")
      unsafe setenv("NO_COLOR", "1", 1)
      let plain = try written(to: terminal, readFrom: screen)
      #expect(plain == "too hot\n", "NO_COLOR: \(plain.debugDescription)")
    }
  }
}
