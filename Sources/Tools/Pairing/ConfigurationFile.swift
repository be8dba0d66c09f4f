import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Outbox
import Transport

/// The configuration file, as far as pairing has to do with it.
struct ConfigurationFile {
  let path: [UInt8]
  let dialog: Dialog

  let loop: EventLoop

  /// What became of it.
  enum Offer {
    case written
    /// It is there and says what was agreed upon, or the person does not want one.
    case asItIs
    /// The person has to change it before the agent starts.
    case toBeChanged
  }

  /// Offers to write one where there is none, or says what the one there says otherwise.
  func offer(
    _ existing: Configuration?, _ template: ConfigurationTemplate
  ) throws(CommandFailure) -> Offer {
    let file = Path(path)
    if let existing { return compare(existing, template) }
    let advice: MessageText = "Before the agent starts, write \(file):\n\n\(template.minimal)"
    let question: MessageText = "There is no \(file). Write one with this address?"
    guard dialog.isAlwaysYes || dialog.isPossible, try dialog.confirm(question, standard: true)
    else {
      dialog.say(advice)
      return .asItIs
    }
    let text = try text(template, of: .withoutFile)
    do throws(Errno) { try writeNewFile(at: file, text.bytes.span) } catch {
      dialog.say("\(file) cannot be written: \(error). \(advice)")
      return .asItIs
    }
    dialog.say("\(file) is written, with examples of what this board has.")
    return .written
  }

  /// What is written: with the sensors of this board that the person wants.
  func text(
    _ template: ConfigurationTemplate, of board: Configuration
  ) throws(CommandFailure) -> MessageText {
    let findings = try BoardFindings(
      for: board, loop: loop, screen: Terminal(STDERR_FILENO) != nil ? STDERR_FILENO : nil)
    let readable = findings.sensors.indices.filter { findings.sensors[$0].isReadable }
    guard !readable.isEmpty else { return template.text(with: findings) }
    let chosen = try dialog.chooseSome(
      "Which of these shall be reported? All, none, or numbers such as 1 3",
      from: readable.map { index in
        let entry = findings.sensors[index]
        return "\(bytes: entry.item.address.printable): \(entry.words)"
      })
    let text = template.text(with: findings, adding: chosen.map { readable[$0] })
    let isRight = (try? Configuration.parse(text.bytes)) != nil
    return isRight ? text : template.text(with: findings)
  }

  private func compare(_ existing: Configuration, _ template: ConfigurationTemplate) -> Offer {
    let file = Path(path)
    var offer = Offer.asItIs
    let (url, former) = (template.url, existing.homeAssistant.url)
    if former != url, existing.homeAssistant.server.home?.url != url {
      offer = .toBeChanged
      dialog.say(
        "\(file) names another address, \(bytes: former), and the agent reports there: write"
          + " \(bytes: url) into it.")
    }
    if let file = template.authorityFile, existing.homeAssistant.tls.authorityFile != Path(file) {
      offer = .toBeChanged
      dialog.say(
        "\(Path(path)) does not name those certificates: write this line below home_assistant.\n\n"
          + "  \(ConfigurationTemplate.authorities(file))")
    }
    if let name = template.name, name != existing.deviceName {
      offer = .toBeChanged
      dialog.say(
        "\(file) does not name the board, and the agent would call it as the host: write this line"
          + " into it.\n\n\(ConfigurationTemplate.device(name))")
    }
    return offer
  }
}
