import Board
import Bytes
import HomeAssistant
import HomeAssistantClient
import LinuxIO
import Outbox
import Transport

/// Pairing of this board with a Home Assistant: finds the server, logs in, registers, and stores
/// the result.
final class Pairing {
  private let options: PairingOptions
  private let dialog: Dialog
  private let loop: EventLoop
  private let http: BlockingHTTP
  private let existing: Configuration?
  private let settings: TransportSettings
  private var summary = PairingSummary()
  private var registered: Registration?

  init(_ options: PairingOptions) throws(CommandFailure) {
    self.options = options
    dialog = Dialog(isAlwaysYes: options.isYes)
    loop = try .forCommand()
    existing = try .readIfThere(from: options.configuration)
    let named = options.url.flatMap { try? serverURL($0) }
    var settings =
      existing.map { $0.homeAssistant.transport(to: named ?? $0.homeAssistant.url) } ?? .system
    if let file = options.authorityFile { settings.authorityFile = Path(file) }
    self.settings = settings
    http = try BlockingHTTP(loop: loop, settings: settings)
  }

  func run() throws(CommandFailure) -> PairingSummary {
    try checkThatAUserCanLogIn()
    if !options.isConfigurationNamed, options.authorityFile != nil {
      try checkAuthorityFile(
        for: UserRights(named: [UInt8](Service.user)), in: ServiceState.ask())
    }
    let state = try StateDirectory.open(try stateDirectory())
    // A registration that cannot be stored would leave a device behind in Home Assistant, too.
    let rejected = try state.keptRejectedTokens()
    if options.isLoginOnly { return try renewLogin(state, rejected) }
    let former = try formerCredential(state)
    let kept = keptRegistration(state)
    let url = try chosenURL()
    summary.url = url
    let template = try namedTemplate(at: url)
    var configuration: Configuration
    if let existing {
      configuration = existing
    } else {
      configuration = try template.configuration()
    }
    configuration.deviceName = template.name ?? configuration.deviceName
    let login = try request.run(at: url, rejected)
    do throws(CommandFailure) {
      try register(login, configuration, state, keeping: kept.isOfThisBoard ? kept.value : nil)
    } catch {
      revoke(login.credential)
      throw error
    }
    revoke(former, isOfThisBoard: kept.isOfThisBoard)
    try lookAtPerson(login, configuration, state, rejected)
    let file = ConfigurationFile(path: options.configuration, dialog: dialog, loop: loop)
    summary.offer = try file.offer(existing, template)
    dialog.say("This board is paired.\(next)")
    return summary
  }

  /// Next step for the person; empty if the service is started now.
  private var next: MessageText {
    guard !options.isConfigurationNamed else {
      return " Try it: sudo homeward run --once --config \(typed: Path(options.configuration))"
    }
    guard Service.canStart else { return " Try it: sudo homeward run --once" }
    return summary.offer == .toBeChanged ? " Next: sudo systemctl restart homeward" : ""
  }

  /// Checks that the user of the service can read the certificates, too.
  func checkAuthorityFile(
    for user: UserRights?, in service: ServiceState?
  ) throws(CommandFailure) {
    guard let file = options.authorityFile.map({ Path($0) }), let user,
      !user.canRead(file, in: service)
    else { return }
    throw CommandFailure(
      code: .noPermission,
      text: "the service cannot read \(file): put it into /etc/homeward, with sudo install -m 644"
        + " \(typed: file) /etc/homeward, and name it there")
  }

  private func checkThatAUserCanLogIn() throws(CommandFailure) {
    if case .tokenFile = options.source { return }
    guard dialog.isPossible else {
      throw CommandFailure(
        code: .usage,
        text: "there is no terminal to ask for a password at; give a long-lived access token with"
          + " --token-file FILE, or --token-file - for standard input")
    }
  }

  private func chosenURL() throws(CommandFailure) -> [UInt8] {
    let named = options.url
    let configured = try named == nil ? existing?.homeAssistant.urlForSecrets(loop: loop) : nil
    do throws(CommandFailure) {
      return try ServerChoice(
        http: http, settings: settings, loop: loop, dialog: dialog,
        needsPasswords: options.source.isLogin
      ).run(named: named, configured: configured)
    } catch {
      guard named == nil, let home = existing?.homeAssistant.server.home?.url, home != configured
      else { throw error }
      let option: StaticString = options.isLoginOnly ? " --login" : ""
      throw CommandFailure(
        code: error.code,
        text: "\(error.text). At home, give the address there:"
          + " \(Arguments.command("pair"))\(option) \(bytes: home)")
    }
  }

  private var request: LoginRequest {
    LoginRequest(source: options.source, http: http, dialog: dialog)
  }

  // MARK: The board

  private func stateDirectory() throws(CommandFailure) -> [UInt8] {
    guard let named = options.stateDirectory else {
      return existing?.stateDirectory ?? [UInt8](Configuration.defaultStateDirectory)
    }
    if let existing, existing.stateDirectory != named {
      throw CommandFailure(
        code: .usage,
        text: "\(Path(options.configuration)) sets another state directory; leave out"
          + " --state-directory to use that one")
    }
    return named
  }

  /// Returns the template of a configuration, with a valid name.
  private func namedTemplate(at url: [UInt8]) throws(CommandFailure) -> ConfigurationTemplate {
    var template = ConfigurationTemplate(
      url: url, authorityFile: options.authorityFile, name: options.name,
      stateDirectory: options.stateDirectory)
    if let known = existing?.deviceName {
      guard options.name == nil || options.name == known else {
        throw CommandFailure(
          code: .usage,
          text: "\(Path(options.configuration)) gives the board another name; change it there, or"
            + " leave out --name")
      }
      return template
    }
    guard options.name == nil, dialog.isPossible, !options.isYes else {
      _ = try template.configuration()
      return template
    }
    let host = identity.hostName
    while true {
      let typed = try dialog.askOptional("Name of this board [\(bytes: host.printable)]: ")
      template.name = typed.isEmpty ? nil : typed
      do throws(CommandFailure) {
        _ = try template.configuration()
        return template
      } catch { dialog.say(error.text) }
    }
  }

  /// Asks whether an existing pairing may be replaced. Returns its credential.
  private func formerCredential(_ state: StateDirectory) throws(CommandFailure) -> Credential? {
    if case .none = state.readRegistration() {
    } else {
      let isMeant = try dialog.confirm(
        "This board is already paired. If you pair it again, Home Assistant deletes its entities"
          + " and creates new ones; --login only makes a new login. Continue?", standard: false)
      guard isMeant else {
        throw CommandFailure(
          code: .usage,
          text: "this board is already paired, and nothing was changed; --yes pairs it again")
      }
    }
    // A damaged credential is no reason to stop: it is replaced.
    if case .value(let credential) = state.readCredential() { return credential }
    return nil
  }

  private func keptRegistration(
    _ state: StateDirectory
  ) -> (value: Registration?, isOfThisBoard: Bool) {
    guard case .value(let registration) = state.readRegistration() else { return (nil, true) }
    return (registration, identity.otherBoard(of: registration) == nil)
  }

  private var identity: DeviceIdentity { DeviceIdentity(host: host) }

  func keepDevice() throws(CommandFailure) {
    let state = try StateDirectory.open(try stateDirectory())
    guard var registration = try state.keptRegistration() else {
      throw CommandFailure(
        code: .noInput,
        text: "\(state.path) holds no registration; run: \(Arguments.command("pair"))")
    }
    _ = identity.complete(&registration)
    registration.board = identity.serial.map { Text($0) }
    try state.keep(registration)
    dialog.say("This board is now the paired device. Next: sudo systemctl start homeward")
  }

  // MARK: The login

  private func renewLogin(
    _ state: StateDirectory, _ rejected: RejectedTokens
  ) throws(CommandFailure) -> PairingSummary {
    guard let registration = try state.keptRegistration() else {
      throw CommandFailure(
        code: .unavailable, text: "this board is not paired; pair it: \(Arguments.command("pair"))")
    }
    if let file = existing?.homeAssistant.tokenFile {
      throw CommandFailure(
        code: .usage,
        text: "the agent reads its token from \(Path(file)): write a new one to that file, and"
          + " restart the agent")
    }
    let former = state.credential()
    summary.url = try chosenURL()
    summary.deviceName = existing?.deviceName ?? identity.hostName
    let login = try request.run(at: summary.url, rejected)
    do throws(CommandFailure) {
      try checkThatTheBoardIsKnown(to: login, registration, state, rejected)
      try keep(login.credential, registration, in: state)
    } catch {
      revoke(login.credential)
      throw error
    }
    revoke(former, isOfThisBoard: identity.otherBoard(of: registration) == nil)
    dialog.say("This board has a new login. Its device and entities stay.\(next)")
    return summary
  }

  private func checkThatTheBoardIsKnown(
    to login: NewLogin, _ registration: Registration, _ state: StateDirectory,
    _ rejected: RejectedTokens
  ) throws(CommandFailure) {
    let client = try client(of: login, rejected)
    defer { client.end() }
    let device: BoardDevice?
    let deviceID = identity.deviceID(of: registration)
    do throws(RequestError) { device = try client.device(ofBoard: deviceID) } catch {
      if client.isCredentialRejected {
        dialog.keep(rejected: login.credential, in: state)
        throw CommandFailure(code: .noPermission, text: Login.rejectedWords)
      }
      throw CommandFailure(
        code: .temporaryFailure,
        text: "the new login cannot be tested: \(error.words). The old one stays; try again later"
      )
    }
    guard device != nil else {
      throw CommandFailure(
        code: .unavailable,
        text:
          "Home Assistant at \(bytes: summary.url) does not know this board. To make it a device"
          + " there, with new entities: \(Arguments.command("pair"))")
    }
  }

  private var host: Configuration.HostPaths { existing?.host ?? .standard }

  /// Revokes a former credential. One for another address must not be sent to this one, and one
  /// that another board was paired with may be in use there.
  private func revoke(_ former: Credential?, isOfThisBoard: Bool) {
    if let former, former.clientURL == summary.url, isOfThisBoard { revoke(former) }
  }

  /// Revokes a refresh token that is no longer used. The answer does not matter: without it, the
  /// token expires after 90 days.
  private func revoke(_ credential: Credential) {
    guard case .refreshToken(let token, _) = credential else { return }
    _ = try? http.send(.revoke(refreshToken: token), to: summary.url)
  }

  // MARK: The registration

  private func register(
    _ login: NewLogin, _ configuration: Configuration, _ state: StateDirectory,
    keeping kept: Registration?
  ) throws(CommandFailure) {
    let identity = configuration.registrationRequest(
      keeping: kept, try? configuration.relayToken())
    summary.deviceName = identity.deviceName
    let token: [UInt8]
    switch (login.credential, login.accessToken) {
    case (.accessToken(let longLived), _): token = longLived
    case (.refreshToken, let accessToken?): token = accessToken.bytes
    case (.refreshToken, nil): preconditionFailure("a login brings an access token")
    }
    let answer = try http.register(identity, at: summary.url, token: token)
    if case .tokenRejected = answer { dialog.keep(rejected: login.credential, in: state) }
    var registration = try answer.registration(
      acceptsPlain: configuration.homeAssistant.server.isPlainAllowed)
    registration.answers(identity)
    registered = registration
    try keep(login.credential, registration, in: state)
    dialog.say("Home Assistant knows this board as \(quoted: identity.deviceName).")
  }

  private func keep(
    _ credential: Credential, _ registration: Registration, in state: StateDirectory
  ) throws(CommandFailure) {
    do throws(Errno) {
      try state.write(registration)
      try state.write(credential)
    } catch {
      throw CommandFailure(
        code: .noInput, text: "the pairing cannot be stored in \(state.path): \(error)")
    }
  }

  // MARK: The person

  private func lookAtPerson(
    _ login: NewLogin, _ configuration: Configuration, _ state: StateDirectory,
    _ rejected: RejectedTokens
  ) throws(CommandFailure) {
    let client = try client(of: login, rejected)
    defer { client.end() }
    let review = PersonReview(client: client, dialog: dialog)
    let deviceID = DeviceIdentity(host: configuration.host).deviceID(of: registered)
    try review.run(deviceID: deviceID, &summary)
    if client.isCredentialRejected { dialog.keep(rejected: login.credential, in: state) }
  }

  private func client(
    of login: NewLogin, _ rejected: RejectedTokens
  ) throws(CommandFailure) -> BlockingClient {
    let tokens = AccessTokens(
      credential: login.credential, current: login.accessToken, rejected: rejected,
      seed: randomSeed(), now: Moment.now.instant)
    return try BlockingClient(at: summary.url, with: tokens, settings: settings, loop: loop)
  }
}
