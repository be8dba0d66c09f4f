import Bytes
import HomeAssistant
import LinuxIO

/// Why a command cannot begin or go on: what the person is told, and how the program ends. Each line
/// of what is wrong in a configuration begins with its place, FILE:LINE:COLUMN, as editors want it.
struct CommandFailure: Error {
  let code: ExitCode
  let text: MessageText

  // Made in hundreds of places, and seldom.
  @inline(never)
  init(code: ExitCode, text: MessageText) {
    self.code = code
    self.text = text
  }

  /// A person may not do that, and with sudo may. It is no reason to touch the file.
  init(notPermitted path: Path) {
    self.init(
      code: .noPermission,
      text: "\(path) is for the agent and root only; run: \(Command.withSudo)")
  }

  fileprivate init(unreadable file: [UInt8], _ error: Errno) {
    let remedy: MessageText
    switch error {
    case .noSuchFile:
      let isDefault = file.span.elementsEqual(Configuration.defaultFile)
      let option: MessageText = isDefault ? "" : " --config \(Path(file))"
      remedy = "to write it, run: sudo homeward pair\(option)"
    case .isDirectory: remedy = "name the file in it with --config"
    case .isPipe:
      self.init(
        code: .noInput,
        text: "\(Path(file)) cannot be read: it is no file; standard input is read with --config -")
      return
    case .notPermitted:
      self.init(notPermitted: Path(file))
      return
    default: remedy = "name another one with --config"
    }
    self.init(code: .noInput, text: "\(Path(file)) cannot be read: \(error); \(remedy)")
  }
}

extension Configuration {
  static let defaultFile: StaticString = "/etc/homeward/homeward.yaml"
  static let defaultStateDirectory: StaticString = "/var/lib/homeward"
  static let fileByteCountMax = 64 * 1024

  /// Reads the file that a command works with; `-` is standard input.
  static func read(from file: [UInt8]) throws(CommandFailure) -> Configuration {
    if let configuration = try readIfThere(from: file) { return configuration }
    throw CommandFailure(unreadable: file, .noSuchFile)
  }

  /// The same; nil where there is no such file.
  static func readIfThere(from file: [UInt8]) throws(CommandFailure) -> Configuration? {
    let bytes: [UInt8]
    let isInput = file.span.elementsEqual("-")
    do throws(Errno) {
      bytes =
        isInput
        ? try readStandardInput(byteCountMax: fileByteCountMax)
        : try readFile(at: Path(file), byteCountMax: fileByteCountMax)
    } catch .noSuchFile {
      return nil
    } catch .fileTooLarge {
      throw CommandFailure(
        code: .configuration,
        text: "\(Path(file)):1:1: this is larger than 64 KiB; is it the right file?")
    } catch {
      throw CommandFailure(unreadable: file, error)
    }
    do throws(ConfigurationErrors) { return try parse(bytes) } catch {
      let name = isInput ? [UInt8]("standard input") : file
      let lines = error.rendered(fileName: name).dropLast()
      throw CommandFailure(
        code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }
}

extension StateDirectory {
  /// Makes and locks the directory that a command works with.
  static func open(_ path: [UInt8]) throws(CommandFailure) -> StateDirectory {
    let state = StateDirectory(Path(path))
    try state.open(
      orInUse:
        "another homeward uses \(state.path)\(state.readOnlyWords); stop it (the service: sudo"
        + " systemctl stop homeward), or name another state_directory")
    return state
  }

  /// The same for a command that asks for a key.
  func openForKey() throws(CommandFailure) {
    try open(
      orInUse: "the agent runs, and asks for a key itself once a day; to ask now, stop it before:"
        + " sudo systemctl stop homeward")
  }

  private func open(orInUse words: MessageText) throws(CommandFailure) {
    switch open() {
    case .open: return
    case .inUse: throw CommandFailure(code: .temporaryFailure, text: words)
    case .foreign:
      throw CommandFailure(
        code: .noPermission,
        text: "\(path) belongs to another user; run this as that user or with sudo, or name another"
          + " state_directory")
    case .shared:
      throw CommandFailure(
        code: .noPermission,
        text: "others may write in \(path), where the key of this board is kept; run: chmod go-w"
          + " \(path)")
    case .failed(.notPermitted): throw CommandFailure(notPermitted: path)
    case .failed(let error):
      throw CommandFailure(
        code: .noInput,
        text: "\(path) cannot be used: \(error); make it, or name another state_directory")
    }
  }

  /// The registration that is kept, or nil.
  func keptRegistration() throws(CommandFailure) -> Registration? {
    try opened(
      readRegistration(), Self.registrationName,
      remedy: "bring back a copy, or remove it to register this board anew (Home Assistant then"
        + " makes new entities)")
  }

  /// The credential that is kept, or nil.
  func keptCredential() throws(CommandFailure) -> Credential? {
    try opened(
      readCredential(), Self.credentialName, remedy: "remove it, and log in with homeward pair")
  }

  /// The tokens that may not be sent. None is sent by who does not know them, or could not keep
  /// another one in mind.
  func keptRejectedTokens() throws(CommandFailure) -> RejectedTokens {
    try checkCanKeep()
    return try opened(
      readRejectedTokens(), Self.rejectedName,
      remedy: "remove it, and make a new token if Home Assistant rejected one. Until then none is"
        + " sent, for Home Assistant may ban this address") ?? RejectedTokens()
  }

  /// Tries to write, as keeping a rejection or a registration will.
  func checkCanKeep() throws(CommandFailure) {
    do throws(Errno) { try checkIsWritable() } catch {
      throw notKept("no token is sent: a rejection", error)
    }
  }

  func keep(_ registration: Registration) throws(CommandFailure) {
    do throws(Errno) { try write(registration) } catch { throw notKept("the registration", error) }
  }

  /// Keeps in mind that Home Assistant rejected a credential, so that it is never sent again.
  func keep(rejectedFingerprint: [UInt8]) throws(CommandFailure) {
    do throws(Errno) { try write(rejectedFingerprint: rejectedFingerprint) } catch {
      throw notKept("that Home Assistant rejected the login", error)
    }
  }

  func notKept(_ what: StaticString, _ error: Errno) -> CommandFailure {
    if error == .notPermitted { return CommandFailure(notPermitted: path) }
    return CommandFailure(
      code: .noInput,
      text: "\(what) cannot be kept in \(path): \(error); make room there, or name another"
        + " state_directory")
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
        text: "\(path)/\(name) has version \(Int(clamping: version)), which a newer Homeward wrote;"
          + " install that one")
    case .unreadable(.notPermitted): throw CommandFailure(notPermitted: path / name)
    case .unreadable(let error):
      throw CommandFailure(
        code: .noInput,
        text: "\(path)/\(name) cannot be read: \(error); make it readable, or \(remedy)")
    }
  }

  var registrationIsPlain: CommandFailure {
    CommandFailure(
      code: .dataError,
      text: "\(path)/registration.json has no key, and nothing is sent in plain; remove it to"
        + " register this board anew (Home Assistant then makes new entities)")
  }
}
