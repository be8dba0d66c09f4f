public import Bytes
public import HomeAssistant
public import LinuxIO
public import Outbox

extension StateDirectory {
  /// Creates and locks the directory of a command.
  public static func open(_ path: [UInt8]) throws(CommandFailure) -> StateDirectory {
    let state = StateDirectory(Path(path))
    try state.open(
      orInUse:
        "another homeward uses \(state.path)\(state.readOnlyWords); stop it (the service: sudo"
        + " systemctl stop homeward), or set another state_directory")
    return state
  }

  /// Creates and locks the directory for a command that requests a key.
  public func openForKey() throws(CommandFailure) {
    try open(
      orInUse: "the agent is running, and requests a key once a day; to request one now, stop it"
        + " first: sudo systemctl stop homeward")
  }

  private func open(orInUse words: MessageText) throws(CommandFailure) {
    if let failure = failure(of: open(), orInUse: words) { throw failure }
  }

  /// Failure with which each agent and command refuses the directory because of other users; nil
  /// if there is none.
  public var exposureFailure: CommandFailure? { exposure.flatMap { failure(of: $0, orInUse: "") } }

  private func failure(of opening: Opening, orInUse words: MessageText) -> CommandFailure? {
    switch opening {
    case .open: return nil
    case .inUse: return CommandFailure(code: .temporaryFailure, text: words)
    case .foreign:
      return CommandFailure(
        code: .noPermission,
        text: "\(path) belongs to another user; run this as that user or with sudo, or set another"
          + " state_directory")
    case .shared:
      return CommandFailure(
        code: .noPermission,
        text: "other users can write to \(path), which holds the key of this board; run: sudo chmod"
          + " go-w \(typed: path)")
    case .exposed(let above):
      let flaw: MessageText =
        above.isForeign
        ? "\(above.path) belongs to another user, who"
        : "other users can write to \(above.path), and"
      let remedy: MessageText =
        above.isForeign ? "" : "run: sudo chmod go-w \(typed: above.path), or "
      return CommandFailure(
        code: .noPermission,
        text: "\(flaw) could replace \(path), which holds the key of this board; \(remedy)set"
          + " another state_directory")
    case .failed(.notPermitted): return CommandFailure(notPermitted: path)
    case .failed(let error):
      return CommandFailure(
        code: .noInput,
        text: "\(path) cannot be used: \(error); create it, or set another state_directory")
    }
  }

  public func keptRegistration() throws(CommandFailure) -> Registration? {
    try opened(
      readRegistration(), Self.registrationName,
      remedy: "restore a copy, or remove it to register this board again (Home Assistant then"
        + " creates new entities)")
  }

  func keptCredential() throws(CommandFailure) -> Credential? {
    try opened(
      readCredential(), Self.credentialName,
      remedy: "remove it, and log in with \(Arguments.command("pair"))")
  }

  /// Returns the tokens that must not be sent. If they are unknown, or if another one could not be
  /// stored, no token is sent.
  public func keptRejectedTokens() throws(CommandFailure) -> RejectedTokens {
    try checkCanKeep()
    return try opened(
      readRejectedTokens(), Self.rejectedName,
      remedy: "remove it, and create a new token if Home Assistant rejected one. Until then no"
        + " token is sent, because Home Assistant may ban this address") ?? RejectedTokens()
  }

  /// Checks whether a rejection or a registration can be stored, by writing.
  public func checkCanKeep() throws(CommandFailure) {
    do throws(Errno) { try checkIsWritable() } catch {
      throw notKept("no token is sent: a rejection", error)
    }
  }

  public func keep(_ registration: Registration) throws(CommandFailure) {
    do throws(Errno) { try write(registration) } catch { throw notKept("the registration", error) }
  }

  /// Stores that Home Assistant, or a server in its place, rejected a credential. `isForGood` marks
  /// the rejection as permanent, but not at an address that a person types.
  public func keep(
    rejectedFingerprint: [UInt8], isForGood: Bool = false
  ) throws(CommandFailure) {
    do throws(Errno) {
      try changeRejectedTokens {
        $0.insert(fingerprint: rejectedFingerprint, isForGood: isForGood, now: Moment.now.instant)
      }
    } catch {
      throw notKept("that Home Assistant rejected the login", error)
    }
  }

  /// Stores that Home Assistant accepted a credential.
  public func keep(acceptedFingerprint: [UInt8]) throws(CommandFailure) {
    do throws(Errno) {
      try changeRejectedTokens { _ = $0.remove(fingerprint: acceptedFingerprint) }
    } catch {
      throw notKept("that Home Assistant accepted the login", error)
    }
  }

  /// Stores that Home Assistant has no key for a registration.
  public func keepKeyless(_ registration: Registration) throws(CommandFailure) {
    do throws(Errno) { try writeKeyless(registration) } catch {
      throw notKept("that Home Assistant has no keys", error)
    }
  }

  public func keep(_ ids: CommandIDs) throws(CommandFailure) {
    do throws(Errno) { try write(ids) } catch { throw notKept("which commands came", error) }
  }

  /// Returns the commands that came in earlier runs.
  public func keptCommandIDs() throws(CommandFailure) -> CommandIDs {
    try opened(
      readCommandIDs(), Self.commandIDsName,
      remedy: "remove it. Until then a command that comes a second time is carried out again")
      ?? CommandIDs()
  }

  /// Returns the key pair for the push relay, which is made if there is none.
  public func keptPushKeys() throws(CommandFailure) -> PushKeys {
    let kept = try opened(
      readPushKeys(), Self.pushKeysName,
      remedy: "remove it: the agent makes another, and what waits at the relay is lost")
    if let kept { return kept }
    let keys = PushKeys(SecretKey(randomBytes: randomBytes()))
    do throws(Errno) {
      try write(keys)
      return keys
    } catch { throw notKept("the key for the push relay", error) }
  }

  public func keep(_ token: PushRelayToken) throws(CommandFailure) {
    do throws(Errno) { try write(token) } catch { throw notKept("the token of the relay", error) }
  }

  private func notKept(_ what: StaticString, _ error: Errno) -> CommandFailure {
    if error == .notPermitted { return CommandFailure(notPermitted: path) }
    let readOnly = readOnlyWords
    let remedy: MessageText =
      readOnly.bytes.isEmpty ? "; free space there, or set another state_directory" : readOnly
    return CommandFailure(
      code: .noInput, text: "\(what) cannot be stored in \(path): \(error)\(remedy)")
  }

  private func opened<Value>(
    _ kept: Kept<Value>, _ name: StaticString, remedy: MessageText
  ) throws(CommandFailure) -> Value? {
    switch kept {
    case .value(let value): return value
    case .none: return nil
    case .damaged(.damaged):
      throw CommandFailure(code: .dataError, text: "\(path)/\(name) is damaged; \(remedy)")
    case .damaged(.unknownVersion(let version)):
      throw CommandFailure(
        code: .dataError,
        text: "\(path)/\(name) has version \(Int(clamping: version)), written by a newer Homeward;"
          + " install that version")
    case .unreadable(.notPermitted): throw CommandFailure(notPermitted: path / name)
    case .unreadable(let error):
      throw CommandFailure(
        code: .noInput,
        text: "\(path)/\(name) cannot be read: \(error); make it readable, or \(remedy)")
    }
  }

  public var registrationIsPlain: CommandFailure {
    CommandFailure(
      code: .dataError,
      text: "\(path)/registration.json has no key, and the configuration requires encryption;"
        + " remove it to register this board again (Home Assistant then creates new entities)")
  }
}

/// The reason why the disk of a state directory cannot store data, detected without writing.
public struct DiskFlaw: Sendable {
  public let code: StaticString
  public let words: MessageText
  public let remedy: MessageText

  static func full(_ place: Path) -> DiskFlaw {
    DiskFlaw(
      code: "full",
      words: "less than 4 MiB is free on \(place): data that Home Assistant does not accept may be"
        + " in memory only",
      remedy: "free space there: sudo apt clean")
  }

  static func readOnly(_ place: Path) -> DiskFlaw {
    DiskFlaw(
      code: "read_only",
      words: "\(place) is read-only: data that Home Assistant does not accept is in memory only",
      remedy: "sudo dmesg shows the cause; to make it writable: sudo mount -o remount,rw"
        + " \(typed: place)")
  }

  /// Returns the flaw of the disk; nil if the disk can be written, if no data is to be stored
  /// there, or if the directory does not exist yet.
  public static func flaw(of directory: Path, _ durability: Durability) -> DiskFlaw? {
    guard durability != .memory, let space = try? FileSystemSpace(holding: directory) else {
      return nil
    }
    if space.isReadOnly { return .readOnly(mountPoint(holding: directory)) }
    let isFull = space.availableBytes < StateDirectory.leastFreeBytes
    return isFull ? .full(mountPoint(holding: directory)) : nil
  }
}
