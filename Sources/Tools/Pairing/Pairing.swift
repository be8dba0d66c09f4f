import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// What `homeward pair` was told.
struct PairingOptions {
  /// Where the credential comes from.
  enum Source {
    /// User name and password, asked for.
    case login
    /// A long-lived access token, asked for.
    case token
    /// The same from a file; `-` is standard input.
    case tokenFile([UInt8])

    var isLogin: Bool { if case .login = self { true } else { false } }
  }

  /// The address of Home Assistant, as it was typed.
  var url: [UInt8]?
  var configuration = [UInt8](Configuration.defaultFile)
  /// Where there is no configuration: the state directory, which goes into the one that is written.
  var stateDirectory: [UInt8]?
  /// What Home Assistant calls the board, as it was typed.
  var name: [UInt8]?
  var source = Source.login
  var isConfigurationNamed: Bool {
    !configuration.span.elementsEqual(Configuration.defaultFile)
  }
  var isYes = false
  var isJSON = false
}

/// Makes this board a device of a Home Assistant: finds the server, logs in, registers, and keeps
/// what came of it.
final class Pairing {
  private let options: PairingOptions
  private let dialog: Dialog
  private let loop: EventLoop
  private let http: BlockingHTTP
  /// The configuration, where there is one already.
  private let existing: Configuration?
  private let settings: TransportSettings
  private var summary = PairingSummary()

  init(_ options: PairingOptions) throws(CommandFailure) {
    self.options = options
    dialog = Dialog(isAlwaysYes: options.isYes)
    loop = try .forCommand()
    existing = try .readIfThere(from: options.configuration)
    let named = options.url.flatMap { try? serverURL($0) }
    settings =
      existing.map { $0.homeAssistant.transport(to: named ?? $0.homeAssistant.url) } ?? .system
    http = try BlockingHTTP(loop: loop, settings: settings)
  }

  func run() throws(CommandFailure) -> PairingSummary {
    try checkThatAUserCanLogIn()
    let state = try StateDirectory.open(try stateDirectory())
    // A registration that cannot be kept would leave a device behind in Home Assistant, too.
    let rejected = try state.keptRejectedTokens()
    let former = try formerCredential(state)
    let url = try ServerChoice(
      http: http, loop: loop, dialog: dialog, needsPasswords: options.source.isLogin
    ).run(named: options.url, configured: existing?.homeAssistant.url)
    summary.url = url
    let template = try namedTemplate(at: url)
    var configuration: Configuration
    if let existing {
      configuration = existing
    } else {
      configuration = try template.configuration()
    }
    configuration.deviceName = template.name ?? configuration.deviceName
    let login = try logIn(at: url, rejected)
    do throws(CommandFailure) {
      try register(login, configuration, state)
    } catch {
      revoke(login.credential)
      throw error
    }
    // One of another address is nothing to show here.
    if let former, former.clientURL == url { revoke(former) }
    try lookAtPerson(login, configuration, state, rejected)
    let file = ConfigurationFile(path: options.configuration, dialog: dialog, loop: loop)
    summary.offer = try file.offer(existing, template)
    dialog.say("This board is paired.\(next)")
    return summary
  }

  /// What the person does next; nothing where the service is started now.
  private var next: MessageText {
    guard !options.isConfigurationNamed else {
      return " Try it: sudo homeward run --once --config \(typed: Path(options.configuration))"
    }
    guard Service.canStart else { return " Try it: sudo homeward run --once" }
    return summary.offer == .toBeChanged ? " Then: sudo systemctl restart homeward" : ""
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

  // MARK: The board

  private func stateDirectory() throws(CommandFailure) -> [UInt8] {
    guard let named = options.stateDirectory else {
      return existing?.stateDirectory ?? [UInt8](Configuration.defaultStateDirectory)
    }
    if let existing, existing.stateDirectory != named {
      throw CommandFailure(
        code: .usage,
        text: "\(Path(options.configuration)) names another state directory; without"
          + " --state-directory that one is used")
    }
    return named
  }

  /// What a configuration would say, with a name that can stand in it.
  private func namedTemplate(at url: [UInt8]) throws(CommandFailure) -> ConfigurationTemplate {
    var template = ConfigurationTemplate(
      url: url, name: options.name, stateDirectory: options.stateDirectory)
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
    let host = DeviceIdentity(host: existing?.host ?? .standard).hostName
    while true {
      let typed = try dialog.ask("Name of this board [\(bytes: host.printable)]: ", orElse: [])
      template = ConfigurationTemplate(
        url: url, name: typed.isEmpty ? nil : typed, stateDirectory: options.stateDirectory)
      do throws(CommandFailure) {
        _ = try template.configuration()
        return template
      } catch { dialog.say(error.text) }
    }
  }

  /// Asks whether a pairing that is there may go. Returns its credential.
  private func formerCredential(_ state: StateDirectory) throws(CommandFailure) -> Credential? {
    if case .none = state.readRegistration() {
    } else {
      let isMeant = try dialog.confirm(
        "This board is paired already. Pairing it again makes Home Assistant throw its entities"
          + " away, and make new ones. Go on?", standard: false)
      guard isMeant else {
        throw CommandFailure(
          code: .usage,
          text: "this board is paired already, and stays so; --yes pairs it again")
      }
    }
    // A damaged one is no reason to stop: it is replaced.
    if case .value(let credential) = state.readCredential() { return credential }
    return nil
  }

  // MARK: The credential

  private struct Login {
    let credential: Credential
    let accessToken: AccessToken?
  }

  private func logIn(
    at url: [UInt8], _ rejected: RejectedTokens
  ) throws(CommandFailure) -> Login {
    switch options.source {
    case .login:
      let login = try SignIn(http: http, dialog: dialog, url: url).run()
      return Login(credential: login.credential, accessToken: login.accessToken)
    case .token:
      return try accept(try dialog.askSecret("Long-lived access token: "), rejected)
    case .tokenFile(let file): return try accept(try Self.readToken(file), rejected)
    }
  }

  /// A token as a person gave it.
  private func accept(
    _ text: [UInt8], _ rejected: RejectedTokens
  ) throws(CommandFailure) -> Login {
    guard let credential = Credential(accessToken: [UInt8](text.span.trimmed())) else {
      throw CommandFailure(
        code: .dataError,
        text: "that is no access token: it is empty, or holds a space or a second line")
    }
    guard !rejected.contains(fingerprint: credential.fingerprint) else {
      throw CommandFailure(
        code: .noPermission,
        text: "Home Assistant rejected this token before, and may ban this address for another"
          + " attempt; it is not sent. Make a new one")
    }
    return Login(credential: credential, accessToken: nil)
  }

  private static func readToken(_ file: [UInt8]) throws(CommandFailure) -> [UInt8] {
    let isStandardInput = file.span.elementsEqual("-")
    do throws(Errno) {
      if isStandardInput {
        return try readStandardInput(byteCountMax: Credential.tokenByteCountMax)
      }
      return try readFile(at: Path(file), byteCountMax: Credential.tokenByteCountMax)
    } catch .isPipe {
      throw CommandFailure(
        code: .noInput,
        text: "\(Path(file)) is no file; write the token to standard input: --token-file -")
    } catch {
      let name: MessageText = isStandardInput ? "standard input" : "\(Path(file))"
      throw CommandFailure(
        code: .noInput, text: "the token cannot be read from \(name): \(error)")
    }
  }

  /// Ends a refresh token that is of no use any more. Home Assistant says nothing worth hearing to
  /// it, and one that is not ended ends by itself 90 days later.
  private func revoke(_ credential: Credential) {
    guard case .refreshToken(let token, _) = credential else { return }
    _ = try? http.send(.revoke(refreshToken: token), to: summary.url)
  }

  // MARK: The registration

  private func register(
    _ login: Login, _ configuration: Configuration, _ state: StateDirectory
  ) throws(CommandFailure) {
    let identity = configuration.registrationRequest {
      dialog.say("The token of notifications.push_url cannot be used (\($0.code)).")
    }
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
      acceptsPlain: configuration.homeAssistant.isPlainAllowed)
    registration.toldFingerprint = Webhook.UpdateRegistration(identity).fingerprint
    do throws(Errno) {
      try state.write(registration)
      try state.write(login.credential)
    } catch {
      throw CommandFailure(
        code: .noInput, text: "the pairing cannot be kept in \(state.path): \(error)")
    }
    dialog.say("Home Assistant knows this board as \(quoted: identity.deviceName).")
  }

  // MARK: The person

  private func lookAtPerson(
    _ login: Login, _ configuration: Configuration, _ state: StateDirectory,
    _ rejected: RejectedTokens
  ) throws(CommandFailure) {
    let tokens = AccessTokens(
      credential: login.credential, current: login.accessToken, rejected: rejected,
      seed: randomSeed())
    let client = try BlockingClient(
      at: summary.url, with: tokens, settings: settings, loop: loop)
    defer { client.end() }
    let review = PersonReview(client: client, dialog: dialog)
    let deviceID = DeviceIdentity(host: configuration.host).deviceID
    try review.run(deviceID: deviceID, &summary)
    if client.isCredentialRejected { dialog.keep(rejected: login.credential, in: state) }
  }
}
