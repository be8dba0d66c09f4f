import Board
import Bytes
import CLinux
import HomeAssistant
import LinuxIO

/// Dialog with the person who types a command. Questions go to standard error: standard output is
/// for scripts.
struct Dialog {
  /// Maximum number of attempts at a question that gets invalid answers.
  private static let triesMax = 5

  private let terminal = Terminal.standardInput
  /// Whether each question is answered with yes (`--yes`).
  let isAlwaysYes: Bool

  /// Whether there is a person to ask.
  var isPossible: Bool { terminal != nil }

  func say(_ text: MessageText) {
    let line: MessageText = "\(text)\n"
    writeToTerminal(line.bytes, STDERR_FILENO)
  }

  /// Asks for a line that is not empty.
  func ask(_ question: MessageText) throws(CommandFailure) -> [UInt8] {
    for _ in 0..<Self.triesMax {
      let line = try answer(question, isSecret: false)
      let text = [UInt8](line.span.trimmed())
      if !text.isEmpty { return text }
    }
    throw Self.unanswered
  }

  /// Asks for a line; an empty one stands for `standard`.
  func ask(
    _ question: MessageText, orElse standard: [UInt8]
  ) throws(CommandFailure) -> [UInt8] {
    let line = try answer(question, isSecret: false)
    let text = [UInt8](line.span.trimmed())
    return text.isEmpty ? standard : text
  }

  /// Asks for a text that the terminal does not show. Returns it as typed, spaces included.
  func askSecret(_ question: MessageText) throws(CommandFailure) -> [UInt8] {
    for _ in 0..<Self.triesMax {
      let line = try answer(question, isSecret: true)
      if !line.isEmpty { return line }
    }
    throw Self.unanswered
  }

  /// Asks for one of `choices`, which the person counts from 1, and returns its index.
  func choose(
    _ question: MessageText, from choices: [MessageText]
  ) throws(CommandFailure) -> Int {
    for index in choices.indices { say("  \(index + 1)  \(choices[index])") }
    for _ in 0..<Self.triesMax {
      let line = try answer("\(question) [1-\(choices.count)]: ", isSecret: false)
      if let number = line.span.trimmed().decimalValue,
        (1...Int64(choices.count)).contains(number)
      {
        return Int(number) - 1
      }
      say("Write a number from 1 to \(choices.count).")
    }
    throw Self.unanswered
  }

  /// Asks for some of `choices`, which the person counts from 1, and returns their indices in
  /// ascending order. An empty line and the end of input select none of them; `--yes` selects all.
  func chooseSome(
    _ question: MessageText, from choices: [MessageText]
  ) throws(CommandFailure) -> [Int] {
    if isAlwaysYes { return [Int](choices.indices) }
    guard isPossible else { return [] }
    for index in choices.indices { say("  \(index + 1)  \(choices[index])") }
    for _ in 0..<Self.triesMax {
      guard let line = try read("\(question) [none]: ", isSecret: false) else { break }
      if let chosen = Self.selection(line.lowercasedASCII, of: choices.count) { return chosen }
      say("Write all, none, or numbers from 1 to \(choices.count) with spaces between them.")
    }
    return []
  }

  /// Returns the indices that an answer selects out of `count` choices; nil if it is not clear.
  static func selection(_ answer: [UInt8], of count: Int) -> [Int]? {
    let words = answer.split { $0 == UInt8(ascii: ",") || $0.isASCIISpace }
    if words.isEmpty { return [] }
    if words.count == 1, let word = words.first {
      if word.elementsEqual([UInt8]("none")) { return [] }
      if word.elementsEqual([UInt8]("all")) { return [Int](0..<count) }
    }
    var isChosen = [Bool](repeating: false, count: count)
    for word in words {
      guard let number = [UInt8](word).span.decimalValue, (1...Int64(count)).contains(number) else {
        return nil
      }
      isChosen[Int(number) - 1] = true
    }
    return isChosen.indices.filter { isChosen[$0] }
  }

  /// Asks for yes or no. `standard` is the answer for an empty line, or without a person.
  func confirm(_ question: MessageText, standard: Bool) throws(CommandFailure) -> Bool {
    if isAlwaysYes { return true }
    return try decide(question, standard: standard)
  }

  /// Asks a question that `--yes` does not answer.
  func decide(_ question: MessageText, standard: Bool) throws(CommandFailure) -> Bool {
    guard isPossible else { return standard }
    let choices: StaticString = standard ? " [Y/n]: " : " [y/N]: "
    for _ in 0..<Self.triesMax {
      guard let line = try read("\(question)\(choices)", isSecret: false) else { break }
      switch Text(line.span.trimmed()) {
      case "": return standard
      case "y", "Y", "yes", "Yes", "YES": return true
      case "n", "N", "no", "No", "NO": return false
      default: continue
      }
    }
    return standard
  }

  private static var unanswered: CommandFailure {
    CommandFailure(code: .noInput, text: "the question was not answered; nothing was changed")
  }

  private func answer(
    _ question: MessageText, isSecret: Bool
  ) throws(CommandFailure) -> [UInt8] {
    guard let line = try read(question, isSecret: isSecret) else { throw Self.unanswered }
    return line
  }

  /// Returns the line typed after `question`; nil at the end of input.
  @inline(never)
  private func read(
    _ question: MessageText, isSecret: Bool
  ) throws(CommandFailure) -> [UInt8]? {
    guard let terminal else { preconditionFailure("nobody is there to be asked") }
    writeToTerminal(question.bytes, STDERR_FILENO)
    let line: [UInt8]?
    do throws(Errno) {
      if isSecret { line = try terminal.readSecret() } else { line = try terminal.readLine() }
    } catch {
      throw CommandFailure(code: .noInput, text: "the terminal cannot be read: \(error)")
    }
    if line == nil { say("") }
    return line
  }
}

extension Dialog {
  /// Records that Home Assistant rejected a credential, and reports a failure to do so.
  func keep(rejected credential: Credential, in state: StateDirectory) {
    do throws(CommandFailure) {
      try state.keep(rejectedFingerprint: credential.fingerprint)
    } catch { say(error.text) }
  }
}
