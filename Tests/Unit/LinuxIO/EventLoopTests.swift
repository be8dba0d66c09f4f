import Bytes
import CLinux
import FailingReads
import Foundation
import Synchronization
import Testing

@testable import LinuxIO

@Suite struct EventLoopTests {
  /// Remembers what it is told, and does what the test wants then.
  private final class Recorder: Watcher {
    private(set) var told: [(descriptor: Int32, readiness: Readiness)] = []
    var react: () -> Void = {}

    func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
      told.append((descriptor, readiness))
      react()
    }
  }

  /// A pipe with a byte in it or not, whose ends are numbers so that a test can close them.
  private final class Pipe {
    let reader: Int32
    let writer: Int32

    init(isReady: Bool) throws {
      (reader, writer) = try makePipe()
      if isReady { try fill() }
    }

    deinit {
      close(reader)
      close(writer)
    }

    func fill() throws {
      var byte: UInt8 = 1
      if unsafe write(writer, &byte, 1) != 1 { throw Errno(code: clinux_errno()) }
    }
  }

  /// Signals that this thread gets, again and again: one may come before it sleeps.
  private final class Interruptions: Sendable {
    private let isOver = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init() {
      _ = signal(SIGUSR1) { _ in }
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      unsafe sigaddset(&signals, SIGUSR1)
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let sleeper = pthread_self()
      Thread.detachNewThread { [self] in
        while !isOver.load(ordering: .relaxed) {
          pthread_kill(sleeper, SIGUSR1)
          usleep(1000)
        }
        hasEnded.signal()
      }
    }

    /// From now on none comes.
    func end() {
      isOver.store(true, ordering: .relaxed)
      hasEnded.wait()
    }
  }

  private let loop: EventLoop
  private let past = Instant(nanoseconds: 0)

  init() throws { loop = try EventLoop() }

  /// The timeout of a turn stands still while the board sleeps.
  @Test func aTurnEndsWhenTheClockJumpsAndSaysSoOnce() throws {
    let pipe = try Pipe(isReady: true)
    let loop = try EventLoop(clockWatch: Descriptor(owning: dup(pipe.reader)))
    var isSeenAfterSleep = false
    try loop.turn(until: nil) { isSeenAfterSleep = loop.takeClockJump() }
    #expect(isSeenAfterSleep)
    #expect(!loop.takeClockJump())
    try loop.turn(until: past)
    #expect(!loop.takeClockJump(), "notice was taken")
  }

  /// A pump is to be off by now.
  @Test func aDeadlineThatPassedInASleepIsPast() throws {
    let deadline = Moment.now.instant + .seconds(3600)
    let_board_sleep(3600)
    defer { let_board_sleep(-3600) }
    try loop.turn(until: deadline)
    #expect(Moment.now.instant >= deadline)
  }

  @Test func aTurnWithoutDescriptorsEndsAtItsDeadline() throws {
    try loop.turn(until: past)
    let deadline = Moment.now.instant + .milliseconds(20)
    try loop.turn(until: deadline)
    #expect(Moment.now.instant >= deadline, "it never ends early")
  }

  /// The turn would sleep until its deadline.
  @Test func anotherThreadWakesItUp() throws {
    let wakeUp = try WakeUp()
    let recorder = Recorder()
    _ = try loop.watch(wakeUp.number, for: .input, telling: recorder)
    recorder.react = { wakeUp.clear() }
    Thread.detachNewThread { wakeUp.signal() }
    try loop.turn(until: Moment.now.instant + .seconds(60))
    #expect(recorder.told.map(\.descriptor) == [wakeUp.number])
    try loop.turn(until: past)
    #expect(recorder.told.count == 1, "it is quiet until the next signal")
  }

  /// As by a debugger, or by Ctrl-Z and `fg`.
  @Test func anAgentThatIsInterruptedInItsSleepIsWellAndLooksAtTheClock() throws {
    let interruptions = Interruptions()
    defer { interruptions.end() }
    var hasLooked = false
    try loop.turn(until: nil) { hasLooked = true }
    #expect(hasLooked)
  }

  @Test func onlyWhoIsReadyIsTold() throws {
    let (ready, silent) = (try Pipe(isReady: true), try Pipe(isReady: false))
    let (first, second) = (Recorder(), Recorder())
    _ = try loop.watch(ready.reader, for: .input, telling: first)
    _ = try loop.watch(silent.reader, for: .input, telling: second)
    try loop.turn(until: nil)
    #expect(first.told.map(\.descriptor) == [ready.reader])
    #expect(first.told.first?.readiness == .input)
    #expect(second.told.isEmpty)
  }

  @Test func whatFollowsTheSleepComesBeforeTheWatchers() throws {
    let pipe = try Pipe(isReady: true)
    let recorder = Recorder()
    _ = try loop.watch(pipe.reader, for: .input, telling: recorder)
    var toldBefore: [Int] = []
    for _ in 0..<2 {
      try loop.turn(until: nil) { toldBefore.append(recorder.told.count) }
    }
    #expect(toldBefore == [0, 1])
    var wasCalled = false
    try EventLoop().turn(until: past) { wasCalled = true }
    #expect(wasCalled, "the deadline alone ends a sleep, too")
  }

  @Test func anotherReadinessTakesThePlaceOfTheFirst() throws {
    let ends = try makeSocketPair()
    let (near, far) = (ends.0, ends.1)
    defer {
      close(near)
      close(far)
    }
    let recorder = Recorder()
    let watch = try loop.watch(near, for: .input, telling: recorder)
    try loop.turn(until: past)
    #expect(recorder.told.isEmpty)
    try loop.change(watch, to: .output)
    try loop.turn(until: nil)
    #expect(recorder.told.map(\.readiness) == [.output])
    try loop.change(watch, to: [])
    try loop.turn(until: past)
    #expect(recorder.told.count == 1)
  }

  @Test func aHangUpIsToldEvenToWhoAsksForNothing() throws {
    let pipe = try makePipe()
    defer { close(pipe.read) }
    let recorder = Recorder()
    _ = try loop.watch(pipe.read, for: [], telling: recorder)
    close(pipe.write)
    try loop.turn(until: nil)
    let readiness = try #require(recorder.told.first?.readiness)
    #expect(!readiness.isDisjoint(with: .failure))
  }

  @Test func whoHasStoppedIsNotTold() throws {
    let pipe = try Pipe(isReady: true)
    let recorder = Recorder()
    let watch = try loop.watch(pipe.reader, for: .input, telling: recorder)
    loop.stop(watch)
    loop.stop(watch)
    try loop.change(watch, to: .input)
    try loop.turn(until: past)
    #expect(recorder.told.isEmpty)
  }

  @Test func whoIsStoppedByTheOtherInTheSameTurnIsNotTold() throws {
    let pipes = try (Pipe(isReady: true), Pipe(isReady: true))
    let (first, second) = (Recorder(), Recorder())
    let watches = [
      try loop.watch(pipes.0.reader, for: .input, telling: first),
      try loop.watch(pipes.1.reader, for: .input, telling: second),
    ]
    first.react = { [loop] in loop.stop(watches[1]) }
    second.react = { [loop] in loop.stop(watches[0]) }
    try loop.turn(until: nil)
    #expect(first.told.count + second.told.count == 1)
  }

  @Test func aStaleEventNeverReachesTheNextUserOfItsPlaceAndNumber() throws {
    // Both are ready in the same turn; the one that is told first gives the other's place, and the
    // other's descriptor number, to a newcomer.
    let (pipe, other) = (try Pipe(isReady: true), try makePipe())
    let (first, second, newcomer) = (Recorder(), Recorder(), Recorder())
    var byte: UInt8 = 1
    try #require(unsafe write(other.write, &byte, 1) == 1)
    _ = try loop.watch(pipe.reader, for: .input, telling: first)
    let watch = try loop.watch(other.read, for: .input, telling: second)
    let silent = try Pipe(isReady: false)
    var succession: Watch?
    first.react = { [loop] in
      guard succession == nil, second.told.isEmpty else { return }
      loop.stop(watch)
      dup3(silent.reader, other.read, O_CLOEXEC)
      succession = try? loop.watch(other.read, for: .input, telling: newcomer)
    }
    defer {
      close(other.read)
      close(other.write)
    }
    try loop.turn(until: nil)
    try #require(second.told.isEmpty, "the kernel tells in the order of becoming ready")
    try #require(succession != nil)
    #expect(newcomer.told.isEmpty)

    try silent.fill()
    first.react = {}
    try loop.turn(until: nil)
    #expect(newcomer.told.map(\.descriptor) == [other.read])
  }

  @Test func moreDescriptorsThanOneTurnTellsAreAllToldInTime() throws {
    let pipes = try (0..<40).map { _ in try Pipe(isReady: true) }
    let recorders = pipes.map { _ in Recorder() }
    for (pipe, recorder) in zip(pipes, recorders) {
      _ = try loop.watch(pipe.reader, for: .input, telling: recorder)
    }
    for _ in 0..<10 { try loop.turn(until: nil) }
    #expect(recorders.allSatisfy { !$0.told.isEmpty })
  }

  @Test func aPlaceIsUsedAgainWithoutEnd() throws {
    let pipe = try Pipe(isReady: true)
    let recorder = Recorder()
    for _ in 0..<EventLoop.watchesMax * 3 {
      loop.stop(try loop.watch(pipe.reader, for: .input, telling: recorder))
    }
    _ = try loop.watch(pipe.reader, for: .input, telling: recorder)
    try loop.turn(until: nil)
    #expect(recorder.told.count == 1)
  }

  @Test func whatCannotBeWatchedIsAnErrorAndTakesNoPlace() throws {
    let recorder = Recorder()
    for _ in 0..<EventLoop.watchesMax * 2 {
      #expect(throws: Errno(code: EBADF)) {
        try loop.watch(-1, for: .input, telling: recorder)
      }
    }
  }

  /// A radio, or another program, may wake the board at about the same time.
  @Test func aLongSleepMayEndWithOthersAndAShortOneIsExact() throws {
    // Of this thread, as the kernel has it (proc(5)).
    let file = "/proc/\(gettid())/timerslack_ns"
    func slack() throws -> Int? {
      Int(try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines))
    }
    // Another test may have left this thread patient.
    clinux_set_timer_slack(0)
    let standard = try slack()
    let loop = try EventLoop()
    let pipe = try Pipe(isReady: true)
    let recorder = Recorder()
    _ = try loop.watch(pipe.reader, for: .input, telling: recorder)
    try loop.turn(until: Moment.now.instant + .seconds(10))
    #expect(try slack() == 100_000_000)
    try loop.turn(until: Moment.now.instant + .seconds(1))
    #expect(try slack() == standard)
    #expect(recorder.told.count == 2)
  }
}
