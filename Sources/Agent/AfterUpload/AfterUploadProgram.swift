import Board
import Bytes
import LinuxIO
import Outbox

/// Performs what an `AfterUpload` wants: starts the program, tells its output, and ends it.
final class AfterUploadProgram {
  /// How long the agent, when it ends, waits for a program that it has asked to.
  private static let stopTimeout: Duration = .seconds(2)

  private(set) var machine: AfterUpload
  private let settings: AfterUploadSettings
  private let loop: EventLoop
  private let reporter: Reporter
  /// When a board that was switched off after the last upload had to be on again; nil where nothing
  /// would switch it on.
  private var nextWake: WallTime?
  private var program: ChildProgram?
  private var watches: [Watch] = []
  private var output = ProgramOutput()
  private var buffer = ByteBuffer(capacity: 4096)

  init(_ settings: AfterUploadSettings, loop: EventLoop, reporter: Reporter) {
    self.settings = settings
    self.loop = loop
    self.reporter = reporter
    machine = AfterUpload(timeout: settings.timeout)
  }

  /// - Parameter nextWake: when a board that is switched off now has to be on again; nil where
  ///   nothing would switch it on.
  func uploadProven(nextWake: WallTime?) {
    self.nextWake = nextWake
    machine.uploadProven()
    perform()
  }

  func deadlineReached(now: Instant) {
    machine.deadlineReached(now: now)
    perform()
  }

  /// The agent is about to end: a program that runs is asked to end, too, and not waited for long.
  func stop() {
    machine.stopping(now: Moment.now.instant)
    perform()
    if machine.isAwaited { endNow() }
    takeEnd()
  }

  /// Waits for a program that was asked to end, and then no longer.
  private func endNow() {
    guard let program, !program.hasEnded(within: Self.stopTimeout) else { return }
    program.kill()
    _ = program.hasEnded(within: Self.stopTimeout)
  }

  // MARK: What the machine wants

  private func perform() {
    while let action = machine.nextAction() {
      switch action {
      case .start: start()
      case .terminate: program?.terminate()
      case .kill: program?.kill()
      case .tell(let ending): reporter.programEnded(ending, settings)
      }
    }
  }

  private func start() {
    do throws(ProgramFlaw) {
      try startIfGood()
      machine.started(now: Moment.now.instant)
    } catch {
      // The loop may have no room for one that was started.
      program?.kill()
      endNow()
      _ = program?.takeEnding()
      endWatching()
      machine.startFailed()
      reporter.programNotStarted(error, settings)
    }
  }

  private func startIfGood() throws(ProgramFlaw) {
    if let flaw = flaw(ofProgramAt: settings.path, runBy: userOfProcess) { throw flaw }
    do throws(Errno) {
      let program = try ChildProgram(
        starting: settings.path, arguments: settings.arguments, environment: environment)
      self.program = program
      output = ProgramOutput()
      watches = [try loop.watch(program.process.number, for: .input, telling: self)]
      watches.append(try loop.watch(program.output.number, for: .input, telling: self))
    } catch { throw .kernel(error) }
  }

  /// All that it learns. The agent's own environment is not its business.
  private var environment: [[UInt8]] {
    var variables = [
      [UInt8]("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
      [UInt8]("HOMEWARD_UPLOAD=proven"),
    ]
    if let nextWake {
      let wake = Int(nextWake.nanoseconds / 1_000_000_000)
      variables.append(("HOMEWARD_NEXT_WAKE=\(wake)" as MessageText).bytes)
    }
    return variables
  }

  // MARK: What the program does

  private func readOutput() {
    guard let program else { return }
    buffer.removeAll()
    do throws(Errno) {
      switch try program.output.read(into: &buffer) {
      case .bytes: output.read(buffer.bytes)
      case .wouldBlock: return
      case .end: stopWatchingOutput()
      }
    } catch { stopWatchingOutput() }
    tellOutput()
  }

  private func tellOutput() {
    while let line = output.takeLine() { reporter.programSays(line) }
  }

  private func stopWatchingOutput() {
    guard watches.count == 2 else { return }
    loop.stop(watches.removeLast())
  }

  private func takeEnd() {
    guard let program, let ending = program.takeEnding() else { return }
    // What it wrote last; its process group is ended, so that there is no end of it only where a
    // process of another group has the pipe.
    for _ in 0..<16 where watches.count == 2 { readOutput() }
    output.ended()
    tellOutput()
    reporter.programOutputDropped(output.droppedCount)
    endWatching()
    machine.ended(AfterUpload.Ending(ending))
    perform()
  }

  private func endWatching() {
    for watch in watches { loop.stop(watch) }
    watches = []
    program = nil
  }
}

extension AfterUploadProgram: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    if descriptor == program?.process.number { takeEnd() } else { readOutput() }
  }
}

extension AfterUpload.Ending {
  init(_ ending: ChildProgram.Ending) {
    self =
      switch ending {
      case .exited(let status): .exited(status: status)
      case .signaled(let signal): .signaled(signal)
      }
  }
}
