public import Sensing

/// Why a command was not carried out.
public enum CommandProblem: Error, Equatable, Sendable {
  /// The agent has no such command.
  case unknownCommand
  /// `commands` of the configuration does not list it.
  case notAllowed
  /// Home Assistant may have reported to its sender that the notification did not arrive.
  case notConfirmed
  /// A command with this `id` came before.
  case repeated
  /// The queue of results for Home Assistant is full.
  case tooMany
  /// A member of its `data` is missing or invalid.
  case wrongData(StaticText)
  /// The configuration has no output of this name.
  case unknownOutput
  /// The configuration wants no anchor watch.
  case noAnchorWatch
  /// The service may not reboot the board.
  case noReboot
  /// The board started a moment ago.
  case tooSoon
  /// The line could not be switched, or does not follow.
  case outputFailed
  /// No fix came.
  case noFix

  /// For scripts and automations.
  public var code: StaticString {
    switch self {
    case .unknownCommand: "unknown_command"
    case .notAllowed: "not_allowed"
    case .notConfirmed: "not_confirmed"
    case .repeated: "repeated"
    case .tooMany: "too_many"
    case .wrongData: "wrong_data"
    case .unknownOutput: "unknown_output"
    case .noAnchorWatch: "no_anchor_watch"
    case .noReboot: "no_reboot"
    case .tooSoon: "too_soon"
    case .outputFailed: "output_failed"
    case .noFix: "no_fix"
    }
  }

  /// Whether it was tried; else it was refused.
  public var wasTried: Bool {
    switch self {
    case .outputFailed, .noFix: true
    default: false
    }
  }
}
