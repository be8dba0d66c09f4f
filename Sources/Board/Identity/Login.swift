public import Bytes
public import HomeAssistant
public import LinuxIO
public import Outbox

/// The login of this board: the token in the configured file, otherwise the credential from
/// pairing.
public struct Login {
  /// The message that Home Assistant rejected the login.
  public static let rejectedWords: MessageText =
    "Home Assistant rejects the login of this board; \(whenShownAgain)"

  /// Treatment of a rejected token: see `RejectedTokens`.
  public static let whenShownAgain: MessageText =
    "because it may ban this address, the same one is sent less and less often, and over https://"
    + " without a home_network never again"

  public let credential: Credential
  /// Nil for the credential from pairing.
  private let file: [UInt8]?
  /// Whether a rejection by the configured server is final.
  private let isServerKnown: Bool

  public init(_ configuration: Configuration, _ state: StateDirectory) throws(CommandFailure) {
    guard let login = try Login.find(configuration, state) else {
      throw CommandFailure(Enrollment.TokenFlaw.noFileNamed)
    }
    self = login
  }

  private init(_ credential: Credential, in file: [UInt8]?, _ configuration: Configuration) {
    self.credential = credential
    self.file = file
    isServerKnown = configuration.homeAssistant.server.isKnown
  }

  /// Returns the login; nil if no file is configured and pairing stored no credential.
  public static func find(
    _ configuration: Configuration, _ state: StateDirectory
  ) throws(CommandFailure) -> Login? {
    guard let file = configuration.homeAssistant.tokenFile else {
      guard let credential = try state.keptCredential() else { return nil }
      return Login(credential, in: nil, configuration)
    }
    switch readToken(file) {
    case .success(let token): return Login(.accessToken(token), in: file, configuration)
    case .failure(let flaw): throw CommandFailure(flaw)
    }
  }

  public func tokens(_ rejected: RejectedTokens) -> AccessTokens {
    AccessTokens(
      credential: credential, rejected: rejected, seed: randomSeed(), now: Moment.now.instant)
  }

  /// Stores that the configured server rejected this login.
  public func keepRejection(in state: StateDirectory) throws(CommandFailure) {
    try state.keep(rejectedFingerprint: credential.fingerprint, isForGood: isServerKnown)
  }

  /// Remedy after Home Assistant has rejected the login.
  public var remedy: MessageText {
    guard let file else { return Arguments.command("pair --login") }
    if file == tokenCredential(in: credentialsDirectory())?.bytes {
      return "write a new token to card.token in homeward.yaml of the card, and restart the board"
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

private func tokenCredential(in directory: Path?) -> Path? {
  directory.map { $0 / StateDirectory.tokenName }
}

extension Configuration {
  /// Makes the credential `token` of the service manager the token file, if no file is configured
  /// and pairing stored no credential. On a card image it is the token of the card, elsewhere it is
  /// empty.
  public mutating func useTokenCredential(
    unlessPairedIn state: StateDirectory, directory: Path? = credentialsDirectory()
  ) {
    guard homeAssistant.tokenFile == nil, case .none = state.readCredential(),
      let file = tokenCredential(in: directory), let count = try? byteCount(ofFileAt: file),
      count > 0
    else { return }
    homeAssistant.tokenFile = file.bytes
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
