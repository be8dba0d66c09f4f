import Board
import Bytes
import LinuxIO
import YAML

// What the board does once it is paired.

extension Provisioner {
  /// Stores the token for the agent. Only then, and if the board is paired, it is erased from the
  /// card: after a loss of power at any moment, one of both has it.
  func applyToken(_ token: [UInt8], of file: CardFile) {
    let stored = storedToken
    let isErased = token.span.starts(with: CardSettings.erased)
    guard isErased || Self.isRest(token, of: stored) || keep(token) else { return }
    guard isErased || isPaired else {
      return report.add(setting: "Token: it is erased from this card when the board is paired")
    }
    // A copy of the stored one may stand in a comment.
    if erase(token, and: stored, of: file) { report.add(setting: "Token: erased from this card") }
  }

  private func keep(_ token: [UInt8]) -> Bool {
    attempt("\(bytes: SystemFiles.Folder.state.path)/token") { () throws(Errno) in
      try system.write(
        token + [UInt8(ascii: "\n")], to: [UInt8](StateDirectory.tokenName), in: .state)
    }
  }

  /// The token that the agent has; empty without one, and if it cannot be read: a new one replaces
  /// it.
  private var storedToken: [UInt8] {
    let text = try? system.read([UInt8](StateDirectory.tokenName), in: .state)
    return text.map { [UInt8]($0.span.trimmed()) } ?? []
  }

  /// Whether a text is what a loss of power left of a token that was being erased: the card may
  /// have written any sector of it. Such a text never replaces the stored token.
  private static func isRest(_ text: [UInt8], of token: [UInt8]) -> Bool {
    let erased = [UInt8](CardSettings.erased)
    guard text.count <= token.count else { return false }
    return text.indices.allSatisfy {
      text[$0] == token[$0] || ($0 < erased.count && text[$0] == erased[$0])
    }
  }

  private var isPaired: Bool {
    let state = StateDirectory(system.path(of: .state))
    do throws(CommandFailure) { return try state.keptRegistration() != nil } catch { return false }
  }

  /// Overwrites both tokens in the bytes of the file: a new file would leave them on the card.
  /// The rest of a token is overwritten only when the card has the word `erased`, by which the next
  /// start sees that the rest is no token.
  private func erase(_ token: [UInt8], and stored: [UInt8], of file: CardFile) -> Bool {
    let word = [UInt8](CardSettings.erased)
    func places(of token: [UInt8]) -> [Range<Int>] {
      guard token.count > word.count else { return [] }
      return file.places(of: token).map { $0..<$0 + token.count }
    }
    let written = places(of: token)
    guard !written.isEmpty || token.count == word.count else {
      report.add(failure: "the token cannot be erased from homeward.yaml; remove its line on a PC")
      return false
    }
    let places = written + places(of: stored)
    guard !places.isEmpty else { return true }
    return attempt("homeward.yaml on the card") { () throws(Errno) in
      let opened = try Directory(opening: card).open(Path(CardFile.name), mode: .update)
      for place in places { try opened.writeAll(word.span, from: place.lowerBound) }
      try opened.synchronize()
      for place in places {
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: place.count - word.count)
        try opened.writeAll(blanks.span, from: place.lowerBound + word.count)
      }
      try opened.synchronize()
    }
  }

  /// Makes the root read-only from the next start on, if the board is paired; first it erases the
  /// token of a paired board, also if the root then stays writable. Throws the reason why the root
  /// stays as it is.
  func seal() throws(CommandFailure) {
    let problems = ProblemCollector(shownKeys: CardSettings.words)
    guard let file = try read() else {
      throw CommandFailure(code: .noInput, text: "homeward.yaml of the card cannot be read")
    }
    let settings = file.settings(problems)
    guard problems.isEmpty else {
      throw CommandFailure(code: .configuration, text: "homeward.yaml has mistakes")
    }
    guard isPaired else {
      throw CommandFailure(code: .unavailable, text: "this board is not paired yet")
    }
    if case .written(let token)? = settings?.token { applyToken(token, of: file) }
    if let failure = report.failure { throw failure }
    guard settings?.isWritable != true else {
      throw CommandFailure(code: .cannotCreate, text: "homeward.yaml says read_only: false")
    }
    // Elsewhere there may be no overlay, and the root stays writable; or there is one, and the
    // registration and the history, which have no partition of their own, are in memory.
    guard isSealing else {
      throw CommandFailure(
        code: .cannotCreate,
        text: "this system cannot keep its data on a read-only root; a card of deploy/image can")
    }
    var arguments: KernelArguments?
    do throws(Errno) { arguments = try readArguments() } catch { throw Self.unsealed("\(error)") }
    guard var arguments else { throw Self.unsealed("it names no root") }
    guard !arguments.isSealed else {
      throw CommandFailure(code: .cannotCreate, text: "the root is read-only already")
    }
    arguments.seal()
    do throws(Errno) {
      try Directory(opening: card).replace(
        Path(KernelArguments.fileName), with: arguments.text.span)
    } catch { throw Self.unsealed("\(error)") }
  }

  private static func unsealed(_ reason: MessageText) -> CommandFailure {
    CommandFailure(
      code: .inputOutput, text: "cmdline.txt on the card cannot be changed: \(reason)")
  }
}
