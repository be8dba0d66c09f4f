import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox

/// Where a run has the text of its configuration from.
final class ConfigurationInput {
  let file: [UInt8]
  /// What the last start of this process judged, or what standard input said, which can be read
  /// once; nil where the file is read.
  private var kept: [UInt8]?
  /// Whether the last start of this process was well, and handed the text on.
  let isHandedOn: Bool

  init(_ file: [UInt8]) {
    self.file = file
    kept = takeHandedOnText(byteCountMax: Configuration.fileByteCountMax)
    isHandedOn = kept != nil
  }

  private init(_ file: [UInt8], text: [UInt8]) {
    self.file = file
    kept = text
    isHandedOn = false
  }

  /// The same file as it is now.
  func asItIsNow() throws(CommandFailure) -> ConfigurationInput {
    ConfigurationInput(file, text: try Configuration.text(of: file))
  }

  /// From now on the file counts.
  func readAgain() { kept = nil }

  func text() throws(CommandFailure) -> [UInt8] {
    if let kept { return kept }
    let text = try Configuration.text(of: file)
    if Configuration.isStandardInput(file) { kept = text }
    return text
  }

  func configuration() throws(CommandFailure) -> Configuration {
    try .read(try text(), of: file, isJudged: isHandedOn && kept != nil)
  }

  /// The outputs, also of a configuration that is wrong elsewhere; none where it cannot be read.
  var outputs: [OutputSettings] { (try? text()).map { Configuration.outputs(in: $0) } ?? [] }
}

/// What a configuration needs before the agent can work by it.
struct Preparation {
  /// How often an agent that was well before tries again.
  static let retryInterval: Duration = .seconds(10)

  let configuration: Configuration
  let state: StateDirectory
  let registration: Registration?
  /// What a person has to decide where another board was paired with this state directory.
  let otherBoardWords: MessageText?

  /// `held` is the directory that this agent has already, if any.
  init(
    _ input: ConfigurationInput, held: StateDirectory? = nil, telling log: Log
  ) throws(CommandFailure) {
    let flaws: [MessageText]
    (configuration, flaws) = try input.configuration().findingLines()
    for flaw in flaws { log.warning(flaw) }
    for warning in configuration.warnings(of: input.file) { log.warning(warning) }
    if let held, held.path.bytes == configuration.stateDirectory {
      state = held
    } else {
      state = try StateDirectory.open(configuration.stateDirectory)
    }
    var kept = try state.keptRegistration()
    let identity = DeviceIdentity(host: configuration.host)
    if var registration = kept, identity.complete(&registration) {
      // On a disk that is read-only it is the same at the next start.
      try? state.write(registration)
      kept = registration
    }
    registration = kept
    otherBoardWords = kept.flatMap { [state] in identity.otherBoardWords(of: $0, in: state) }
    if registration?.isPlain == true, !configuration.homeAssistant.server.isPlainAllowed {
      throw state.registrationIsPlain
    }
  }
}

/// A wait before the work, in which outputs are held safe.
struct SafeWait {
  let loop: EventLoop
  let signals: Signals
  let held: HeldOutputs

  /// Waits so long, unless the agent is asked to stop, or to read its configuration again.
  func pass(_ duration: Duration) throws(Errno) {
    let end = Moment.now.instant + duration
    while Moment.now.instant < end, !signals.isStopRequested, !signals.hasReloadRequest {
      try loop.turn(until: earliest(held.deadline(now: Moment.now.instant), end))
      held.retry()
    }
  }
}

/// The next start of an agent that reads its configuration again, by the text that was judged: all
/// that it needs is there before anything is stopped.
struct Restart: ~Copyable {
  private let next: NextStart
  private let state: StateDirectory

  /// Nil where the agent cannot go on with the configuration as it is now. The reason is told, and
  /// the agent goes on as it is.
  static func judged(
    _ input: ConfigurationInput, held: StateDirectory, _ driver: UplinkDriver,
    _ reporter: Reporter, log: Log
  ) -> Restart? {
    do throws(CommandFailure) {
      let wanted = try input.asItIsNow()
      let state = try Preparation(wanted, held: held, telling: log).state
      let next = try nextStart(try wanted.text())
      driver.keepEverything()
      if let words = whatWouldBeLost(driver) {
        throw CommandFailure(code: .noInput, text: words)
      }
      reporter.reloading()
      return Restart(next: next, state: state)
    } catch {
      reporter.reloadRefused(error.text)
      return nil
    }
  }

  private static func nextStart(_ text: [UInt8]) throws(CommandFailure) -> NextStart {
    do throws(Errno) { return try NextStart(handingOn: text) } catch {
      throw CommandFailure(
        code: .osError, text: "the program cannot be started again: \(error); restart the service")
    }
  }

  private static func whatWouldBeLost(_ driver: UplinkDriver) -> MessageText? {
    guard driver.uplink.hasKeptRegistration else {
      return "the registration cannot be kept on the disk yet, and would be lost"
    }
    let unkept = driver.uplink.unkeptEntryCount
    guard unkept > 0 else { return nil }
    return "\(entries: unkept) cannot be kept on the disk yet, and would be lost; make room there,"
      + " or restart the agent to go on without them"
  }

  /// Returns why the kernel does not start the program.
  consuming func perform() -> Errno { state.perform(next) }
}
