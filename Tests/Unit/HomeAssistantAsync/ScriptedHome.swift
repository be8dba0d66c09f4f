import Bytes
import Dispatch
import HomeAssistant
import HomeAssistantTesting

@testable import HomeAssistantAsync

/// An `AsyncClient` on a scripted driver, and the thread that both live on.
///
/// Time is the driver's. A test does its part of the script there, and waits until something holds
/// there: it is looked at after every job, so nothing is asked again and again.
final class ScriptedHome: LoopExecutor, @unchecked Sendable {
  private struct Expectation {
    let holds: () -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let queue = DispatchQueue(label: "scripted home")
  private let driver = ScriptedDriver()
  private var expectations: [Expectation] = []
  private var isStopped = false

  /// A client, and its home.
  static func make() -> (AsyncClient, ScriptedHome) {
    let home = ScriptedHome()
    var policy = SessionPolicy()
    policy.coalescesMessages = false
    nonisolated(unsafe) let client = home.driver.makeClient(policy: policy)
    return unsafe (AsyncClient(on: home, client), home)
  }

  /// A client that is connected, and its home, where nothing was sent yet.
  static func makeReady() async -> (AsyncClient, ScriptedHome) {
    let (client, home) = make()
    await client.connect()
    await home.play {
      $0.acceptConnection()
      $0.removeDeeds()
    }
    return (client, home)
  }

  // MARK: The script

  /// Does something with the driver, on its thread.
  @discardableResult
  func play<Result: Sendable>(_ body: @escaping @Sendable (ScriptedDriver) -> Result) async
    -> Result
  {
    await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: body(self.driver))
        self.look()
      }
    }
  }

  /// Waits until something holds.
  func until(_ holds: @escaping @Sendable (ScriptedDriver) -> Bool) async {
    await wait { holds(self.driver) }
  }

  /// Waits until a message of this type was sent since the last look, answers it, and forgets what
  /// was done so far.
  func answer(_ type: String, with result: JSON = .null) async {
    await until { $0.messageTypes.contains(type) }
    await play {
      $0.answer(with: result)
      $0.removeDeeds()
    }
  }

  /// Waits until the client was the last one to need the thread.
  func untilStopped() async { await wait { self.isStopped } }

  private func wait(until holds: @escaping @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.expectations.append(Expectation(holds: holds, continuation: continuation))
        self.look()
      }
    }
  }

  private func look() {
    expectations.removeAll { expectation in
      guard expectation.holds() else { return false }
      expectation.continuation.resume()
      return true
    }
  }

  // MARK: The thread

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.look()
    }
  }

  func stop() {
    queue.async {
      self.isStopped = true
      self.look()
    }
  }
}
