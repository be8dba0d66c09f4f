import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox

/// Source of the text of the configuration.
final class ConfigurationInput {
  let file: [UInt8]
  /// Text that the last start of this process judged, or that came from standard input, which can
  /// be read only once; nil if the file is read.
  private var kept: [UInt8]?
  /// Whether the last start of this process was successful and handed the text on.
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

  /// Returns an input with the present contents of the file.
  func asItIsNow() throws(CommandFailure) -> ConfigurationInput {
    ConfigurationInput(file, text: try Configuration.text(of: file))
  }

  /// Makes the next access read the file.
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

  /// Outputs, even if the configuration is wrong elsewhere; empty if it cannot be read.
  var outputs: [OutputSettings] { (try? text()).map { Configuration.outputs(in: $0) } ?? [] }
}

/// The prerequisites for the agent's work with a configuration.
final class Preparation {
  /// Time between two attempts of an agent that worked before.
  static let retryInterval: Duration = .seconds(10)

  let configuration: Configuration
  let state: StateDirectory
  let registration: Registration?
  /// Decision for a person, if another board was paired with this state directory; otherwise nil.
  let otherBoardWords: MessageText?

  /// `held` is the directory that this agent already has, if any.
  init(
    _ input: ConfigurationInput, held: StateDirectory? = nil, telling log: Log
  ) throws(CommandFailure) {
    var (configuration, flaws) = try input.configuration().findingLines()
    for flaw in flaws { log.warning(flaw) }
    for warning in configuration.warnings(of: input.file) { log.warning(warning) }
    if let held, held.path.bytes == configuration.stateDirectory {
      state = held
    } else {
      state = try StateDirectory.open(configuration.stateDirectory)
    }
    if configuration.homeAssistant.tokenFile == nil {
      configuration.homeAssistant.tokenFile = configuration.tokenFile(unlessPairedIn: state)
      configuration.homeAssistant.isTokenFileUnnamed = true
    }
    self.configuration = configuration
    var kept = try state.keptRegistration()
    let identity = DeviceIdentity(host: configuration.host)
    if var registration = kept, identity.complete(&registration) {
      // On a read-only disk the next start repeats this.
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

/// A wait before the work, with the outputs held safe.
struct SafeWait {
  let loop: EventLoop
  let signals: Signals
  let held: HeldOutputs

  /// Waits for this time, unless the agent is asked to stop or to reload its configuration.
  func pass(_ duration: Duration) throws(Errno) {
    let end = Moment.now.instant + duration
    while Moment.now.instant < end, !signals.isStopRequested, !signals.hasReloadRequest {
      try loop.turn(until: earliest(held.deadline(now: Moment.now.instant), end))
      held.retry()
    }
  }
}

/// The restart of an agent that reloads its configuration, with the text that was judged:
/// everything that it needs is prepared before anything is stopped.
struct Restart: ~Copyable {
  private let next: NextStart
  private let state: StateDirectory

  /// Prepares the restart; nil if the agent cannot continue with the present configuration. The
  /// reason is then reported, and the agent continues unchanged.
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
      return "the registration cannot be saved to disk yet and would be lost"
    }
    let unkept = driver.uplink.unkeptEntryCount
    guard unkept > 0 else { return nil }
    return "\(entries: unkept) cannot be saved to disk yet and would be lost; free disk space, or"
      + " restart the agent to discard them"
  }

  /// Restarts the program. Returns the error if the kernel rejects that.
  consuming func perform() -> Errno { state.perform(next) }
}
