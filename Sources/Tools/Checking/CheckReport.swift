import Board
import Bytes
import CLinux

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

struct CheckReport {
  /// Whether a person sees each finding as soon as it is made.
  let isShown: Bool
  private(set) var findings: [Finding] = []
  /// Version of Home Assistant; nil until it reports one.
  var version: Text?

  /// Stores a finding, and shows it unless it has a problem: those come at the end, so that a short
  /// terminal still has them.
  @inline(never)
  mutating func append(_ finding: Finding) {
    findings.append(finding)
    if isShown, finding.problem == nil { show(finding.lines) }
  }

  /// Shows the findings with a problem, then their number.
  func showEnd() {
    guard isShown else { return }
    let wrong = findings.filter { $0.problem != nil }
    for finding in wrong { show(finding.lines) }
    let verb: StaticString = wrong.count == 1 ? "is" : "are"
    let count: MessageText =
      wrong.isEmpty
      ? "Nothing is wrong.\n" : "\(wrong.count) of \(findings.count) \(verb) wrong.\n"
    show(count.bytes)
  }

  @inline(never)
  private func show(_ lines: [UInt8]) {
    writeToTerminal(lines.wrappedForOutput.withVerdictsColored(on: STDOUT_FILENO), STDOUT_FILENO)
  }

  /// Exit code of the first problem; later ones may be its consequences.
  var code: ExitCode {
    for finding in findings { if let problem = finding.problem { return problem.code } }
    return .success
  }

  var json: [UInt8] {
    jsonLine { line in
      line.appendMember("is_well", code == .success)
      if let version { line.appendMember("version", version.bytes.span) }
      line.appendMember("findings", objects: findings) { $0.writeMembers(into: &$1) }
    }
  }
}

extension Finding {
  /// Line of the finding; a problem adds who is at fault and what to do:
  ///
  ///     ok     server         http://192.168.1.5:8123 answers
  ///     WRONG  encryption     Home Assistant dropped our message …
  ///              at fault     Home Assistant
  ///              what to do   homeward pair
  var lines: [UInt8] {
    var lines = StatusLines(subjectWidth: 15)
    lines.append(problem != nil ? .wrong : remedy != nil ? .neither : .well, subject, text)
    if let problem { lines.append(more: "at fault", "\(problem.culprit.words)") }
    if let remedy { lines.append(more: "what to do", remedy) }
    return lines.bytes
  }

  fileprivate func writeMembers(into line: inout ByteBuffer) {
    line.appendMember("subject", subject)
    line.appendMember("is_well", problem == nil)
    if let problem {
      line.appendMember("cause", problem.cause)
      line.appendMember("at_fault", problem.culprit.code)
    }
    line.appendMember("text", text.bytes.span)
    if let remedy { line.appendMember("remedy", remedy.bytes.span) }
  }
}
