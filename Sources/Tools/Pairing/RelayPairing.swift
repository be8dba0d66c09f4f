import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import YAML

/// Pairing of a board that Home Assistant knows with a push relay.
///
/// The key of the board is made, the relay gets its public half with the first request, the token
/// is stored, and the configuration gets a line. The agent then registers the relay in Home
/// Assistant.
struct RelayPairing {
  let options: PairingOptions
  private let dialog: Dialog

  init(_ options: PairingOptions) {
    self.options = options
    dialog = Dialog(isAlwaysYes: options.isYes)
  }

  func run(with address: [UInt8]) throws(CommandFailure) {
    let url: [UInt8]
    do throws(Refusal) { url = try serverURL(address) } catch {
      throw CommandFailure(code: .usage, text: "\(error.problem); \(error.remedy)")
    }
    guard let existing = try Configuration.readIfThere(from: options.configuration) else {
      throw CommandFailure(
        code: .noInput,
        text: "\(Path(options.configuration)) does not exist; first pair this board with Home"
          + " Assistant: \(Arguments.command("pair"))")
    }
    let state = try StateDirectory.open(existing.stateDirectory)
    guard try state.keptRegistration() != nil else {
      throw CommandFailure(
        code: .unavailable,
        text: "this board is not paired with Home Assistant; pair it first:"
          + " \(Arguments.command("pair"))")
    }
    let push = settings(url, existing)
    let token = try token()
    let answer = try ask(push, token, try state.keptPushKeys())
    dialog.say("The relay knows this board. Notifications that wait there: \(answer.count).")
    try state.keep(token)
    try addToConfiguration(push, existing)
    dialog.say(
      "The agent tells Home Assistant at its next start. Next: sudo systemctl restart homeward")
  }

  private func settings(
    _ url: [UInt8], _ existing: Configuration
  ) -> Configuration.PushSettings {
    let file = Path(existing.stateDirectory) / StateDirectory.relayTokenName
    return Configuration.PushSettings(
      url: url, tokenFile: file.bytes,
      authorityFile: options.authorityFile ?? existing.push?.authorityFile)
  }

  private func tokenText() throws(CommandFailure) -> [UInt8] {
    if case .tokenFile(let file) = options.source { return try LoginRequest.readToken(file) }
    guard dialog.isPossible else {
      throw CommandFailure(
        code: .usage,
        text: "there is no terminal to ask for the token of the relay at; give it with"
          + " --token-file FILE, or --token-file - for standard input")
    }
    return try dialog.askSecret(
      "Token of this board, from homeward-relay token add on the relay: ")
  }

  private func token() throws(CommandFailure) -> PushRelayToken {
    let text = try tokenText()
    guard let token = PushRelayToken([UInt8](text.span.trimmed())) else {
      throw CommandFailure(
        code: .dataError,
        text: "that is not a token of a push relay: homeward-relay token add NAME prints one, of 43"
          + " characters, as \"token\"")
    }
    return token
  }

  private func ask(
    _ push: Configuration.PushSettings, _ token: PushRelayToken, _ keys: PushKeys
  ) throws(CommandFailure) -> PushFetch.Answer {
    switch try askRelay(push, token, keys, loop: .forCommand()) {
    case .success(let answer): return answer
    case .failure(let problem):
      throw CommandFailure(
        code: problem.exitCode, text: "the relay at \(bytes: push.url): \(problem.words)")
    }
  }

  // MARK: The configuration

  private func addToConfiguration(
    _ push: Configuration.PushSettings, _ existing: Configuration
  ) throws(CommandFailure) {
    guard existing.push != push else { return }
    let file = Path(options.configuration)
    let authorities: MessageText = push.authorityFile.map { ", ca_file: \(yaml: $0)" } ?? ""
    let line: MessageText = "push: { relay: \(yaml: push.url)\(authorities) }"
    let advice: MessageText = "Write this line into \(file):\n\n\(line)\n"
    let old = try Configuration.text(of: options.configuration)
    let ending: StaticString = old.last == UInt8(ascii: "\n") ? "" : "\n"
    let added: MessageText = "\(ending)\(line)\n"
    let new = try? Configuration.parse(old + added.bytes)
    guard existing.push == nil, new?.push == push,
      try dialog.confirm("Add \"\(line)\" to \(file)?", standard: true)
    else { return dialog.say(advice) }
    do throws(Errno) {
      try appendWhole(added.bytes, to: Descriptor(opening: file, mode: .append), after: old.count)
    } catch { dialog.say("\(file) cannot be written: \(error). \(advice)") }
  }

  /// Appends a text to a file of this length, or nothing: a full disk may take a part of it.
  private func appendWhole(
    _ text: [UInt8], to file: borrowing Descriptor, after byteCount: Int
  ) throws(Errno) {
    do throws(Errno) {
      try file.writeAll(text.span)
      try file.synchronize()
    } catch {
      try? file.truncate(to: byteCount)
      throw error
    }
  }
}
