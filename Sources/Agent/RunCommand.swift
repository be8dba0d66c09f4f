import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// `homeward run`: reads the configuration, puts the parts together, and works.
struct RunCommand {
  static let configurationByteCountMax = 64 * 1024
  /// How long `--once` waits for a fix, and for Home Assistant.
  static let onceFixTimeout: Duration = .seconds(30)
  static let onceTimeout: Duration = .seconds(90)
  /// How long a cycle waits for a fix that it asked for.
  static let fixTimeout: Duration = .seconds(5)

  let file: [UInt8]
  let isOnce: Bool
  let events: EventStream
  let log = Log()

  func run() -> ExitCode {
    do throws(Failure) {
      let configuration = try readConfiguration()
      let state = try openState(configuration.stateDirectory)
      let registration = try readRegistration(state)
      guard prepareSodium() else {
        throw Failure(code: .osError, text: "this machine has no source of random numbers")
      }
      return try work(configuration, state, registration)
    } catch {
      log.error(error.text)
      return error.code
    }
  }

  /// Why the command cannot begin or go on.
  private struct Failure: Error {
    let code: ExitCode
    let text: MessageText
  }

  private func readConfiguration() throws(Failure) -> Configuration {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: Path(file), byteCountMax: Self.configurationByteCountMax)
    } catch .fileTooLarge {
      throw Failure(
        code: .configuration,
        text: "\(Path(file)) is larger than 64 KiB; is it the right file?")
    } catch .isDirectory {
      throw Failure(
        code: .noInput, text: "\(Path(file)) is a directory; name the file in it with --config")
    } catch {
      throw Failure(
        code: .noInput,
        text: "\(Path(file)) cannot be read: \(error); name the configuration with --config")
    }
    do throws(ConfigurationErrors) { return try Configuration.parse(bytes) } catch {
      let lines = error.rendered(fileName: file).dropLast()
      throw Failure(code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }

  private func openState(_ path: [UInt8]) throws(Failure) -> StateDirectory {
    let state = StateDirectory(Path(path))
    switch state.open() {
    case .open: return state
    case .inUse:
      throw Failure(
        code: .temporaryFailure,
        text: "another homeward uses \(state.path); stop it, or name another state_directory")
    case .failed(let error):
      throw Failure(
        code: .noInput,
        text: "\(state.path) cannot be used: \(error); make it, or name another state_directory")
    }
  }

  private func readRegistration(_ state: StateDirectory) throws(Failure) -> Registration? {
    switch state.readRegistration() {
    case .registration(let registration): return registration
    case .none: return nil
    case .damaged(.damaged):
      throw Failure(
        code: .dataError,
        text: "\(state.path)/registration.json is damaged; bring back a copy, or remove it to"
          + " register this board anew (Home Assistant then makes new entities)")
    case .damaged(.unknownVersion(let version)):
      throw Failure(
        code: .dataError,
        text: "\(state.path)/registration.json has version \(Int(version)), which a newer Homeward"
          + " wrote; install that one")
    case .unreadable(let error):
      throw Failure(
        code: .noInput, text: "\(state.path)/registration.json cannot be read: \(error)")
    }
  }

  private func work(
    _ configuration: Configuration, _ state: StateDirectory, _ registration: Registration?
  ) throws(Failure) -> ExitCode {
    let start = Moment.now.instant
    let reporter = Reporter(log: log, events: events)
    do throws(Errno) {
      let loop = try EventLoop()
      let signals = try Signals(loop: loop)
      guard
        let courier = Courier(
          settings: configuration.homeAssistant,
          identity: DeviceIdentity(host: configuration.host).registrationRequest(
            name: configuration.deviceName),
          state: state, registration: registration, loop: loop, reporter: reporter, now: start)
      else { throw Errno.outOfMemory }
      let supervisor = Supervisor(courier: courier, reporter: reporter)
      Wiring(
        configuration: configuration, loop: loop,
        fixTimeout: isOnce ? Self.onceFixTimeout : Self.fixTimeout
      ).connect(to: supervisor, now: start)
      let runLoop = RunLoop(
        loop: loop, supervisor: supervisor, courier: courier, every: configuration.every,
        signals: signals, now: start)
      reporter.started(configuration)
      try runLoop.run(until: { isOnce && isDone(reporter, start: start) })
      reporter.stopped(undelivered: courier.delivery.batch.undeliveredCount) { line in
        if isOnce { line.appendMembers(of: courier.delivery.batch, lastFix: courier.lastFix) }
      }
      return isOnce ? reporter.outcome ?? .temporaryFailure : .success
    } catch {
      throw Failure(code: .osError, text: "the kernel refuses what the agent needs: \(error)")
    }
  }

  private func isDone(_ reporter: Reporter, start: Instant) -> Bool {
    reporter.outcome != nil || Moment.now.instant - start > Self.onceTimeout
  }
}
