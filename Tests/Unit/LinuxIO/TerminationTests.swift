import CLinux
import LinuxIO
import Testing

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
