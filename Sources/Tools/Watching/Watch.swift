import Board
import Bytes
import HomeAssistant
import HomeAssistantClient
import LinuxIO

/// Watch of Home Assistant over its WebSocket, until a signal stops it or the output is complete.
final class Watch {
  /// Maximum time at the end for Home Assistant to close the connection, too.
  private static let farewellTimeout: Duration = .seconds(1)

  private let options: WatchOptions
  private let url: [UInt8]
  private let login: Login
  private let state: StateDirectory
  private let signals: Signals
  private let network: BlockingClient
  private let log = Log()
  private var output: WatchOutput
  private var states: StateLines
  private var wasReady = false
  private var wasStarted = false
  private var isLost = false
  private var missing: [EntityID]
  /// Entities that were missing when `--once` showed the others.
  private var absent: [EntityID] = []
  private var isRenderingFailed = false
  private var failure: CommandFailure?

  init(_ options: WatchOptions) throws(CommandFailure) {
    let configuration = try Configuration.read(from: options.file)
    self.options = options
    state = StateDirectory(Path(configuration.stateDirectory))
    login = try Login(configuration, state)
    let tokens = login.tokens(try state.keptRejectedTokens())
    let loop = try EventLoop.forCommand()
    url = try configuration.homeAssistant.urlForSecrets(loop: loop)
    signals = try loop.signals()
    network = try BlockingClient(
      at: url, with: tokens, settings: configuration.homeAssistant.tls, loop: loop)
    output = WatchOutput(entryCountMax: options.entryCountMax)
    states = StateLines(showsAttributes: options.showsAttributes)
    if case .states(let ids) = options.topic { missing = ids } else { missing = [] }
  }

  func run() throws(CommandFailure) -> ExitCode {
    network.client.observe { [self] in stateChanged($0) }.detach()
    let subscription = subscribe()
    network.client.connect()
    while !isOver { try network.turn(until: nil) }
    network.client.cancel(subscription)
    try end()
    if let failure { throw failure }
    if let id = absent.first {
      let more: MessageText = absent.count > 1 ? " and \(absent.count - 1, "other")" : ""
      throw CommandFailure(
        code: .dataError,
        text: "\(Self.words(missing: id))\(more); to list its entities: sudo homeward watch --once")
    }
    return isRenderingFailed && options.entryCountMax != nil ? .dataError : .success
  }

  private var isOver: Bool { signals.isStopRequested || output.isDone || failure != nil }

  private func end() throws(CommandFailure) {
    network.end()
    let end = Moment.now.instant + Self.farewellTimeout
    while network.isAtWork, Moment.now.instant < end { try network.turn(until: end) }
  }

  // MARK: The connection

  private func stateChanged(_ state: ConnectionState) {
    switch state {
    case .ready:
      wasReady = true
      if isLost { log.notice("connected again") }
      isLost = false
    case .down where network.isCredentialRejected || network.denial != nil: failure = rejected()
    case .down(.retrying(_, _, let cause)): connectionFailed(cause)
    case .connecting, .authenticating, .down: break
    }
  }

  private func connectionFailed(_ cause: ConnectionFailure) {
    guard failure == nil else { return }
    if !wasReady {
      failure = CommandFailure(
        code: cause.exitCode,
        text: "Home Assistant cannot be reached at \(bytes: url): \(cause.words)")
    } else if !isLost {
      isLost = true
      log.warning(
        "the connection to Home Assistant is lost: \(cause.words). Connecting again")
    }
  }

  // MARK: The subscription

  private func subscribe() -> RequestID {
    switch options.topic {
    case .states(let ids): subscribe(to: SubscribeEntities(ids))
    case .events(let type?): subscribe(to: .events(type))
    case .events(nil): subscribe(to: .events)
    case .template(let template, let variables):
      subscribe(to: .template(template, variables: variables))
    }
  }

  private func subscribe(to request: some SubscriptionRequest) -> RequestID {
    network.client.subscribe(
      request.command, request.payload, onStart: { [self] in started($0) },
      onEvent: { [self] in received($0) }
    ).detach()
  }

  private func started(_ result: Result<NoContent, RequestError>) {
    switch result {
    case .success:
      wasStarted = true
      states.subscriptionStarted()
    case .failure(let error) where wasStarted:
      log.warning("\(error.words); trying again")
    case .failure(.rejected): break  // The state of the connection says so, too.
    case .failure(let error): failure = CommandFailure(refusing: error)
    }
  }

  private func rejected() -> CommandFailure {
    let denial = network.denial
    let words: MessageText = denial.map { "\(shown: $0.words)" } ?? login.rejectedWithRemedy
    do throws(CommandFailure) {
      try login.keepRejection(isFinal: network.isRejectionFinal, in: state)
      return CommandFailure(code: .noPermission, text: words)
    } catch {
      return CommandFailure(code: .noPermission, text: "\(words). \(error.text)")
    }
  }

  private func received(_ event: Span<UInt8>) {
    guard !isOver else { return }
    switch options.topic {
    case .states: showStates(event)
    case .events: showEvent(event)
    case .template: showRendering(event)
    }
    output.flush()
  }

  private func showStates(_ event: Span<UInt8>) {
    do throws(JSONError) {
      try states.apply(event) { if !options.isJSON { output.append($0.bytes) } }
    } catch { sayUnreadable() }
    if options.isJSON { showUnchanged(event) }
    // Home Assistant begins with all existing entities. A missing one may still come.
    missing.removeAll { states.knows($0) }
    if options.isOnce {
      absent = missing
      output.end()
    } else {
      for id in missing {
        log.warning("\(Self.words(missing: id)) now; it is shown when it appears")
      }
      missing = []
    }
  }

  private static func words(missing id: EntityID) -> MessageText {
    "Home Assistant has no \(shown: id.text)"
  }

  private func showEvent(_ bytes: Span<UInt8>) {
    if options.isJSON { return showUnchanged(bytes) }
    guard let event = try? Event(decoding: bytes) else { return sayUnreadable() }
    let line: MessageText = "\(localTime: event.timeFired)  \(shown: event.type.text)"
    if event.type == .stateChanged, let change = try? StateChange(decoding: bytes) {
      output.append((line + "  " + change.lines).bytes)
    } else {
      output.append(line.bytes + "\n".utf8 + event.data.lines)
    }
  }

  private func showRendering(_ bytes: Span<UInt8>) {
    guard let event = try? TemplateEvent(decoding: bytes) else { return sayUnreadable() }
    switch event {
    case .rendered(let rendered):
      isRenderingFailed = false
      if !options.isJSON { output.append(rendered.result.lines) }
    case .failed(let message, let level):
      let words: MessageText = "Home Assistant reports about the template: \(shown: message)"
      if level == "WARNING" {
        log.warning(words)
      } else {
        isRenderingFailed = true
        log.error(words)
        if !options.isJSON { output.countEntry() }
      }
    }
    if options.isJSON { showUnchanged(bytes) }
  }

  private func showUnchanged(_ event: Span<UInt8>) {
    output.append([UInt8](event).onOneLine + [UInt8(ascii: "\n")])
  }

  private func sayUnreadable() {
    log.warning("Home Assistant sent an unexpected message; it is ignored")
  }
}

extension CommandFailure {
  /// Failure if Home Assistant lets no user, or not this one, watch that.
  fileprivate init(refusing error: RequestError) {
    switch error {
    case .server("unauthorized", _):
      self.init(
        code: .noPermission,
        text: "Home Assistant lets only administrators watch that, and the user of this board is"
          + " not one")
    case .server: self.init(code: .dataError, text: error.words)
    default: self.init(code: .temporaryFailure, text: error.words)
    }
  }
}
