import Bytes
import HomeAssistant
import LinuxIO

/// Finds the address to pair with: the one that was named, or that of the configuration, or one that
/// answers in the network and that the person wants.
struct ServerChoice {
  let exchange: Exchange
  let loop: EventLoop
  let dialog: Dialog
  let needsPasswords: Bool

  /// An address where Home Assistant answers.
  func run(named: [UInt8]?, configured: [UInt8]?) throws(CommandFailure) -> [UInt8] {
    if let named { return try reached([Self.checked(named)]) }
    if let configured { return try reached([configured]) }
    let instance = try chosen(from: try ServerSearch.run(loop: loop, dialog: dialog))
    // The addresses come from the network; they are judged like one that was typed.
    let urls = instance.urls.compactMap { try? serverURL($0.bytes) }
    guard !urls.isEmpty else { throw Self.nothingFound }
    return try reached(urls)
  }

  private static func checked(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
    do throws(Refusal) { return try serverURL(text) } catch {
      throw CommandFailure(code: .usage, text: "\(error.problem); \(error.remedy)")
    }
  }

  private func chosen(from found: [FoundInstance]) throws(CommandFailure) -> FoundInstance {
    guard !found.isEmpty else { throw Self.nothingFound }
    guard dialog.isPossible else {
      for instance in found { dialog.say(instance.words) }
      throw CommandFailure(
        code: .usage, text: "there is no terminal to ask which one; name its address")
    }
    guard found.count == 1 else {
      dialog.say("Found in this network:")
      return found[try dialog.choose("Which one?", from: found.map { $0.words })]
    }
    guard try dialog.confirm("Pair with \(found[0].words)?", standard: true) else {
      throw CommandFailure(code: .usage, text: "name the address: homeward pair URL")
    }
    return found[0]
  }

  private static var nothingFound: CommandFailure {
    CommandFailure(
      code: .temporaryFailure,
      text: "no Home Assistant answers in this network (to multicast DNS, which passes no router"
        + " and no VPN); name its address: homeward pair http://192.168.1.5:8123")
  }

  /// The first address where Home Assistant answers; why the first does not, where none does.
  private func reached(_ urls: [[UInt8]]) throws(CommandFailure) -> [UInt8] {
    var failure: CommandFailure?
    for url in urls {
      let probe = try ServerProbe.run(exchange, at: url)
      if case .homeAssistant(hasPasswords: false) = probe, needsPasswords {
        throw CommandFailure(
          code: .noPermission,
          text: "this Home Assistant lets nobody log in with a password; use a long-lived access"
            + " token with --token")
      }
      guard let problem = probe.failure(at: url) else { return url }
      failure = failure ?? problem
    }
    guard let failure else { preconditionFailure("an instance has an address") }
    throw failure
  }
}

extension FoundInstance {
  fileprivate var words: MessageText {
    let version: MessageText = version.map { " (Home Assistant \(shown: $0))" } ?? ""
    let url: MessageText = urls.first.map { " at \(shown: $0)" } ?? ""
    return "\(shown: name)\(version)\(url)"
  }
}
