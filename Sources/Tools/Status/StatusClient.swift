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
      try read(server, into: &document)
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

  /// Parses the answer of the agent.
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

  /// Reads to the end of the answer, or until the buffer is full: longer answers are not valid.
  private func read(
    _ server: borrowing Descriptor, into document: inout ByteBuffer
  ) throws(Errno) {
    while document.freeCapacity > 0 {
      switch try server.read(into: &document) {
      case .bytes: continue
      case .wouldBlock: throw .wouldBlock
      case .end: return
      }
    }
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
      text: "no agent runs with \(stateDirectory); start it:"
        + " \(Arguments.command("run"))\(disk)")
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
