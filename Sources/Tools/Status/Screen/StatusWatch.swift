import Board
import Bytes
import CLinux
import LinuxIO

/// `homeward status --watch` at a terminal: asks the agent again and again, and draws what it says.
///
/// It wakes for a key, a signal, an answer, and to ask. Between two questions nothing is drawn but
/// what the person does.
final class StatusWatch: Watcher {
  private let client: StatusClient
  private let loop: EventLoop
  private let terminal: Terminal
  private let keyboard = Terminal.standardInput
  private let every: Duration
  private let signals: Descriptor
  private var screen: StatusScreen
  private var question: StatusQuestion?
  private var isEntered = false
  private var isOver = false
  /// Whether the picture may have changed.
  private var isDue = false
  /// What the terminal has not taken yet of the picture. A next one is drawn when it has it all.
  private var unwritten: [UInt8] = []
  private var takingWatch: LinuxIO.Watch?

  init(
    _ client: StatusClient, _ terminal: Terminal, _ look: ScreenLook, every: Duration
  ) throws(CommandFailure) {
    self.client = client
    self.terminal = terminal
    self.every = every
    loop = try EventLoop.forCommand()
    screen = StatusScreen(size: .ofTerminal, look: look, every: every, at: .now)
    do throws(Errno) { signals = try Descriptor.signals(ofTerminal: true) } catch {
      throw CommandFailure(code: .osError, text: "signals cannot be received: \(error)")
    }
  }

  /// Comes back when the person has had enough of it; the terminal is then as it was.
  func run() throws(CommandFailure) {
    defer {
      question?.cancel()
      Terminal.leaveScreen()
    }
    try listen()
    var next = Moment.now.instant
    while !isOver {
      let now = Moment.now.instant
      if question == nil, now >= next {
        next = now + every
        try ask(now)
      }
      question?.timePassed(now)
      try takeOutcome()
      if isDue, unwritten.isEmpty, isEntered || screen.isReady { try draw() }
      if !isOver { try loop.wait(until: question?.deadline ?? next) }
    }
  }

  private func listen() throws(CommandFailure) {
    do throws(Errno) {
      _ = try loop.watch(signals.number, for: .input, telling: self)
      if keyboard != nil {
        _ = try loop.watch(STDIN_FILENO, for: .input, telling: self)
      }
    } catch {
      throw CommandFailure(code: .osError, text: "the keyboard cannot be read: \(error)")
    }
  }

  // MARK: The agent

  private func ask(_ now: Instant) throws(CommandFailure) {
    do throws(CommandFailure) {
      question = try StatusQuestion(client, loop: loop, now: now)
    } catch {
      try failed(error)
    }
  }

  private func takeOutcome() throws(CommandFailure) {
    guard let outcome = question?.outcome else { return }
    question = nil
    switch outcome {
    case .failed(let failure): try failed(failure)
    case .answered(let status):
      screen.answered(status, at: .now)
      isDue = true
    }
  }

  /// An agent that does not run may be started, and one that hangs may go on.
  private func failed(_ failure: CommandFailure) throws(CommandFailure) {
    guard failure.code == .unavailable || failure.code == .temporaryFailure else { throw failure }
    screen.unanswered(failure.text, at: .now)
    isDue = true
  }

  // MARK: The terminal

  private func draw() throws(CommandFailure) {
    isDue = false
    if !isEntered {
      do throws(Errno) { try terminal.enterScreen() } catch {
        throw CommandFailure(code: .osError, text: "the terminal cannot be written: \(error)")
      }
      isEntered = true
      unwritten = [UInt8](Terminal.screenBeginning)
    }
    unwritten += screen.frame()
    write()
  }

  /// Writes what the terminal takes now. One that takes nothing, as where its flow is held up, is
  /// not waited for here: the person may want to end.
  private func write() {
    do throws(Errno) {
      while !unwritten.isEmpty {
        unwritten.removeFirst(try Terminal.writeToScreen(unwritten.span))
      }
      stopWaiting()
    } catch .wouldBlock {
      waitForTerminal()
    } catch {
      // A terminal that is gone takes no more, and wants no word about it.
      isOver = true
    }
  }

  private func waitForTerminal() {
    guard takingWatch == nil else { return }
    takingWatch = try? loop.watch(Terminal.screenDescriptor, for: .output, telling: self)
    if takingWatch == nil { isOver = true }
  }

  private func stopWaiting() {
    if let takingWatch { loop.stop(takingWatch) }
    takingWatch = nil
  }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    if descriptor == STDIN_FILENO { return readKeys() }
    if descriptor == Terminal.screenDescriptor { return write() }
    while let signal = signals.nextSignal() { obey(signal) }
  }

  private func readKeys() {
    // One that is gone has nothing more.
    let keys = (try? keyboard?.readKeys()) ?? []
    if keys.isEmpty || screen.typed(keys.span) { isOver = true }
    isDue = true
  }

  private func obey(_ signal: Int32) {
    switch signal {
    case SIGWINCH: screen.resized(to: .ofTerminal)
    case SIGTSTP:
      Terminal.leaveScreen()
      Terminal.stopProcess()
      wentOn()
    // What stopped the process, such as SIGSTOP, may have changed the terminal.
    case SIGCONT: wentOn()
    default: isOver = true
    }
    isDue = true
  }

  private func wentOn() {
    isEntered = false
    unwritten = []
    stopWaiting()
    screen.resized(to: .ofTerminal)
    // Its time may be over, and the agent has no part in that.
    question?.cancel()
    question = nil
  }
}

extension ScreenSize {
  fileprivate static var ofTerminal: ScreenSize {
    ScreenSize(columns: terminalColumns(STDOUT_FILENO), rows: terminalRows(STDOUT_FILENO))
  }
}

extension ScreenMoment {
  fileprivate static var now: ScreenMoment {
    let now = Moment.now
    return ScreenMoment(instant: now.instant, local: now.wallTime + now.wallTime.localOffset)
  }
}
