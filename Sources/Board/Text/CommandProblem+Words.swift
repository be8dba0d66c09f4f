public import Bytes
public import Outbox
import Sensing

extension CommandProblem {
  /// Reason why a command was not executed, and the remedy, for people.
  public var words: MessageText {
    switch self {
    case .unknownCommand: "this agent knows no such command"
    case .notAllowed: "commands of the configuration does not allow it"
    case .notConfirmed:
      "Home Assistant did not take the confirmation, and may have told the sender that it did not"
        + " arrive"
    case .repeated: "a command with this id came before"
    case .tooMany: "too many results wait for Home Assistant"
    case .wrongData(let key): "\(key.text) of its data is missing, or is not what it should be"
    case .unknownOutput: "the configuration has no output of this name"
    case .noAnchorWatch: "the configuration has no anchor watch (location.anchor)"
    case .noReboot:
      "the board may not be rebooted; to allow it: sudo systemctl enable --now homeward-reboot.path"
    case .tooSoon: "the board started a moment ago"
    case .outputFailed: "the line could not be switched, or does not follow"
    case .noFix: "there is no fix that can be used"
    }
  }
}
