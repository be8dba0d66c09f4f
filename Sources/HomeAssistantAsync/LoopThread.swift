import Bytes
import Glibc
import HomeAssistant
import LinuxIO
import Synchronization
import Transport

/// Thread of an `AsyncClient`: it runs the jobs of the actor one after the other, and the transport
/// of the client's bytes, until it is stopped.
protocol LoopExecutor: SerialExecutor {
  /// Ends the thread after its waiting jobs.
  func stop()
}

/// Thread that sleeps in an event loop, and runs the driver of a client.
final class LoopThread: LoopExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wakeUp: WakeUp

  init() throws(Errno) { wakeUp = try WakeUp() }

  /// Starts the thread, which owns the loop and the driver from now on.
  func start(_ loop: EventLoop, _ driver: NetworkDriver, _ client: Client) throws(Errno) {
    _ = try loop.watch(wakeUp.number, for: .input, telling: wakeUp)
    let work = Work { [self] in
      // The driver reports to the client as long as the loop exists.
      withExtendedLifetime(client) { run(loop, driver) }
    }
    let result = work.begin()
    guard result == 0 else { throw Errno(code: result) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wakeUp.signal()
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp.signal()
  }

  private func run(_ loop: EventLoop, _ driver: NetworkDriver) {
    while true {
      let (jobs, isStopped) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isStopped)
      }
      for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
      if isStopped, jobs.isEmpty { return }
      // Only invalid descriptors can make it fail, and these are the loop's own.
      do throws(Errno) { try loop.turn(until: jobs.isEmpty ? driver.deadline : driver.now) } catch {
        preconditionFailure("epoll_wait fails only where it is called wrongly")
      }
      driver.deadlineReached(now: driver.now)
    }
  }
}

private final class Work {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  /// Starts a thread that runs the body; returns 0, or the error number.
  func begin() -> Int32 {
    let work = unsafe Unmanaged.passRetained(self)
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        Work.blockSignals()
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if result == 0 { pthread_detach(thread) } else { unsafe work.release() }
    return result
  }

  /// Blocks all signals but faults: signals are for the threads of the program, and a write to a
  /// broken connection is an error here, not an end by SIGPIPE.
  private static func blockSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      unsafe sigdelset(&signals, fault)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
