import Board
import Bytes
import LinuxIO

/// Question to the running agent without blocking: the loop delivers the answer.
final class StatusQuestion: Watcher {
  enum Outcome {
    case answered(AgentStatus)
    case failed(CommandFailure)
  }

  /// Nil until the agent has answered, or failed to.
  private(set) var outcome: Outcome?
  /// Time at which a missing answer counts as a failure.
  let deadline: Instant
  private let client: StatusClient
  private let loop: EventLoop
  private let server: Descriptor
  private var watch: LinuxIO.Watch?
  private var document = StatusClient.emptyDocument

  init(_ client: StatusClient, loop: EventLoop, now: Instant) throws(CommandFailure) {
    self.client = client
    self.loop = loop
    deadline = now + StatusClient.timeout
    do throws(Errno) {
      server = try connectLocal(to: client.socket, timeout: nil)
      watch = try loop.watch(server.number, for: .input, telling: self)
    } catch {
      throw client.failure(error)
    }
  }

  /// Records a failure if the deadline has passed.
  func timePassed(_ now: Instant) {
    if outcome == nil, now >= deadline { end(.failed(client.failure(.wouldBlock))) }
  }

  /// Stops waiting for the answer.
  func cancel() {
    if let watch { loop.stop(watch) }
    watch = nil
  }

  private func end(_ outcome: Outcome) {
    cancel()
    self.outcome = outcome
  }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    do throws(Errno) {
      if document.freeCapacity > 0, try server.read(into: &document) != .end { return }
    } catch {
      return end(.failed(client.failure(error)))
    }
    do throws(CommandFailure) {
      end(.answered(try client.status(in: document, isCalm: true)))
    } catch {
      end(.failed(error))
    }
  }
}
