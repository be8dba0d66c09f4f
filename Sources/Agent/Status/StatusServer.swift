import Board
import Bytes
import LinuxIO
import Outbox

/// Who knows how the agent is.
protocol StatusServerOwner: AnyObject {
  /// Replaces what is in `document` with how things stand.
  func writeStatus(at moment: Moment, into document: inout ByteBuffer)
}

/// Tells how the agent is to each client that connects to a socket in the state directory: one
/// document, and that was it.
///
/// No client can hold it up. A document is smaller than what the kernel takes of a connection at
/// once, so it is handed over in one go and the connection forgotten, whether or not the other side
/// ever reads; a kernel that is set to take less gets a part of it, which the other side notices.
/// While no client asks it costs nothing.
final class StatusServer {
  /// Clients that may wait for an answer, and that one turn of the loop answers. More wait in their
  /// own `connect(2)`.
  static let clientsWaitingMax: Int32 = 16

  private let loop: EventLoop
  private let reporter: Reporter
  private let listener: LocalListener
  private var watch: LinuxIO.Watch?
  /// Why no client is answered until the next cycle.
  private var error: Errno?
  private var document = ByteBuffer(capacity: StateDirectory.statusByteCountMax)
  private unowned(unsafe) let owner: any StatusServerOwner

  /// The agent has the directory for itself, so a socket in it is one that a killed agent left.
  /// `owner` outlives this.
  init(
    in state: StateDirectory, loop: EventLoop, owner: any StatusServerOwner, reporter: Reporter
  ) throws(Errno) {
    listener = try LocalListener(
      at: state.path / StateDirectory.statusSocketName, waitingMax: Self.clientsWaitingMax)
    self.loop = loop
    self.reporter = reporter
    unsafe self.owner = owner
    watch = try loop.watch(listener.number, for: .input, telling: self)
  }

  /// A client that comes from now on is told that no agent runs.
  func close() {
    if let watch { loop.stop(watch) }
    watch = nil
    // What cannot be removed is replaced by the next agent.
    try? listener.remove()
  }

  /// The kernel may have room for connections again.
  func cycleDue() {
    guard watch == nil else { return }
    do throws(Errno) {
      watch = try loop.watch(listener.number, for: .input, telling: self)
    } catch { pause(error) }
  }

  /// Watched on, a socket that has no room for those who wait would wake the agent for ever.
  private func pause(_ error: Errno) {
    if let watch { loop.stop(watch) }
    watch = nil
    if error != self.error { reporter.statusPaused(error) }
    self.error = error
  }

  private func answerClients() throws(Errno) {
    var isWritten = false
    for _ in 0..<Self.clientsWaitingMax {
      guard let client = try listener.accept() else { return }
      if !isWritten {
        unsafe owner.writeStatus(at: Moment.now, into: &document)
        isWritten = true
      }
      // A client that has hung up already needs no answer.
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
  /// The agent does its work all the same.
  func statusFailed(_ error: Errno) {
    log.warning(
      "the agent cannot answer homeward status: \(error); it retries in each cycle")
  }

  /// It is out of descriptors or memory for the moment.
  func statusPaused(_ error: Errno) {
    log.warning(
      "the agent cannot answer homeward status now: \(error); it retries in each cycle")
  }
}
