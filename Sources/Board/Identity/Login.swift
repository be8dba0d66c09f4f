public import Bytes
public import HomeAssistant
public import LinuxIO
public import Outbox

/// The login of this board: the token in the configured file, otherwise the credential from
/// pairing, otherwise a token in one of the places that need no key.
public struct Login {
  /// The message that Home Assistant rejected the login.
  public static let rejectedWords: MessageText =
    "Home Assistant rejects the login of this board; \(whenShownAgain)"

  /// Treatment of a rejected token: see `RejectedTokens`.
  public static let whenShownAgain: MessageText =
    "because it may ban this address, the same one is sent less and less often, or never again"

  public let credential: Credential
  /// Nil for the credential from pairing.
  private let file: [UInt8]?
  /// Whether a key names the file.
  private let isNamed: Bool
  /// Whether a rejection by the configured server is final.
  private let isServerKnown: Bool

  public init(_ configuration: Configuration, _ state: StateDirectory) throws(CommandFailure) {
    guard let login = try Login.find(configuration, state) else {
      throw CommandFailure(Enrollment.TokenFlaw.noFileNamed)
    }
    self = login
  }

  private init(
    _ credential: Credential, in file: [UInt8]?, isNamed: Bool = true,
    _ configuration: Configuration
  ) {
    self.credential = credential
    self.file = file
    self.isNamed = isNamed
    isServerKnown = configuration.homeAssistant.server.isKnown
  }

  /// Returns the login; nil if no file has a token, and pairing stored no credential.
  public static func find(
    _ configuration: Configuration, _ state: StateDirectory
  ) throws(CommandFailure) -> Login? {
    guard let file = configuration.tokenFile(unlessPairedIn: state) else {
      guard let credential = try state.keptCredential() else { return nil }
      return Login(credential, in: nil, configuration)
    }
    switch readToken(file) {
    case .success(let token):
      let isNamed =
        configuration.homeAssistant.tokenFile != nil
        && !configuration.homeAssistant.isTokenFileUnnamed
      return Login(.accessToken(token), in: file, isNamed: isNamed, configuration)
    case .failure(let flaw): throw CommandFailure(flaw)
    }
  }

  public func tokens(_ rejected: RejectedTokens) -> AccessTokens {
    AccessTokens(
      credential: credential, rejected: rejected, seed: randomSeed(), now: Moment.now.instant)
  }

  /// Stores that the configured server rejected this login, or denied it in this network.
  /// `isFinal` says whether the credential itself was judged.
  public func keepRejection(
    isFinal: Bool = true, in state: StateDirectory
  ) throws(CommandFailure) {
    try state.keep(
      rejectedFingerprint: credential.fingerprint, isForGood: isServerKnown && isFinal)
  }

  /// Remedy after Home Assistant has rejected the login.
  public var remedy: MessageText {
    guard let file else { return Arguments.command("pair --login") }
    guard isNamed else {
      return "write a new token to \(Configuration.placesOfToken), and restart the board"
    }
    return "write a new token to \(Path(file)), and restart the agent"
  }

  public var rejectedWithRemedy: MessageText { "\(Self.rejectedWords). What to do: \(remedy)" }
}

extension CommandFailure {
  fileprivate init(_ flaw: Enrollment.TokenFlaw) {
    self.init(code: flaw.exitCode, text: flaw.words)
  }
}

extension Configuration {
  /// Words for both places in which a person may write a token that no key names.
  static let placesOfToken: MessageText =
    "/etc/homeward/token, or on a card image to card: token of the card's homeward.yaml"

  /// Place of a token that no key names; the unit of the service hands it on.
  public static let tokenFileOfSystem: StaticString = "/etc/homeward/token"

  /// Returns the file of the token: the configured one; otherwise, if pairing stored no credential,
  /// the first that has a token: that which the service manager hands on, that of a card image, or
  /// that of the system.
  public func tokenFile(
    unlessPairedIn state: StateDirectory, directory: Path? = credentialsDirectory(),
    ofSystem: Path = Path(tokenFileOfSystem)
  ) -> [UInt8]? {
    if let file = homeAssistant.tokenFile { return file }
    guard case .none = state.readCredential() else { return nil }
    let name = StateDirectory.tokenName
    let places = [directory.map { $0 / name }, state.path / name, ofSystem]
    return places.compactMap { $0?.bytes }.first { Self.holdsToken($0) }
  }

  /// Whether a file can be read and is not empty. systemd hands on a line feed for none; a token
  /// with a flaw is reported.
  private static func holdsToken(_ file: [UInt8]) -> Bool {
    switch readToken(file) {
    case .failure(.empty), .failure(.unreadable): false
    case .success, .failure: true
    }
  }
}

public func readToken(_ path: [UInt8]) -> Result<[UInt8], Enrollment.TokenFlaw> {
  let bytes: [UInt8]
  do throws(Errno) {
    bytes = try readFile(at: Path(path), byteCountMax: Credential.tokenByteCountMax)
  } catch .fileTooLarge {
    return .failure(.tooLarge)
  } catch {
    return .failure(.unreadable(errno: error.code))
  }
  let token = [UInt8](bytes.span.trimmed())
  guard !token.isEmpty else { return .failure(.empty) }
  guard !token.span.starts(with: "\u{FEFF}") else { return .failure(.hasByteOrderMark) }
  guard case .accessToken(let token)? = Credential(accessToken: token) else {
    return .failure(.notAToken)
  }
  return .success(token)
}
