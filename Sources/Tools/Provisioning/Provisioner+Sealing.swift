import Board
import Bytes
import LinuxIO
import YAML

// What the board does once it is paired.

extension Provisioner {
  /// Stores the token for the agent. Only then, and if the board is paired, it is erased from the
  /// card: after a loss of power at any moment, one of both has it.
  func applyToken(_ token: [UInt8], of file: CardFile) {
    guard !token.span.elementsEqual(CardSettings.erased) else {
      return report.add(setting: "Token: erased from this card")
    }
    let isKept = attempt("\(bytes: SystemFiles.Folder.state.path)/token") { () throws(Errno) in
      try system.write(
        token + [UInt8(ascii: "\n")], to: [UInt8](StateDirectory.tokenName), in: .state)
    }
    guard isKept else { return }
    guard isPaired else {
      return report.add(setting: "Token: it is erased from this card when the board is paired")
    }
    if erase(token, of: file) { report.add(setting: "Token: erased from this card") }
  }

  private var isPaired: Bool {
    let state = StateDirectory(system.path(of: .state))
    do throws(CommandFailure) { return try state.keptRegistration() != nil } catch { return false }
  }

  /// Overwrites the token in the bytes of the file: a new file would leave the old one on the card.
  private func erase(_ token: [UInt8], of file: CardFile) -> Bool {
    let places = file.places(of: token)
    guard !places.isEmpty else {
      report.add(failure: "the token cannot be erased from homeward.yaml; remove its line on a PC")
      return false
    }
    let erased = [UInt8](CardSettings.erased)
    let text = erased + [UInt8](repeating: UInt8(ascii: " "), count: token.count - erased.count)
    return attempt("homeward.yaml on the card") { () throws(Errno) in
      let opened = try Directory(opening: card).open(Path(CardFile.name), mode: .update)
      for place in places { try opened.writeAll(text.span, from: place) }
      try opened.synchronize()
    }
  }

  /// Makes the root read-only from the next start on, if the board is paired, and erases the token
  /// that is then not needed. Throws the reason why the root stays as it is.
  func seal() throws(CommandFailure) {
    let problems = ProblemCollector()
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
    guard settings?.isWritable != true else {
      throw CommandFailure(code: .cannotCreate, text: "homeward.yaml says read_only: false")
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
        KernelArguments.fileName, with: arguments.text.span)
    } catch { throw Self.unsealed("\(error)") }
  }

  private static func unsealed(_ reason: MessageText) -> CommandFailure {
    CommandFailure(
      code: .inputOutput, text: "cmdline.txt on the card cannot be changed: \(reason)")
  }
}
