import Board
import Bytes
import HomeAssistant

/// Choice of the address that gets a password or a token, out of those of an instance that answered
/// in the network: one where Home Assistant answers, which the person has seen and confirmed.
/// `--yes` does not confirm it.
///
/// Each device of the network can claim to be Home Assistant, at any address.
struct AddressChoice {
  let instance: FoundInstance
  let say: (MessageText) -> Void
  /// Returns whether the person says yes; the second argument is the answer for an empty line.
  let confirm: (MessageText, Bool) throws(CommandFailure) -> Bool
  /// Returns the reason why a login at an address is not possible, or nil.
  let reach: ([UInt8]) throws(CommandFailure) -> CommandFailure?

  /// Returns the address; nil if none answers, or the person declines those that do.
  func run() throws(CommandFailure) -> [UInt8]? {
    // They are checked like typed addresses.
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
  /// Name of the instance and all addresses that it claims.
  var words: MessageText {
    var text: MessageText = "\(shown: name)"
    if let version { text = text + " (Home Assistant \(shown: version))" }
    for index in urls.indices {
      text = text + (index == 0 ? " at " : ", ") + "\(shown: urls[index])"
    }
    return text
  }
}
