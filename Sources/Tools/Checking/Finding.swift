import Board
import Bytes

/// Result of one step of `homeward check`.
struct Finding {
  /// Party that has to fix a problem.
  enum Culprit {
    case configuration
    case board
    case network
    case homeAssistant

    /// Name in the JSON output.
    var code: StaticString {
      switch self {
      case .configuration: "configuration"
      case .board: "board"
      case .network: "network"
      case .homeAssistant: "home_assistant"
      }
    }

    var words: StaticString {
      switch self {
      case .configuration: "the configuration"
      case .board: "this board"
      case .network: "the network"
      case .homeAssistant: "Home Assistant"
      }
    }
  }

  struct Problem {
    /// Name in the JSON output, such as `gone`.
    let cause: StaticString
    let culprit: Culprit
    let code: ExitCode
    /// Advice for a person; nil if the text of the finding contains it.
    let remedy: MessageText?
  }

  /// Name of the subject, such as `encryption`.
  let subject: StaticString
  /// Result in words. It begins with a capital letter or a name, and has no full stop.
  let text: MessageText
  /// Nil if all is well.
  let problem: Problem?
  /// Possible improvement if there is no problem; nil if there is nothing to improve.
  var advice: MessageText?

  // Every check calls these: not inlined, to save code.
  @inline(never)
  static func well(_ subject: StaticString, _ text: MessageText) -> Finding {
    Finding(subject: subject, text: text, problem: nil)
  }

  /// Creates a finding that is neither good nor a problem.
  @inline(never)
  static func note(
    _ subject: StaticString, _ text: MessageText, remedy: MessageText
  ) -> Finding {
    Finding(subject: subject, text: text, problem: nil, advice: remedy)
  }

  @inline(never)
  static func wrong(
    _ subject: StaticString, _ cause: StaticString, _ culprit: Culprit, _ code: ExitCode,
    _ text: MessageText, remedy: MessageText? = nil
  ) -> Finding {
    Finding(
      subject: subject, text: text,
      problem: Problem(cause: cause, culprit: culprit, code: code, remedy: remedy))
  }
}
