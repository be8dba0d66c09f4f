public import Bytes
import CLinux
import Drivers
public import HomeAssistant
public import LinuxIO

/// The files that survive a restart: the registration, the credential, the key for a push relay,
/// and the fingerprints of rejected tokens and of commands that came. Each is replaced as a whole,
/// so that a power cut leaves the old one or the new one.
public final class StateDirectory {
  public static let registrationName: StaticString = "registration.json"
  static let credentialName: StaticString = "credential.json"
  public static let rejectedName: StaticString = "rejected-token"
  /// Token for the push relay that `homeward pair --relay` stored.
  public static let relayTokenName: StaticString = "relay-token"
  static let pushKeysName: StaticString = "push-key.json"
  static let commandIDsName: StaticString = "commands.json"
  /// Long-lived token that `homeward provision` read from the card.
  public static let tokenName: StaticString = "token"
  /// Socket on which the agent serves its status.
  public static let statusSocketName: StaticString = "agent.socket"
  /// Size of the status document with addresses, and failures with the longest messages. The kernel
  /// accepts this size for a connection at once. A member that does not fit is left out.
  public static let statusByteCountMax = 64 * 1024
  /// Free space on the disk below which the registration may not be stored.
  public static let leastFreeBytes: UInt64 = 4 << 20
  /// Directory of undelivered entries.
  public static let spoolName: StaticString = "spool"
  /// Mark of the registration that will never have a key.
  private static let keylessName: StaticString = "without-key"
  /// Record of the agent's last crash, which `clinux_keep_last_words` writes.
  private static let lastWordsName: StaticString = "last-words"
  private static let probeName: StaticString = "probe"
  /// Hours that are not yet imported into Home Assistant's statistics.
  public static let hoursName: StaticString = "statistics.hours"
  /// Names of all files that are replaced as a whole.
  private static let replacedNames: [StaticString] = [
    registrationName, credentialName, rejectedName, relayTokenName, pushKeysName, commandIDsName,
    keylessName, probeName, tokenName, hoursName, CountsFile.fileName, AnchorAlarm.fileName,
  ]

  public let path: Path
  private var lock: Descriptor?

  public init(_ path: Path) { self.path = path }

  public enum Opening: Equatable {
    case open
    /// The directory cannot be created or entered.
    case failed(Errno)
    /// Another agent uses the directory.
    case inUse
    /// The directory belongs to another user, who is not root.
    case foreign
    /// Users other than its owner may write to the directory.
    case shared
    /// Other users may replace the directory.
    case exposed(ExposedDirectory)
  }

  /// Creates the directory if it is missing, and locks out other agents until the process ends.
  public func open() -> Opening {
    do throws(Errno) {
      try makePrivateDirectory(at: path)
      let directory = try Descriptor(opening: path, mode: .directory)
      let owner = try directory.status()
      // Root may work for any user: the files that it creates there belong to that user.
      guard [0, owner.user].contains(geteuid()) || owner.user == 0 else { return .foreign }
      if let flaw = try exposure(owner) { return flaw }
      if let kept = LinuxIO.lock(keptFor: directory) {
        lock = consume kept
      } else {
        guard try directory.lock() else { return .inUse }
        lock = consume directory
      }
      // On a read-only disk they remain.
      try? Directory(opening: path).removeUnfinished(
        of: path, named: Self.replacedNames.map { [UInt8]($0) })
      return .open
    } catch {
      return .failed(error)
    }
  }

  private func exposure(_ owner: FileStatus) throws(Errno) -> Opening? {
    guard !owner.sharesWriting else { return .shared }
    return try ExposedDirectory.first(above: path, of: owner).map { .exposed($0) }
  }

  /// Whether other users may write to the directory or replace it, without opening it; nil if they
  /// may not, or if it does not exist.
  var exposure: Opening? {
    do throws(Errno) {
      return try exposure(try Descriptor(opening: path, mode: .directory).status())
    } catch { return nil }
  }

  /// Restarts the program, and keeps the lock so that no other agent gets the directory. Returns
  /// the error of a failed restart.
  public func perform(_ next: consuming NextStart) -> Errno {
    guard let held = lock.take() else { preconditionFailure("the directory is not open") }
    let error = next.perform(keeping: held)
    lock = consume held
    return error
  }

  /// Makes a crash of this process leave its record here.
  public func keepLastWords() { if let number = lock?.number { clinux_keep_last_words(number) } }

  /// Returns the record of a crashed process; nil if there is none, or if it cannot be read.
  public func readLastWords() -> [UInt8]? {
    var bytes = ByteBuffer(capacity: CLINUX_LAST_WORDS_MAX)
    do throws(Errno) { try readBeginning(ofFileAt: path / Self.lastWordsName, into: &bytes) } catch
    {
      return nil
    }
    return [UInt8](bytes.bytes)
  }

  public func removeLastWords() throws(Errno) { try removeFile(at: path / Self.lastWordsName) }

  /// Message about a read-only disk; empty if the disk can be written.
  public var readOnlyWords: MessageText {
    guard (try? FileSystemSpace(holding: path))?.isReadOnly == true else { return "" }
    return "; its disk is read-only, which often means a failing card (sudo dmesg shows the cause)."
      + " To make it writable: sudo mount -o remount,rw \(typed: mountPoint(holding: path))"
  }

  /// Error of writing a file; nil if writing works, or if the directory does not exist yet.
  public var writingError: Errno? {
    guard (try? byteCount(ofFileAt: path)) != nil else { return nil }
    do throws(Errno) { try checkIsWritable() } catch { return error }
    return nil
  }

  /// Checks by writing, and creates the directory if it is missing.
  func checkIsWritable() throws(Errno) {
    try makePrivateDirectory(at: path)
    try replaceFile(named: Self.probeName, in: path, with: [UInt8]("probe\n").span)
    try removeFile(at: path / Self.probeName)
  }

  /// The contents of a file in the directory.
  public enum Kept<Value> {
    case value(Value)
    case none
    case damaged(KeptFileError)
    case unreadable(Errno)
  }

  public func readRegistration() -> Kept<Registration> {
    read(Self.registrationName, byteCountMax: Registration.fileByteCountMax) {
      (bytes) throws(KeptFileError) in try Registration(file: bytes.span)
    }
  }

  public func readCredential() -> Kept<Credential> {
    read(Self.credentialName, byteCountMax: Credential.fileByteCountMax) {
      (bytes) throws(KeptFileError) in try Credential(file: bytes.span)
    }
  }

  /// Returns the credential from pairing, if it can be read.
  public func credential() -> Credential? {
    if case .value(let credential) = readCredential() { credential } else { nil }
  }

  public func readPushKeys() -> Kept<PushKeys> {
    read(Self.pushKeysName, byteCountMax: PushKeys.fileByteCountMax) {
      (bytes) throws(KeptFileError) in try PushKeys(file: bytes.span)
    }
  }

  func readCommandIDs() -> Kept<CommandIDs> {
    read(Self.commandIDsName, byteCountMax: CommandIDs.fileByteCountMax) {
      (bytes) throws(KeptFileError) in try CommandIDs(file: bytes.span)
    }
  }

  private func read<Value>(
    _ name: StaticString, byteCountMax: Int,
    _ make: ([UInt8]) throws(KeptFileError) -> Value
  ) -> Kept<Value> {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: path / name, byteCountMax: byteCountMax)
    } catch .noSuchFile {
      return .none
    } catch .fileTooLarge {
      return .damaged(.damaged)
    } catch {
      return .unreadable(error)
    }
    do throws(KeptFileError) { return .value(try make(bytes)) } catch { return .damaged(error) }
  }

  /// Returns whether Home Assistant has no key for this registration.
  public func isKeyless(_ registration: Registration) -> Bool {
    let mark = Self.mark(of: registration)
    let kept = try? readFile(at: path / Self.keylessName, byteCountMax: mark.count)
    return kept == mark
  }

  func writeKeyless(_ registration: Registration) throws(Errno) {
    try replaceFile(named: Self.keylessName, in: path, with: Self.mark(of: registration).span)
  }

  private static func mark(of registration: Registration) -> [UInt8] {
    fingerprint(of: [registration.webhookID], purpose: "without key")
  }

  public func write(_ registration: Registration) throws(Errno) {
    try writeSecret(Self.registrationName, Registration.fileByteCountMax) {
      registration.writeFile(into: &$0)
    }
  }

  public func write(_ credential: Credential) throws(Errno) {
    try writeSecret(Self.credentialName, Credential.fileByteCountMax) {
      credential.writeFile(into: &$0)
    }
  }

  func write(_ keys: PushKeys) throws(Errno) {
    try writeSecret(Self.pushKeysName, PushKeys.fileByteCountMax) { keys.writeFile(into: &$0) }
  }

  func write(_ ids: CommandIDs) throws(Errno) {
    try writeSecret(Self.commandIDsName, CommandIDs.fileByteCountMax) { ids.writeFile(into: &$0) }
  }

  public func write(_ token: PushRelayToken) throws(Errno) {
    try writeSecret(Self.relayTokenName, token.text.count + 1) { buffer in
      buffer.append(token.text)
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  private func writeSecret(
    _ name: StaticString, _ byteCountMax: Int, _ write: (inout ByteBuffer) -> Void
  ) throws(Errno) {
    var buffer = ByteBuffer(capacity: byteCountMax)
    defer { buffer.wipe() }
    write(&buffer)
    try replaceFile(named: name, in: path, with: buffer.bytes)
  }

  /// Removes registration and credential, the token of the card, with which the agent would
  /// register again, and what a push relay needs. Rejected tokens remain stored.
  public func removePairing() throws(Errno) {
    for name in [
      Self.tokenName, Self.relayTokenName, Self.pushKeysName, Self.keylessName,
      Self.credentialName, Self.registrationName,
    ] { try removeFile(at: path / name) }
    try Directory(opening: path).synchronize()
  }

  /// Returns the tokens that Home Assistant rejected. If they are unknown, any token may be among
  /// them, and none may be sent.
  func readRejectedTokens() -> Kept<RejectedTokens> {
    let moment = Moment.now
    return read(Self.rejectedName, byteCountMax: RejectedTokens.fileByteCountMax) {
      (bytes) throws(KeptFileError) in
      try RejectedTokens(file: bytes.span, now: moment.instant, wallTime: moment.wallTime)
    }
  }

  func changeRejectedTokens(_ change: (inout RejectedTokens) -> Void) throws(Errno) {
    let kept: RejectedTokens
    switch readRejectedTokens() {
    case .value(let value): kept = value
    case .none: kept = RejectedTokens()
    // Its contents must not be lost, and while it is damaged no token is sent, including this one.
    case .damaged: return
    case .unreadable(let error): throw error
    }
    var rejected = kept
    change(&rejected)
    guard rejected != kept else { return }
    guard !rejected.isEmpty else { return try removeFile(at: path / Self.rejectedName) }
    let moment = Moment.now
    var buffer = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    rejected.writeFile(into: &buffer, now: moment.instant, wallTime: moment.wallTime)
    try replaceFile(named: Self.rejectedName, in: path, with: buffer.bytes)
  }
}
