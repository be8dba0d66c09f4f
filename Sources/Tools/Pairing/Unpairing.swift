import Board
import Bytes
import CLinux
import HomeAssistant
import HomeAssistantClient
import LinuxIO
import Transport

/// Reversal of a `Pairing`, as far as the login allows it.
final class Unpairing {
  private let options: Options
  /// Whether Home Assistant is not contacted.
  private let isLocal: Bool
  private let dialog: Dialog
  private let loop: EventLoop
  /// Whether Home Assistant no longer has the device.
  private var isDeviceDeleted = false
  /// Whether the login is no longer valid. A long-lived token stays: the person who made it may use
  /// it elsewhere.
  private var isLoginEnded = false

  init(_ options: Options) throws(CommandFailure) {
    self.options = options
    isLocal = options.has("--local")
    dialog = Dialog(isAlwaysYes: options.has("--yes"))
    loop = try .forCommand()
  }

  /// Unpairs the board, and shows what was done.
  func run() throws(CommandFailure) {
    try unpair()
    guard options.isJSON else { return }
    let line = jsonLine { line in
      line.appendMember("paired", false)
      line.appendMember("is_device_deleted", isDeviceDeleted)
      line.appendMember("is_login_ended", isLoginEnded)
    }
    writeToTerminal(line, STDOUT_FILENO)
  }

  private func unpair() throws(CommandFailure) {
    let configuration = try Configuration.readIfThere(from: options.file)
    let state = try StateDirectory.open(
      configuration?.stateDirectory ?? [UInt8](Configuration.defaultStateDirectory))
    guard state.isPaired else {
      return dialog.say("This board is not paired.")
    }
    let question: MessageText =
      isLocal
      ? "Delete the pairing on this board only, and leave the device in Home Assistant?"
      : "Remove this board from Home Assistant, with its entities and their names?"
    guard try dialog.confirm(question, standard: false) else {
      throw CommandFailure(code: .usage, text: "this board stays paired; --yes unpairs it")
    }
    if !isLocal { try leave(configuration, state) }
    do throws(Errno) { try state.removePairing() } catch {
      throw CommandFailure(
        code: .noInput, text: "the pairing in \(state.path) cannot be removed: \(error)")
    }
    dialog.say("This board is no longer paired.")
    sayWhatIsLeft()
    sayWhatStays(in: state)
    if let file = configuration?.tokenFile(unlessPairedIn: state) {
      dialog.say(
        "If the agent runs, it registers this board again: it can read a token from \(Path(file)).")
    }
  }

  private func leave(
    _ configuration: Configuration?, _ state: StateDirectory
  ) throws(CommandFailure) {
    let identity = DeviceIdentity(host: configuration?.host ?? .standard)
    let registration: Registration? =
      if case .value(let kept) = state.readRegistration() { kept } else { nil }
    if let registration, identity.otherBoard(of: registration) != nil {
      return dialog.say(
        "This pairing was made on another board, which may be in use: its device stays in Home"
          + " Assistant.")
    }
    guard let credential = try credential(configuration, state),
      let url = try configuration?.homeAssistant.urlForSecrets(loop: loop) ?? credential.clientURL
    else { return }
    let tokens = AccessTokens(
      credential: credential, rejected: try state.keptRejectedTokens(), seed: randomSeed(),
      now: Moment.now.instant)
    let settings = configuration?.homeAssistant.transport(to: url) ?? .system
    try checkIsReached(url, settings)
    let client = try BlockingClient(at: url, with: tokens, settings: settings, loop: loop)
    let deviceID = identity.deviceID(of: registration)
    do throws(RequestError) {
      defer { client.end() }
      try delete(deviceID, client)
    } catch  where client.denial != nil {
      // In the home network this login may still delete the device.
      throw unchanged(.noPermission, error.words)
    } catch  where error.isNoAnswer {
      throw unchanged(.temporaryFailure, error.words)
    } catch {
      dialog.say("The device was not deleted: \(error.words).")
    }
    if client.isCredentialRejected {
      isLoginEnded = true
      dialog.keep(rejected: credential, in: state)
    } else {
      try endLogin(credential, at: url, settings)
    }
  }

  /// Checks that Home Assistant answers at its address, before the login goes there.
  private func checkIsReached(
    _ url: [UInt8], _ settings: TransportSettings
  ) throws(CommandFailure) {
    let http = try BlockingHTTP(loop: loop, settings: settings)
    let probe = try ServerProbe.run(http, at: url)
    guard let failure = probe.failure(at: url) else { return }
    let remedy = probe.remedy(
      http.fault, at: url, for: "home_assistant.url", settings.authorityFile)
    throw unchanged(failure.code, remedy.map { "\(failure.text); \($0)" } ?? failure.text)
  }

  private func unchanged(_ code: ExitCode, _ words: MessageText) -> CommandFailure {
    CommandFailure(
      code: code,
      text: "\(words). Nothing was changed. If that Home Assistant no longer exists:"
        + " \(Arguments.command("unpair --local"))")
  }

  /// Returns the credential from pairing; without one, that of a token that no key names.
  private func credential(
    _ configuration: Configuration?, _ state: StateDirectory
  ) throws(CommandFailure) -> Credential? {
    if case .value(let credential) = state.readCredential() { return credential }
    guard let configuration, configuration.homeAssistant.tokenFile == nil,
      configuration.tokenFile(unlessPairedIn: state) != nil
    else { return nil }
    return try Login.find(configuration, state)?.credential
  }

  /// Deletes the device of this board, which only an administrator may do: its configuration entry,
  /// and with that the webhook and all entities.
  private func delete(_ deviceID: [UInt8], _ client: BlockingClient) throws(RequestError) {
    guard try client.ask(.currentUser).isAdmin else {
      return dialog.say(
        "The device was not deleted: the user of this board is not an administrator.")
    }
    if let entry = try client.device(ofBoard: deviceID)?.configEntryIDs.first {
      _ = try client.call(RawRESTRequest(.delete, "config/config_entries/entry/" + entry))
      dialog.say("Home Assistant has deleted this board, with its entities.")
    } else {
      dialog.say("Home Assistant no longer knows this board.")
    }
    isDeviceDeleted = true
  }

  private func endLogin(
    _ credential: Credential, at url: [UInt8], _ settings: TransportSettings
  ) throws(CommandFailure) {
    guard case .refreshToken(let token, _) = credential else { return }
    let result = try BlockingHTTP(loop: loop, settings: settings).send(
      .revoke(refreshToken: token), to: url)
    isLoginEnded = result == .answered(status: 200)
  }

  private func sayWhatStays(in state: StateDirectory) {
    if state.holds(StateDirectory.spoolName) {
      dialog.say(
        "Waiting readings stay in \(state.path / StateDirectory.spoolName): no other copy exists,"
          + " and the agent sends them when this board is paired again. homeward spool exports"
          + " them; if you do not need them, delete that folder.")
    }
    if state.holds(StateDirectory.rejectedName) {
      dialog.say(
        "The list of rejected tokens stays in \(state.path / StateDirectory.rejectedName), because"
          + " Home Assistant bans an address that sends one again.")
    }
  }

  private func sayWhatIsLeft() {
    if !isDeviceDeleted {
      dialog.say(
        "To finish in Home Assistant: open Settings, Devices & services, Mobile App, and delete"
          + " this board there.")
    }
    if !isLoginEnded {
      dialog.say(
        "To end its login or token, delete it in the profile of its user, under Security.")
    }
  }
}

extension StateDirectory {
  fileprivate func holds(_ name: StaticString) -> Bool {
    (try? byteCount(ofFileAt: path / name)) != nil
  }

  /// Whether it holds any part of a pairing, damaged or not.
  fileprivate var isPaired: Bool {
    if case .none = readRegistration(), case .none = readCredential() { return false }
    return true
  }
}

extension RequestError {
  fileprivate var isNoAnswer: Bool {
    switch self {
    case .transport, .expired, .disconnected: true
    case .server, .http, .decoding, .rejected, .overrun, .cancelled, .tooLarge,
      .unsupported:
      false
    }
  }
}

/// The members of a device that these commands need; all of `Device` would cost 8 KB of the
/// program.
struct BoardDevice: JSONDecodable {
  let isDisabled: Bool
  let configEntryIDs: [Text]
  private let identifiers: [JSON]

  init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    let disabledBy: Text? = try members.getIfPresent("disabled_by")
    isDisabled = disabledBy != nil
    configEntryIDs = try members.get("config_entries", default: [])
    identifiers = try members.get("identifiers", default: [])
  }

  fileprivate func isBoard(_ deviceID: [UInt8]) -> Bool {
    identifiers.contains(.array([.text("mobile_app"), .text(Text(deviceID))]))
  }
}

extension BlockingClient {
  /// Returns the device of a board; nil if Home Assistant has none.
  func device(ofBoard deviceID: [UInt8]) throws(RequestError) -> BoardDevice? {
    try ask(TypedRequest<LossyArray<BoardDevice>>("config/device_registry/list")).elements
      .first { $0.isBoard(deviceID) }
  }
}
