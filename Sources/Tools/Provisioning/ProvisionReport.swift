import Board
import Bytes
import YAML

/// Report of the provisioner, the same for the console and for the card. It names no time, so that
/// the card is not written without a change, and no secret.
struct ProvisionReport {
  static let fileName: StaticString = "homeward-card.txt"

  /// Whether the board starts each time with the root as it was when it became read-only.
  var isSealed = false
  private(set) var code = ExitCode.success
  private var mistakes: [MessageText] = []
  private var failures: [MessageText] = []
  private var notes: [MessageText] = []
  private var settings: [MessageText] = []

  /// Adds a mistake of the file; the first one decides the exit code.
  mutating func add(mistake: MessageText, _ code: ExitCode = .configuration) {
    if mistakes.isEmpty { self.code = code }
    mistakes.append(mistake)
  }

  mutating func add(_ problems: ProblemCollector) {
    let file = [UInt8](CardFile.name)
    if !problems.isEmpty {
      let lines = problems.errors.rendered(fileName: file).dropLast()
      add(mistake: MessageText(bytes: [UInt8](lines)))
    }
    for warning in problems.warnings {
      notes.append(MessageText(bytes: warning.rendered(fileName: file)))
    }
  }

  /// Adds what could not be written.
  mutating func add(failure: MessageText) {
    if code == .success { code = .inputOutput }
    failures.append(failure)
  }

  mutating func add(note: MessageText) { notes.append(note) }
  mutating func add(setting: MessageText) { settings.append(setting) }

  /// All failures as one; nil if everything was written.
  var failure: CommandFailure? {
    guard let first = failures.first else { return nil }
    let text = failures.dropFirst().reduce(first) { $0 + "\n" + $1 }
    return CommandFailure(code: .inputOutput, text: text)
  }

  /// Lines with a line feed each.
  var text: [UInt8] {
    let kept: MessageText =
      isSealed
      ? "What is wrong is as it was when the root became read-only."
      : "What is wrong was not changed on the board."
    var lines: [MessageText] = [
      mistakes.isEmpty ? "homeward.yaml is right." : "homeward.yaml has mistakes. \(kept)"
    ]
    for group in [mistakes, failures, notes, settings] where !group.isEmpty {
      lines.append("")
      lines += group
    }
    return lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
  }

  /// Lines as Windows ends them.
  var textForCard: [UInt8] {
    text.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
  }
}
