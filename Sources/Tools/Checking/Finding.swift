import Board
import Bytes

/// One thing that `homeward check` looked at, and how it is.
struct Finding {
  /// Who has to do something.
  enum Culprit {
    case configuration
    case board
    case network
    case homeAssistant

    /// What a script calls it.
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
    /// What a script calls it, such as `gone`.
    let cause: StaticString
    let culprit: Culprit
    let code: ExitCode
    /// What a person can do; nil where the text of the finding says it.
    let remedy: MessageText?
  }

  /// Such as `encryption`.
  let subject: StaticString
  /// What was found. It begins with a capital letter or a name, and has no full stop.
  let text: MessageText
  /// Nil where all is well.
  let problem: Problem?
  /// What could be better where there is no problem; nil where nothing could.
  var advice: MessageText?

  // Each check of each command makes some: called, not copied.
  @inline(never)
  static func well(_ subject: StaticString, _ text: MessageText) -> Finding {
    Finding(subject: subject, text: text, problem: nil)
  }

  /// What is neither well nor a problem.
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
