import Board
import Bytes
import LinuxIO

/// Client that asks the agent of a state directory for its status.
struct StatusClient {
  /// Maximum time for the answer; a slow card can delay the agent.
  static let timeout: Duration = .seconds(5)

  let stateDirectory: Path

  func run() throws(CommandFailure) -> AgentStatus {
    var document = Self.emptyDocument
    do throws(Errno) {
      let server = try connectLocal(to: socket, timeout: Self.timeout)
      _ = try server.readToEnd(into: &document)
    } catch {
      throw failure(error)
    }
    return try status(in: document)
  }

  /// Empty buffer with room for more than the longest document.
  static var emptyDocument: ByteBuffer {
    ByteBuffer(capacity: StateDirectory.statusByteCountMax + 1)
  }

  var socket: Path { stateDirectory / StateDirectory.statusSocketName }

  func status(
    in document: borrowing ByteBuffer, isCalm: Bool = false
  ) throws(CommandFailure) -> AgentStatus {
    guard !document.isCutOff else { throw cutOff }
    guard let status = AgentStatus(document: [UInt8](document.bytes), isCalm: isCalm) else {
      throw CommandFailure(
        code: .dataError,
        text: "the program that answers in \(stateDirectory) is not the agent, or has another"
          + " version")
    }
    return status
  }

  /// Failure if no agent listens. On a read-only disk none can, and its lock shows whether one
  /// runs.
  private var noAnswer: CommandFailure {
    let state = StateDirectory(stateDirectory)
    let disk = state.readOnlyWords
    if !disk.bytes.isEmpty, state.open() == .inUse {
      return CommandFailure(
        code: .temporaryFailure,
        text: "the agent runs with \(stateDirectory), but cannot be asked\(disk)")
    }
    return CommandFailure(
      code: .unavailable,
      text: "no agent runs with \(stateDirectory); start it: \(start)\(disk)")
  }

  /// Command that starts the agent: the service, if it is installed and has this state directory.
  private var start: MessageText {
    let isOfService =
      Service.isInstalled() && stateDirectory == Path(Configuration.defaultStateDirectory)
    return isOfService ? "sudo systemctl start homeward" : Arguments.command("run")
  }

  /// Failure of an answer that ended early; temporary, as a service manager may restart the agent.
  private var cutOff: CommandFailure {
    CommandFailure(
      code: .temporaryFailure,
      text: "the agent that runs with \(stateDirectory) stopped before it answered")
  }

  /// Returns the reason why the agent could not be asked.
  func failure(_ error: Errno) -> CommandFailure {
    switch error {
    case .noSuchFile, .connectionRefused: noAnswer
    // The agent ended before it read the question.
    case .connectionReset, .brokenPipe: cutOff
    case .notPermitted: CommandFailure(notPermitted: stateDirectory)
    case .wouldBlock:
      CommandFailure(
        code: .temporaryFailure,
        text: "the agent does not answer within \(Self.timeout); does it hang?")
    case .nameTooLong:
      CommandFailure(
        code: .noInput,
        text: "the path \(stateDirectory) is too long to ask the agent there; set a shorter"
          + " state_directory")
    default:
      CommandFailure(code: .osError, text: "the agent cannot be asked: \(error)")
    }
  }
}

extension ByteBuffer {
  /// Whether the end of the agent's line is missing.
  fileprivate var isCutOff: Bool {
    guard count > 0 else { return true }
    return bytes[0] == UInt8(ascii: "{") && bytes[count - 1] != UInt8(ascii: "\n")
      && freeCapacity > 0
  }
}

/// Question to the running agent without blocking: the loop delivers the answer.
final class StatusQuestion: Watcher {
  /// Nil until the agent has answered, or failed to.
  private(set) var outcome: Result<AgentStatus, CommandFailure>?
  /// Time at which a missing answer counts as a failure.
  let deadline: Instant
  private let client: StatusClient
  private let loop: EventLoop
  private var server: Descriptor?
  private var watch: LinuxIO.Watch?
  private var document = StatusClient.emptyDocument

  init(_ client: StatusClient, loop: EventLoop, now: Instant) {
    self.client = client
    self.loop = loop
    deadline = now + StatusClient.timeout
    do throws(Errno) {
      let server = try connectLocal(to: client.socket, timeout: nil)
      watch = try loop.watch(server.number, for: .input, telling: self)
      self.server = consume server
    } catch {
      outcome = .failure(client.failure(error))
    }
  }

  /// Records a failure if the deadline has passed.
  func timePassed(_ now: Instant) {
    if outcome == nil, now >= deadline { end(.failure(client.failure(.wouldBlock))) }
  }

  func cancel() {
    if let watch { loop.stop(watch) }
    watch = nil
  }

  private func end(_ outcome: Result<AgentStatus, CommandFailure>) {
    cancel()
    self.outcome = outcome
  }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    do throws(Errno) {
      if document.freeCapacity > 0, try server?.read(into: &document) != .end { return }
    } catch {
      return end(.failure(client.failure(error)))
    }
    do throws(CommandFailure) {
      end(.success(try client.status(in: document, isCalm: true)))
    } catch {
      end(.failure(error))
    }
  }
}
