import Bytes
import HomeAssistant
import LinuxIO

/// Why a command cannot begin or go on: what the person is told, and how the program ends.
struct CommandFailure: Error {
  let code: ExitCode
  let text: MessageText
}

extension Configuration {
  static let defaultFile: StaticString = "/etc/homeward/homeward.yaml"
  static let fileByteCountMax = 64 * 1024

  /// Reads the file that a command works with.
  static func read(from file: [UInt8]) throws(CommandFailure) -> Configuration {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: Path(file), byteCountMax: fileByteCountMax)
    } catch .fileTooLarge {
      throw CommandFailure(
        code: .configuration,
        text: "\(Path(file)) is larger than 64 KiB; is it the right file?")
    } catch .isDirectory {
      throw CommandFailure(
        code: .noInput, text: "\(Path(file)) is a directory; name the file in it with --config")
    } catch {
      throw CommandFailure(
        code: .noInput,
        text: "\(Path(file)) cannot be read: \(error); name the configuration with --config")
    }
    do throws(ConfigurationErrors) { return try parse(bytes) } catch {
      let lines = error.rendered(fileName: file).dropLast()
      throw CommandFailure(code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }
}

extension StateDirectory {
  /// Makes and locks the directory that a command works with.
  static func open(_ path: [UInt8]) throws(CommandFailure) -> StateDirectory {
    let state = StateDirectory(Path(path))
    switch state.open() {
    case .open: return state
    case .inUse:
      throw CommandFailure(
        code: .temporaryFailure,
        text: "another homeward uses \(state.path); stop it, or name another state_directory")
    case .failed(let error):
      throw CommandFailure(
        code: .noInput,
        text: "\(state.path) cannot be used: \(error); make it, or name another state_directory")
    }
  }

  func keptRegistration() throws(CommandFailure) -> Registration? {
    switch readRegistration() {
    case .registration(let registration): return registration
    case .none: return nil
    case .damaged(.damaged):
      throw CommandFailure(
        code: .dataError,
        text: "\(path)/registration.json is damaged; bring back a copy, or remove it to"
          + " register this board anew (Home Assistant then makes new entities)")
    case .damaged(.unknownVersion(let version)):
      throw CommandFailure(
        code: .dataError,
        text: "\(path)/registration.json has version \(Int(version)), which a newer Homeward"
          + " wrote; install that one")
    case .unreadable(let error):
      throw CommandFailure(
        code: .noInput, text: "\(path)/registration.json cannot be read: \(error)")
    }
  }

  var registrationIsPlain: CommandFailure {
    CommandFailure(
      code: .dataError,
      text: "\(path)/registration.json has no key, and nothing is sent in plain; remove it to"
        + " register this board anew (Home Assistant then makes new entities)")
  }
}
