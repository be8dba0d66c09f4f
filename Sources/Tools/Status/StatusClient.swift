import Board
import Bytes
import LinuxIO

/// Asks the agent that has a state directory for itself how it is.
struct StatusClient {
  /// How long the agent may take to answer; a slow card can hold it up.
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

  /// More room than any document takes.
  static var emptyDocument: ByteBuffer {
    ByteBuffer(capacity: StateDirectory.statusByteCountMax + 1)
  }

  var socket: Path { stateDirectory / StateDirectory.statusSocketName }

  /// What the agent told.
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

  /// What is longer than any document is none.
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

  /// No agent listens. Where the disk is read-only none can, and its lock tells whether one runs.
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

  /// It may be started again, as by its service manager.
  private var cutOff: CommandFailure {
    CommandFailure(
      code: .temporaryFailure,
      text: "the agent that runs with \(stateDirectory) stopped before it answered")
  }

  /// Why the agent could not be asked.
  func failure(_ error: Errno) -> CommandFailure {
    switch error {
    case .noSuchFile, .connectionRefused: noAnswer
    // It ended with the question unread.
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
  /// Whether the end of the line is missing that an agent tells.
  fileprivate var isCutOff: Bool {
    guard count > 0 else { return true }
    return bytes[0] == UInt8(ascii: "{") && bytes[count - 1] != UInt8(ascii: "\n")
      && freeCapacity > 0
  }
}
