import Board
import Bytes
import LinuxIO

/// A question to the running agent that its asker does not wait for: the loop tells the answer.
final class StatusQuestion: Watcher {
  enum Outcome {
    case answered(AgentStatus)
    case failed(CommandFailure)
  }

  /// Nil while the agent has not answered.
  private(set) var outcome: Outcome?
  /// When it has failed to answer.
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

  /// The time has come to this.
  func timePassed(_ now: Instant) {
    if outcome == nil, now >= deadline { end(.failed(client.failure(.wouldBlock))) }
  }

  /// The answer is not wanted any more.
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
