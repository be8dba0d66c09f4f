import Bytes
import CLinux
import LinuxIO
import Testing

/// What a process takes from its environment: each test is a process of its own.
@Suite struct ProcessTests {
  @Test func theWatchdogOfTheServiceManagerIsALengthOfTime() async {
    await #expect(processExitsWith: .success) {
      let directory = try TestDirectory()
      let socket = try makeDatagramSocket(at: "\(directory.name)/socket")
      let isNamed = try ServiceManager() != nil
      #expect(!isNamed && socket.number >= 0)
      unsafe setenv("NOTIFY_SOCKET", "\(directory.name)/socket", 1)
      func timeout(_ text: String) throws -> Duration? {
        unsafe setenv("WATCHDOG_USEC", text, 1)
        guard let manager = try ServiceManager() else { return .zero }
        return manager.watchdogTimeout
      }
      #expect(try timeout("400000") == .milliseconds(400))
      #expect(try timeout("0") == nil)
      #expect(try timeout("-400000") == nil)
      #expect(try timeout("9223372036854775807") == nil, "longer than a number of nanoseconds")
      unsafe setenv("WATCHDOG_PID", "1", 1)
      #expect(try timeout("400000") == nil, "that of another process")
    }
  }

  /// A variable of the person's, or of another program, must not close an input of this process.
  @Test func theConfigurationIsNotTakenFromAStandardDescriptor() async {
    await #expect(processExitsWith: .success) {
      let directory = try TestDirectory()
      try directory.write([UInt8]("every: 10s\n".utf8), to: "file")
      func taken(as number: Int32) throws -> [UInt8]? {
        let file = try Descriptor(opening: directory.path("file"), mode: .read)
        try check(dup2(file.number, number) == number ? 0 : -1)
        unsafe setenv("HOMEWARD_CONFIGURATION", "\(number)", 1)
        return takeHandedOnText(byteCountMax: 100)
      }
      #expect(try taken(as: STDIN_FILENO) == nil)
      #expect(try taken(as: 57) == [UInt8]("every: 10s\n".utf8))
      #expect(takeHandedOnText(byteCountMax: 100) == nil, "once")
    }
  }
}

/// SIGTERM, where the process takes notice of it and where it hangs.
@Suite struct TerminationTests {
  @Test func aProcessThatHangsIsEndedAndSaysSo() async {
    let result = await #expect(
      processExitsWith: .exitCode(128 + SIGTERM), observing: [\.standardErrorContent]
    ) {
      let signals = try Descriptor.signals()
      raise(SIGTERM)
      // As if most of its time were over.
      guard alarm(1) > 0 else { _exit(1) }
      while signals.number >= 0 { pause() }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("homeward: it hangs, was asked to end (SIGTERM), and is ended"))
  }

  @Test func aProcessThatTakesNoticeHasTheSameTimeForItsEnd() async {
    await #expect(processExitsWith: .success) {
      let signals = try Descriptor.signals()
      raise(SIGTERM)
      guard signals.nextSignal() == SIGINT, signals.nextSignal() == nil, alarm(0) > 1 else {
        _exit(1)
      }
    }
  }

  @Test func anEndThatHangsIsEndedToo() async {
    await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
      let signals = try Descriptor.signals()
      raise(SIGTERM)
      guard signals.nextSignal() == SIGINT, alarm(1) > 0 else { _exit(1) }
      while signals.number >= 0 { pause() }
    }
  }
}
