import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Outbox
import Transport

struct ConfigurationFile {
  let path: [UInt8]
  let dialog: Dialog

  let loop: EventLoop

  enum Offer {
    case written
    /// Unchanged: the file agrees with the pairing, or the person does not want one.
    case asItIs
    /// To be changed by the person before the agent starts.
    case toBeChanged
  }

  /// Offers to write a missing file, or reports the differences of an existing one.
  func offer(
    _ existing: Configuration?, _ template: ConfigurationTemplate
  ) throws(CommandFailure) -> Offer {
    let file = Path(path)
    if let existing { return compare(existing, template) }
    let advice: MessageText = "Before you start the agent, create \(file):\n\n\(template.minimal)"
    let question: MessageText = "\(file) does not exist. Create it with this address?"
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
    dialog.say("\(file) was created, with examples of what this board has.")
    return .written
  }

  /// Returns the text of a new file, with the sensors of this board that the person chooses.
  func text(
    _ template: ConfigurationTemplate, of board: Configuration
  ) throws(CommandFailure) -> MessageText {
    let findings = try BoardFindings(
      for: board, loop: loop, screen: Terminal(STDERR_FILENO) != nil ? STDERR_FILENO : nil)
    let readable = findings.sensors.indices.filter { findings.sensors[$0].isReadable }
    guard !readable.isEmpty else { return template.text(with: findings) }
    let chosen = try dialog.chooseSome(
      "Which of these should the board report? All, none, or numbers such as 1 3",
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
        "\(file) contains another address, \(bytes: former), and the agent reports to that one:"
          + " change it to \(bytes: url).")
    }
    if let file = template.authorityFile, existing.homeAssistant.tls.authorityFile != Path(file) {
      offer = .toBeChanged
      dialog.say(
        "\(Path(path)) does not contain those certificates: add this line below home_assistant.\n\n"
          + "  \(ConfigurationTemplate.authorities(file))")
    }
    if let name = template.name, name != existing.deviceName {
      offer = .toBeChanged
      dialog.say(
        "\(file) does not contain the board's name, and the agent would use the host name: add this"
          + " line to it.\n\n\(ConfigurationTemplate.device(name))")
    }
    return offer
  }
}
