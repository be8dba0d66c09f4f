import Bytes
import CLinux
import Foundation
import LinuxIO
import TestRun
import Testing

@Suite(.timeLimit(.minutes(10))) struct TerminalTests {
  /// Both sides of a terminal without a person at it.
  private final class Pair: Sendable {
    private let terminal: PseudoTerminal
    let program: Int32

    init() throws {
      terminal = try PseudoTerminal()
      program = try terminal.opened()
    }

    deinit { close(program) }

    func type(_ text: String) { terminal.type(text) }
    var isEchoing: Bool { terminal.isEchoing }

    /// What the screen shows up to now; line ends are `\r\n` there.
    var screen: String {
      var ready = pollfd(fd: terminal.person, events: Int16(POLLIN), revents: 0)
      var shown: [UInt8] = []
      while unsafe poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLIN) != 0 {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(terminal.person, &bytes, bytes.count)
        guard count > 0 else { break }
        shown += bytes[..<count]
      }
      return String(decoding: shown, as: UTF8.self)
    }

    /// Types as soon as the program has hidden what is typed. A thread of its own does it: the one
    /// of the test reads meanwhile.
    func typeOnceHidden(_ text: String) {
      Thread.detachNewThread { [self] in
        while isEchoing { usleep(1000) }
        type(text)
      }
    }
  }

  @Test func aPipeIsNoTerminal() {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe2(&ends, O_CLOEXEC) == 0)
    #expect(Terminal(ends[0]) == nil)
    for end in ends { close(end) }
  }

  @Test func aLineIsReadWithoutItsEnd() throws {
    let pair = try Pair()
    let terminal = try #require(Terminal(pair.program))
    pair.type("Ann\n\nrest")
    #expect(try terminal.readLine() == [UInt8]("Ann".utf8))
    #expect(try terminal.readLine() == [])
    pair.type("\u{4}\u{4}")
    #expect(try terminal.readLine() == [UInt8]("rest".utf8))
    pair.type("\u{4}")
    #expect(try terminal.readLine() == nil)
    #expect(pair.screen.hasPrefix("Ann\r\n"))
  }

  @Test func aSecretIsNotShown() throws {
    let pair = try Pair()
    let terminal = try #require(Terminal(pair.program))
    pair.type("early\n")
    // The kernel carries it over in its own time.
    var screen = ""
    while screen != "early\r\n" { screen += pair.screen }
    pair.typeOnceHidden("pass word\n")
    #expect(try terminal.readSecret() == [UInt8]("pass word".utf8))
    #expect(pair.isEchoing, "what comes next is shown again")
    #expect(pair.screen == "\r\n", "only the end of the line")
  }

  /// The rest would answer the next question, or be a command of the shell.
  @Test func ofAPasteWithSeveralLinesOnlyTheFirstCounts() throws {
    let pair = try Pair()
    let terminal = try #require(Terminal(pair.program))
    pair.typeOnceHidden("one\ny\nrm\n")
    #expect(try terminal.readSecret() == [UInt8]("one".utf8))
    pair.type("\u{4}")
    #expect(try terminal.readLine() == nil)
  }

  @Test func theEndOfInputIsNoSecret() throws {
    let pair = try Pair()
    let terminal = try #require(Terminal(pair.program))
    pair.typeOnceHidden("\u{4}")
    #expect(try terminal.readSecret() == nil)
    #expect(pair.isEchoing)
  }

  @Test func aLineThatIsTooLongIsCut() throws {
    let pair = try Pair()
    let terminal = try #require(Terminal(pair.program))
    pair.typeOnceHidden(String(repeating: "a", count: 2000) + "\n")
    #expect(try terminal.readSecret()?.count == Terminal.lineByteCountMax)
  }
}
