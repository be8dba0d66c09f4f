import Board
import Bytes
import HomeAssistant

/// Which address of an instance that answered in the network a password or a token goes to: one
/// where Home Assistant answers, which the person has seen and confirmed. `--yes` does not confirm
/// it.
///
/// Each device of the network can say that it is Home Assistant, and where.
struct AddressChoice {
  let instance: FoundInstance
  let say: (MessageText) -> Void
  /// Whether the person says yes, and what an empty line means.
  let confirm: (MessageText, Bool) throws(CommandFailure) -> Bool
  /// Why a login at an address is not possible; nil where it is.
  let reach: ([UInt8]) throws(CommandFailure) -> CommandFailure?

  /// Nil where no address answers, or the person wants none of those that do.
  func run() throws(CommandFailure) -> [UInt8]? {
    // They are judged like an address that was typed.
    let urls = instance.urls.compactMap { try? serverURL($0.bytes) }
    if urls.count > 1 { say("\(instance.words).") }
    var isTLSLost = false
    for url in urls {
      if let problem = try reach(url) {
        say(problem.text)
        isTLSLost = isTLSLost || url.isEncrypted
        continue
      }
      let name: MessageText = "\(shown: instance.name) at \(bytes: url)"
      let isFall = isTLSLost && !url.isEncrypted
      let question: MessageText =
        isFall
        ? "Its https:// address cannot be used. Send the password unencrypted to \(name)?"
        : "Pair with \(name)?"
      if try confirm(question, !isFall) { return url }
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate var isEncrypted: Bool { span.starts(with: "https://") }
}

extension FoundInstance {
  /// What it is called, and every address that it claims.
  var words: MessageText {
    var text: MessageText = "\(shown: name)"
    if let version { text = text + " (Home Assistant \(shown: version))" }
    for index in urls.indices {
      text = text + (index == 0 ? " at " : ", ") + "\(shown: urls[index])"
    }
    return text
  }
}
