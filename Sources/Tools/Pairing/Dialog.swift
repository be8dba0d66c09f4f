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

  var isPossible: Bool { terminal != nil }

  func say(_ text: MessageText) {
    let line: MessageText = "\(text)\n"
    writeToTerminal(line.bytes, STDERR_FILENO)
  }

  func ask(_ question: MessageText) throws(CommandFailure) -> [UInt8] {
    try required(
      try answer(question) { line in
        let text = [UInt8](line.span.trimmed())
        return text.isEmpty ? nil : text
      })
  }

  func askOptional(_ question: MessageText) throws(CommandFailure) -> [UInt8] {
    try required(try answer(question) { [UInt8]($0.span.trimmed()) })
  }

  /// Asks for a text that the terminal does not show. Returns it as typed, spaces included.
  func askSecret(_ question: MessageText) throws(CommandFailure) -> [UInt8] {
    try required(try answer(question, isSecret: true) { $0.isEmpty ? nil : $0 })
  }

  /// Asks for one of `choices`, which the person counts from 1, and returns its index.
  func choose(
    _ question: MessageText, from choices: [MessageText]
  ) throws(CommandFailure) -> Int {
    show(choices)
    return try required(
      try answer(
        "\(question) [1-\(choices.count)]: ", hint: "Write a number from 1 to \(choices.count)."
      ) { Self.index([UInt8]($0.span.trimmed()), of: choices.count) })
  }

  private func show(_ choices: [MessageText]) {
    for index in choices.indices { say("  \(index + 1)  \(choices[index])") }
  }

  /// Returns the index of the choice with a number; nil if there is none.
  private static func index(_ word: [UInt8], of count: Int) -> Int? {
    guard let number = word.span.decimalValue, number > 0, number <= count else { return nil }
    return Int(number) - 1
  }

  /// Asks for some of `choices`, which the person counts from 1, and returns their indices in
  /// ascending order. An empty line and the end of input select none of them; `--yes` selects all.
  func chooseSome(
    _ question: MessageText, from choices: [MessageText]
  ) throws(CommandFailure) -> [Int] {
    if isAlwaysYes { return [Int](choices.indices) }
    guard isPossible else { return [] }
    show(choices)
    let chosen = try answer(
      "\(question) [none]: ",
      hint: "Write all, none, or numbers from 1 to \(choices.count) with spaces between them."
    ) { Self.selection($0.lowercasedASCII, of: choices.count) }
    return chosen ?? []
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
      guard let index = index([UInt8](word), of: count) else { return nil }
      isChosen[index] = true
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
    let isYes: Bool? = try answer("\(question)\(choices)") { line in
      switch Text(line.span.trimmed()) {
      case "": standard
      case "y", "Y", "yes", "Yes", "YES": true
      case "n", "N", "no", "No", "NO": false
      default: nil
      }
    }
    return isYes ?? standard
  }

  private func required<Value>(_ answer: Value?) throws(CommandFailure) -> Value {
    if let answer { return answer }
    throw CommandFailure(code: .noInput, text: "the question was not answered; nothing was changed")
  }

  /// Asks until `accept` returns a value, with `hint` after each other answer; nil at the end of
  /// input, or after too many attempts.
  private func answer<Value>(
    _ question: MessageText, isSecret: Bool = false, hint: MessageText? = nil,
    _ accept: ([UInt8]) -> Value?
  ) throws(CommandFailure) -> Value? {
    for _ in 0..<Self.triesMax {
      guard let line = try read(question, isSecret: isSecret) else { return nil }
      if let value = accept(line) { return value }
      if let hint { say(hint) }
    }
    return nil
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
