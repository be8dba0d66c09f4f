import Board
import Bytes
import CLinux
import LinuxIO

/// Screen of `homeward status --watch`: asks the agent repeatedly, and draws the answers.
///
/// It wakes for a key, a signal, an answer, and the next question. Between two questions it draws
/// only in response to the person.
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
  /// Part of the picture that the terminal has not accepted yet. The next picture waits for it.
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

  /// Runs until the person quits; the terminal is then as it was.
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
        question = StatusQuestion(client, loop: loop, now: now)
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

  /// Continues after a failure that may pass: an agent may be started, and a hanging one may
  /// recover.
  private func takeOutcome() throws(CommandFailure) {
    guard let outcome = question?.outcome else { return }
    question = nil
    isDue = true
    do throws(CommandFailure) {
      screen.answered(try outcome.get(), at: .now)
    } catch  where error.code == .unavailable || error.code == .temporaryFailure {
      screen.unanswered(error.text, at: .now)
    }
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

  /// Writes as much as the terminal accepts now. It does not wait for a terminal that accepts
  /// nothing, as when its flow is stopped: the person may want to quit.
  private func write() {
    do throws(Errno) {
      while !unwritten.isEmpty {
        unwritten.removeFirst(try Terminal.writeToScreen(unwritten.span))
      }
      stopWaiting()
    } catch .wouldBlock {
      waitForTerminal()
    } catch {
      // A terminal that is gone accepts no message about it either.
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
    // A keyboard that is gone sends no keys.
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
    // The cause of the stop, such as SIGSTOP, may have changed the terminal.
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
    // Its deadline may have passed, without a fault of the agent.
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
