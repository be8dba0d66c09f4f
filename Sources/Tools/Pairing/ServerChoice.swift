import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport
import YAML

/// Choice of the address to pair with: the named one, that of the configuration, or one that
/// answers in the network and that the person chooses.
struct ServerChoice {
  /// Maximum number of addresses that the person is asked for.
  private static let triesMax = 5

  let http: BlockingHTTP
  let settings: TransportSettings
  let loop: EventLoop
  let dialog: Dialog
  let needsPasswords: Bool

  func run(named: [UInt8]?, configured: [UInt8]?) throws(CommandFailure) -> [UInt8] {
    if let named { return try reached(try checked(named)) }
    if let configured { return try reached(configured) }
    let found = try ServerSearch.run(loop: loop, dialog: dialog)
    guard dialog.isPossible else {
      for instance in found { dialog.say(instance.words) }
      guard found.isEmpty else {
        throw CommandFailure(
          code: .usage, text: "there is no terminal to ask which one; name its address")
      }
      throw CommandFailure(
        code: .temporaryFailure,
        text: "\(Self.nobodyAnswers); name its address: sudo homeward pair http://192.168.1.5:8123")
    }
    guard let instance = try chosen(from: found) else { return try typedAddress() }
    let choice = AddressChoice(
      instance: instance, say: dialog.say, confirm: dialog.decide,
      reach: { (url) throws(CommandFailure) in try problem(at: url) })
    if let url = try choice.run() { return url }
    return try typedAddress()
  }

  /// Checks a typed address; people type a host and a port alone into a browser.
  private func checked(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
    let isBare = text.span.endsWithPort && !text.contains(UInt8(ascii: "/"))
    do throws(Refusal) { return try serverURL(isBare ? [UInt8]("http://") + text : text) } catch {
      throw CommandFailure(code: .usage, text: "\(error.problem); \(error.remedy)")
    }
  }

  /// Returns the chosen instance; nil if there is none, or the person declines all of them.
  private func chosen(from found: [FoundInstance]) throws(CommandFailure) -> FoundInstance? {
    guard found.count > 1 else {
      if found.isEmpty { dialog.say("\(Self.nobodyAnswers).") }
      return found.first
    }
    dialog.say("Found in this network:")
    let choices = found.map { $0.words } + ["none of them"]
    let index = try dialog.choose("Which one?", from: choices)
    return index < found.count ? found[index] : nil
  }

  /// Asks for addresses until one is valid and Home Assistant answers there.
  private func typedAddress() throws(CommandFailure) -> [UInt8] {
    var triesLeft = Self.triesMax
    while true {
      let text = try dialog.ask("Address of Home Assistant, such as http://192.168.1.5:8123: ")
      triesLeft -= 1
      do throws(CommandFailure) { return try reached(try checked(text)) } catch {
        guard triesLeft > 0 else { throw error }
        dialog.say(error.text)
      }
    }
  }

  private static var nobodyAnswers: MessageText {
    "No Home Assistant answers in this network (multicast DNS does not pass routers or VPNs)"
  }

  private func reached(_ url: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard let problem = try problem(at: url) else { return url }
    guard let end = endBeforePage(url), dialog.isPossible else { throw problem }
    dialog.say(problem.text)
    let server = [UInt8](url[..<end])
    guard try dialog.decide("Pair with \(bytes: server)?", standard: true) else { throw problem }
    return try reached(server)
  }

  /// Returns the reason why the person cannot log in at `url`, or nil.
  private func problem(at url: [UInt8]) throws(CommandFailure) -> CommandFailure? {
    let probe = try ServerProbe.run(http, at: url)
    if case .homeAssistant(hasPasswords: false) = probe, needsPasswords {
      return CommandFailure(
        code: .noPermission,
        text: "this Home Assistant does not allow a login with a password; use a long-lived access"
          + " token with --token")
    }
    guard let failure = probe.failure(at: url) else { return nil }
    let hint = probe.hint(http.fault, at: url, settings.authorityFile)
    let end: MessageText = hint.map { "; \($0)" } ?? ""
    return CommandFailure(code: failure.code, text: failure.text + end)
  }
}

extension Span<UInt8> {
  fileprivate var endsWithPort: Bool {
    var digits = 0
    while digits < count, self[count - 1 - digits].isASCIIDigit { digits += 1 }
    return (1...5).contains(digits) && digits + 1 < count
      && self[count - 1 - digits] == UInt8(ascii: ":")
  }
}

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

/// Search for Home Assistant in the local network, for two seconds.
final class ServerSearch {
  private let loop: EventLoop
  private let socket: MulticastSocket
  private var discovery = Discovery()
  private var datagram = ByteBuffer(capacity: DNSMessage.byteCountMax)

  private init(loop: EventLoop) throws(Errno) {
    self.loop = loop
    socket = try MulticastSocket()
  }

  /// Returns the instances; none if the network cannot be searched, which is reported.
  static func run(loop: EventLoop, dialog: Dialog) throws(CommandFailure) -> [FoundInstance] {
    do throws(Errno) {
      return try ServerSearch(loop: loop).run()
    } catch {
      dialog.say("the local network cannot be searched: \(error)")
      return []
    }
  }

  private func run() throws(Errno) -> [FoundInstance] {
    let watch = try loop.watch(socket.number, for: .input, telling: self)
    defer { loop.stop(watch) }
    var action: Discovery.Action? = discovery.begin(now: Moment.now.instant)
    while action != .end {
      if case .send(let query)? = action {
        try socket.send(query.span, to: Discovery.group, port: Discovery.port)
      }
      try loop.turn(until: discovery.deadline)
      action = discovery.deadlineReached(now: Moment.now.instant)
    }
    return discovery.instances
  }
}

extension ServerSearch: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    // An error of the socket, such as a port without a listener, is not an answer.
    guard let isThere = try? socket.receive(into: &datagram), isThere else { return }
    let bytes = [UInt8](datagram.bytes)
    discovery.datagramReceived(bytes.span)
  }
}
