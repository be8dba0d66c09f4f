import Board
import Bytes

/// Result of one step of `homeward check`.
struct Finding {
  /// Party that has to fix a problem.
  struct Culprit {
    /// Name in the JSON output.
    let code: StaticString
    let words: StaticString

    static var configuration: Culprit {
      Culprit(code: "configuration", words: "the configuration")
    }
    static var board: Culprit { Culprit(code: "board", words: "this board") }
    static var network: Culprit { Culprit(code: "network", words: "the network") }
    static var homeAssistant: Culprit { Culprit(code: "home_assistant", words: "Home Assistant") }
  }

  struct Problem {
    /// Name in the JSON output, such as `gone`.
    let cause: StaticString
    let culprit: Culprit
    let code: ExitCode
  }

  /// Name of the subject, such as `encryption`.
  let subject: StaticString
  /// Result in words. It begins with a capital letter or a name, and has no full stop.
  let text: MessageText
  /// Nil if all is well.
  var problem: Problem?
  /// Advice for a person, or a possible improvement if there is no problem; nil if there is nothing
  /// to do, or the text contains it.
  var remedy: MessageText?

  // Every check calls these: not inlined, to save code.
  @inline(never)
  static func well(_ subject: StaticString, _ text: consuming MessageText) -> Finding {
    Finding(subject: subject, text: text)
  }

  /// Creates a finding that is neither good nor a problem.
  @inline(never)
  static func note(
    _ subject: StaticString, _ text: consuming MessageText, remedy: consuming MessageText
  ) -> Finding {
    Finding(subject: subject, text: text, remedy: remedy)
  }

  @inline(never)
  static func wrong(
    _ subject: StaticString, _ cause: StaticString, _ culprit: Culprit, _ code: ExitCode,
    _ text: consuming MessageText, remedy: consuming MessageText? = nil
  ) -> Finding {
    Finding(
      subject: subject, text: text, problem: Problem(cause: cause, culprit: culprit, code: code),
      remedy: remedy)
  }
}
