public import Bytes
public import Outbox
import Sensing

extension CommandProblem {
  /// Reason why a command was not executed, and the remedy, for people.
  public var words: MessageText {
    switch self {
    case .unknownCommand: "this agent does not know this command"
    case .notAllowed: "the configuration does not allow it (commands)"
    case .notConfirmed:
      "Home Assistant did not accept the confirmation, and may have reported to the sender that the"
        + " command did not arrive"
    case .repeated: "a command with this id arrived before"
    case .tooMany: "too many results wait for Home Assistant"
    case .wrongData(let key): "\(key.text) of its data is missing or invalid"
    case .unknownOutput: "the configuration has no output of this name"
    case .noAnchorWatch: "the configuration has no anchor watch (location.anchor)"
    case .noReboot:
      "a reboot of the board is not allowed; to allow it: sudo systemctl enable --now"
        + " homeward-reboot.path"
    case .tooSoon: "the board started a moment ago"
    case .outputFailed: "the line could not be switched, or does not follow"
    case .noFix: "there is no usable fix"
    }
  }
}
