import Bytes
import CLinux
public import HomeAssistant
public import LinuxIO
public import Outbox

/// The version of Homeward; the newest entry of `deploy/debian/changelog` has the same.
public let homewardVersion: StaticString = "0.1.0"

/// User agent in Home Assistant's log.
public var homewardUserAgent: [UInt8] { [UInt8]("Homeward/") + [UInt8](homewardVersion) }

/// The exit code of the program, as in `sysexits.h`. The same state of the board has the same code
/// in every command.
public enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case usage = 64
  case dataError = 65
  case noInput = 66
  case unavailable = 69
  case osError = 71
  case systemFile = 72
  case cannotCreate = 73
  case inputOutput = 74
  case temporaryFailure = 75
  case protocolError = 76
  case noPermission = 77
  case configuration = 78

  /// Meaning of the code, for people. A line of the help has 80 columns; the text begins in the
  /// seventh.
  public var meaning: StaticString {
    switch self {
    case .success: "done; the help of each command has the details"
    case .usage:
      """
      the command line is wrong, a question needs a terminal, or its answer
            was no
      """
    case .dataError:
      """
      a file of Homeward is damaged, or Home Assistant rejects a message or
            a request
      """
    case .noInput:
      """
      a file or a directory does not exist, or cannot be read or written,
            or a question was not answered
      """
    case .unavailable:
      """
      this board is not paired, or was deleted in Home Assistant; with
            status: no agent runs
      """
    case .osError: "this machine lacks something, such as memory or a good power supply"
    case .systemFile:
      """
      this board does not know the time, so an alarm cannot be set: do not
            switch it off
      """
    case .cannotCreate: "the file already exists, or cannot be created"
    case .inputOutput: "a sensor cannot be read, or the output cannot be written"
    case .temporaryFailure:
      """
      Home Assistant cannot be reached, or does not have everything yet, or
            another homeward is running; try again
      """
    case .protocolError:
      """
      Home Assistant cannot open the messages of this board; pair the board
            again
      """
    case .noPermission:
      """
      Home Assistant rejects this address or the login, or a file is only
            for the agent and root: use sudo
      """
    case .configuration: "the configuration is wrong; each mistake is reported with its line"
    }
  }
}

// Exit codes for the states of the board and of Home Assistant.

extension ServerRefusal {
  public var exitCode: ExitCode { isLasting ? .noPermission : .temporaryFailure }
}

extension OutageCause {
  public var exitCode: ExitCode {
    switch self {
    case .gone: .unavailable
    case .dropped, .otherKey, .encryptionRequired: .protocolError
    case .server(let refusal): refusal.exitCode
    case .badRequest: .dataError
    case .noConnection, .notLive, .noRoute, .unreadableAnswer, .otherAnswer: .temporaryFailure
    }
  }
}

extension ConnectionFailure {
  public var exitCode: ExitCode {
    if case .refused(.server(let refusal)) = self { refusal.exitCode } else { .temporaryFailure }
  }
}

extension Enrollment.TokenFlaw {
  public var exitCode: ExitCode {
    switch self {
    case .noFileNamed: .unavailable
    case .unreadable, .empty, .tooLarge, .notAToken, .hasByteOrderMark: .noInput
    case .credentialRejected, .notRenewed(.denied): .noPermission
    case .notRenewed(.server(let refusal)): refusal.exitCode
    case .withheld, .notRenewed(.noConnection): .temporaryFailure
    }
  }
}

extension Enrollment.Problem {
  public var exitCode: ExitCode {
    switch self {
    case .noToken(let flaw): flaw.exitCode
    case .tokenRejected: .noPermission
    case .server(let refusal): refusal.exitCode
    case .requestRejected: .dataError
    case .noConnection, .withoutEncryption: .temporaryFailure
    }
  }
}

/// SIGTERM, SIGINT and SIGHUP, as a descriptor of the loop.
public final class Signals: Watcher {
  public private(set) var isStopRequested = false
  public private(set) var hasReloadRequest = false
  private let descriptor: Descriptor
  /// Whether SIGHUP reloads. At a terminal SIGHUP means that the terminal is closed, and with it
  /// its programs.
  private let reloads: Bool

  /// Watches the signals. With `reloads`, SIGHUP asks a process without a terminal to reload its
  /// configuration; otherwise it is another request to stop.
  public init(loop: EventLoop, reloads: Bool = false) throws(Errno) {
    descriptor = try Descriptor.signals()
    self.reloads = reloads && !hasControllingTerminal
    _ = try loop.watch(descriptor.number, for: .input, telling: self)
  }

  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    while let signal = self.descriptor.nextSignal() {
      if signal == SIGHUP, reloads { hasReloadRequest = true } else { isStopRequested = true }
    }
  }

  /// Returns whether the configuration has to be reloaded, and clears the request.
  public func takeReloadRequest() -> Bool {
    defer { hasReloadRequest = false }
    return hasReloadRequest
  }
}
