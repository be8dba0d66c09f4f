import Board
import Bytes
import LinuxIO
import Outbox

/// The provider of the status document.
protocol StatusServerOwner: AnyObject {
  /// Replaces the contents of `document` with the current status.
  func writeStatus(at moment: Moment, into document: inout ByteBuffer)
}

/// Serves the status on a socket in the state directory: each client that connects gets one
/// document, and the connection is closed.
///
/// No client can delay the agent. A document is smaller than the amount that the kernel accepts for
/// a connection at once, so it is handed over in one call and the connection is closed, whether or
/// not the client reads it; if the kernel is set to accept less, the client gets a part, and
/// detects that. Without clients the server costs nothing.
final class StatusServer {
  /// Maximum number of clients that wait for an answer, and that one turn of the loop serves. More
  /// clients wait in their own `connect(2)`.
  static let clientsWaitingMax: Int32 = 16

  private let loop: EventLoop
  private let reporter: Reporter
  private let socket: Path
  /// Nil while there is no socket.
  private var listener: LocalListener?
  private var watch: LinuxIO.Watch?
  /// Last reported error, which stops the service until the next cycle.
  private var error: Errno?
  private var document = ByteBuffer(capacity: StateDirectory.statusByteCountMax)
  private unowned(unsafe) let owner: any StatusServerOwner

  /// `owner` outlives the server.
  init(
    in state: StateDirectory, loop: EventLoop, owner: any StatusServerOwner, reporter: Reporter
  ) {
    socket = state.path / StateDirectory.statusSocketName
    self.loop = loop
    self.reporter = reporter
    unsafe self.owner = owner
    open()
  }

  /// Opens the socket, if it is not open: the disk may be writable, or the kernel have room for
  /// connections again. Only one agent uses the directory, so an existing socket is one that a
  /// killed agent left. The agent also works without it.
  func open() {
    guard watch == nil else { return }
    do throws(Errno) {
      if listener == nil {
        listener = try LocalListener(at: socket, waitingMax: Self.clientsWaitingMax)
      }
      guard let number = listener?.number else { return }
      watch = try loop.watch(number, for: .input, telling: self)
    } catch { pause(error) }
  }

  /// Closes the socket: new clients then see that no agent runs.
  func close() {
    if let watch = watch.take() { loop.stop(watch) }
    // A socket that cannot be removed is replaced by the next agent.
    try? listener?.remove()
    listener = nil
  }

  /// Stops watching: a socket without room for waiting clients would wake the agent continuously.
  private func pause(_ error: Errno) {
    if let watch = watch.take() { loop.stop(watch) }
    if error != self.error { reporter.statusFailed(error) }
    self.error = error
  }

  private func answerClients() throws(Errno) {
    var isWritten = false
    for _ in 0..<Self.clientsWaitingMax {
      guard let client = try listener?.accept() else { return }
      if !isWritten {
        unsafe owner.writeStatus(at: Moment.now, into: &document)
        isWritten = true
      }
      // A client that has hung up needs no answer.
      _ = try? client.send(document.bytes)
    }
  }
}

extension StatusServer: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    do throws(Errno) {
      try answerClients()
      error = nil
    } catch {
      pause(error)
    }
  }
}

extension Reporter {
  /// Reports that status cannot be served; the agent works on.
  func statusFailed(_ error: Errno) {
    log.warning(
      "the agent cannot answer homeward status: \(error); it retries in each cycle")
  }
}
