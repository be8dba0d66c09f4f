import Board
import Bytes
import CLinux
import HomeAssistant
import LinuxIO
import Outbox
import Sensing
import Transport
import YAML

/// Check of everything that reporting needs, step by step, while an agent may be running. It
/// changes nothing, except that it records a rejected login.
final class Checkup {
  let file: [UInt8]
  private let isOfService: Bool
  let loop: EventLoop
  private(set) var report: CheckReport
  private var sources: SourceCheck?

  /// Text of the configuration; nil if it cannot be read.
  private(set) var text: [UInt8]?
  /// Nil if it is wrong.
  private(set) var configuration: Configuration?
  private(set) var service: ServiceState?
  /// Texts in the findings that say where the board is, or what is in a file of the person.
  var personal: [[UInt8]] { (ssid.map { [$0] } ?? []) + (sources?.personal ?? []) }
  /// Time that each source took to be read, on a line for each.
  var times: MessageText { sources?.times ?? "" }
  private var ssid: [UInt8]?

  /// Creates a checkup for the configuration in `file`; if that is nil, for the service and its
  /// configuration. `isShown`: whether a person sees each finding as soon as it is made.
  init(configuration file: [UInt8]?, isShown: Bool) throws(CommandFailure) {
    self.file = file ?? [UInt8](Configuration.defaultFile)
    isOfService = file == nil
    loop = try .forCommand()
    report = CheckReport(isShown: isShown)
  }

  func run() throws(CommandFailure) -> CheckReport {
    // Also if the loop fails in between: the findings so far are shown.
    defer { report.showEnd() }
    service = isOfService ? ServiceState.ask() : nil
    configuration = readConfiguration()
    guard let configuration else { return report }
    BoardCheck(configuration: configuration, isClockHidden: service?.hidesClock == true)
      .run { report.append($0) }
    if let failure = StateDirectory(Path(configuration.stateDirectory)).exposureFailure {
      report.append(.wrong("permissions", "exposed", .board, failure.code, failure.text))
    }
    if isOfService { look(at: service, configuration) }
    try askHomeAssistant(configuration)
    // Last: a receiver takes time, and a problem that stops all reports has to be shown first.
    let sources = SourceCheck(
      configuration, loop: loop, isWatched: report.isShown && Terminal(STDOUT_FILENO) != nil)
    self.sources = sources
    try sources.run { report.append($0) }
    return report
  }

  private func look(at service: ServiceState?, _ configuration: Configuration) {
    if let finding = service?.finding { report.append(finding) }
    guard let user = user(of: service) else { return }
    PermissionCheck(
      user: user, file: Path(file), configuration: configuration, service: service
    ).run { report.append($0) }
  }

  /// Returns the user that the service runs as, or would run as; nil if this check is not about a
  /// service, or the user does not exist.
  private func user(of service: ServiceState?) -> UserRights? {
    guard isOfService else { return nil }
    let name = service?.isLoaded == true ? service?.user : [UInt8](Service.user)
    return name.flatMap { UserRights(named: $0) }
  }

  private func askHomeAssistant(_ configuration: Configuration) throws(CommandFailure) {
    let state = StateDirectory(Path(configuration.stateDirectory))
    let registration = readRegistration(state, configuration)
    let login = readLogin(state, configuration)
    let network = try NetworkHere(configuration.homeAssistant, loop: loop)
    ssid = network?.ssid
    if let network { report.append(network.finding) }
    let here = CheckedRoutes(
      configuration.homeAssistant, at: network?.presence ?? .unknown, registration)
    let relay = RelayCheck(configuration: configuration, secrets: here.routes.secrets, loop: loop)
    if let finding = try relay.finding() { report.append(finding) }
    let http = try BlockingHTTP(
      loop: loop, settings: configuration.homeAssistant.tls,
      responseByteCountMax: EncryptionProof.answerByteCountMax)
    let isReached = try probe(here, http)
    guard isReached || !here.others.isEmpty else { return }
    if isReached, let finding = BoardCheck.clock(comparedTo: http.serverTime, at: .now) {
      report.append(finding)
    }
    let loginCheck = try login.flatMap { (login) throws(CommandFailure) -> LoginCheck? in
      guard let url = try loginURL(here, isReached: isReached, http) else { return nil }
      return try LoginCheck(
        with: login.0, login.1, at: url, state: state, settings: here.settings.tls, loop: loop)
    }
    if let registration {
      let proof = EncryptionProof(
        http: http, registration: registration,
        deviceID: DeviceIdentity(host: configuration.host).deviceID(of: registration),
        urlKey: here.urlKey)
      let routes = isReached ? [here.configured] : here.others
      if let finding = try proof.finding(over: routes, of: here, loginCheck, &report.version) {
        report.append(finding)
      }
    }
    if let loginCheck { report.append(loginCheck.finding()) }
    loginCheck?.end()
  }

  // MARK: The board

  private func readConfiguration() -> Configuration? {
    do throws(CommandFailure) {
      let text = try Configuration.text(of: file)
      self.text = text
      let (configuration, flaws) = try Configuration.read(text, of: file).findingLines()
      report.append(.well("configuration", "\(Path(file))"))
      for warning in configuration.warnings {
        let place: MessageText = "\(Path(file)):\(warning.line):\(warning.column): "
        report.append(
          .note(
            "configuration", place + warning.subject + MessageText(bytes: warning.problem),
            remedy: MessageText(bytes: warning.remedy)))
      }
      for flaw in flaws {
        report.append(.wrong("configuration", "pins", .configuration, .configuration, flaw))
      }
      return configuration
    } catch {
      report.append(
        .wrong("configuration", "configuration", .configuration, error.code, error.text))
      return nil
    }
  }

  private func readRegistration(
    _ state: StateDirectory, _ configuration: Configuration
  ) -> Registration? {
    do throws(CommandFailure) {
      guard let registration = try state.keptRegistration() else {
        report.append(Self.notPaired(state, configuration))
        return nil
      }
      if case .plain = registration.protection, !configuration.homeAssistant.server.isPlainAllowed {
        throw state.registrationIsPlain
      }
      let identity = DeviceIdentity(host: configuration.host)
      if let words = identity.otherBoardWords(of: registration, in: state) {
        report.append(.wrong("registration", "other_board", .board, .unavailable, words))
        return registration
      }
      report.append(.well("registration", "\(state.path)/\(StateDirectory.registrationName)"))
      return registration
    } catch {
      report.append(.wrong("registration", "unusable", .board, error.code, error.text))
      return nil
    }
  }

  private static func notPaired(
    _ state: StateDirectory, _ configuration: Configuration
  ) -> Finding {
    var remedy = Arguments.command("pair")
    if let token = configuration.tokenFile(unlessPairedIn: state) {
      remedy = "\(remedy), or put a token into \(Path(token)) and start the agent"
    }
    return .wrong(
      "registration", "not_paired", .board, .unavailable,
      "This board is not paired: \(state.path) holds no registration", remedy: remedy)
  }

  /// Returns the login of this board and the tokens that must not be sent; nil without a login,
  /// which is not a problem: reporting needs none.
  private func readLogin(
    _ state: StateDirectory, _ configuration: Configuration
  ) -> (Login, RejectedTokens)? {
    do throws(CommandFailure) {
      guard let login = try Login.find(configuration, state) else { return nil }
      return (login, try state.keptRejectedTokens())
    } catch {
      report.append(.wrong("login", "unusable", .board, error.code, error.text))
      return nil
    }
  }

  // MARK: The server

  /// Returns the address at which the login is tested; nil, with a note, if it is not.
  private func loginURL(
    _ here: CheckedRoutes, isReached: Bool, _ http: BlockingHTTP
  ) throws(CommandFailure) -> [UInt8]? {
    let url = try here.settings.urlForSecrets { here.url }
    guard here.routes.secrets.allows(url) else {
      report.append(here.plainFinding("login"))
      return nil
    }
    if url == here.url ? isReached : try ServerProbe.run(http, at: url).failure(at: url) == nil {
      return url
    }
    report.append(
      .note(
        "login",
        "Not tested: \(bytes: url) does not answer here, and the login is sent to no other address",
        remedy: "test it from another network"))
    return nil
  }

  /// Reports, and returns, whether Home Assistant answers at the address in the configuration. It
  /// is no problem if the agent uses another one instead, or this one only at home.
  private func probe(
    _ here: CheckedRoutes, _ http: BlockingHTTP
  ) throws(CommandFailure) -> Bool {
    guard here.isAllowed else {
      report.append(here.plainFinding("server"))
      return false
    }
    let url = here.url
    let probe = try ServerProbe.run(http, at: url)
    guard let failure = probe.failure(at: url) else {
      report.append(.well("server", "\(bytes: url) answers"))
      return true
    }
    let remedy = probe.remedy(
      http.fault, at: url, for: here.urlKey, here.settings.tls.authorityFile)
    guard here.others.isEmpty else {
      report.append(
        .note(
          "server", "\(failure.text); the agent uses another route",
          remedy: remedy ?? EncryptionProof.waiting))
      return false
    }
    report.append(
      .wrong(
        "server", probe.cause, probe.culprit,
        // The address comes from the configuration, not from the command line.
        failure.code == .usage ? .configuration : failure.code, failure.text, remedy: remedy))
    return false
  }
}
