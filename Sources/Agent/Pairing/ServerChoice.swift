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
    let found = try ServerSearch.run(loop: loop, dialog: dialog)
    guard dialog.isPossible else {
      for instance in found { dialog.say(instance.words) }
      throw found.isEmpty ? Self.nothingFound : Self.nobodyChooses
    }
    guard let instance = try chosen(from: found) else { return try reached([try typedAddress()]) }
    // The addresses come from the network; they are judged like one that was typed.
    let urls = instance.urls.compactMap { try? serverURL($0.bytes) }
    return try reached(urls.isEmpty ? [try typedAddress()] : urls)
  }

  private static func checked(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
    do throws(Refusal) { return try serverURL(text) } catch {
      throw CommandFailure(code: .usage, text: "\(error.problem); \(error.remedy)")
    }
  }

  /// Nil where the person wants none of them, or there is none. `--yes` does not choose: a password
  /// goes to whoever is chosen here.
  private func chosen(from found: [FoundInstance]) throws(CommandFailure) -> FoundInstance? {
    switch found.count {
    case 0:
      dialog.say("\(Self.nobodyAnswers).")
      return nil
    case 1:
      let isMeant = try dialog.decide("Pair with \(found[0].words)?", standard: true)
      return isMeant ? found[0] : nil
    default:
      dialog.say("Found in this network:")
      let choices = found.map { $0.words } + ["none of them"]
      let index = try dialog.choose("Which one?", from: choices)
      return index < found.count ? found[index] : nil
    }
  }

  private func typedAddress() throws(CommandFailure) -> [UInt8] {
    try Self.checked(try dialog.ask("Address of Home Assistant (http://192.168.1.5:8123): "))
  }

  private static var nothingFound: CommandFailure {
    CommandFailure(
      code: .temporaryFailure,
      text: "\(nobodyAnswers); name its address: homeward pair http://192.168.1.5:8123")
  }

  private static var nobodyAnswers: MessageText {
    "No Home Assistant answers in this network (to multicast DNS, which passes no router and no VPN)"
  }

  private static var nobodyChooses: CommandFailure {
    CommandFailure(
      code: .usage, text: "there is no terminal to ask which one; name its address")
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
