import Bytes
import Glibc
import HomeAssistant
import LinuxIO
import Synchronization
import Transport

/// A thread that sleeps in an event loop, where the driver of a client lives.
final class LoopThread: LoopExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wakeUp: WakeUp

  init() throws(Errno) { wakeUp = try WakeUp() }

  /// Starts the thread, to which the loop and the driver belong from now on.
  func start(_ loop: EventLoop, _ driver: NetworkDriver, _ client: Client) throws(Errno) {
    let watcher = Clearing(wakeUp)
    _ = try loop.watch(wakeUp.number, for: .input, telling: watcher)
    let work = Work { [self] in
      // The driver tells the client what happened as long as there is a loop.
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
      // Only descriptors can fail it, and these are the loop's own.
      do throws(Errno) { try loop.turn(until: jobs.isEmpty ? driver.deadline : driver.now) } catch {
        preconditionFailure("epoll_wait fails only where it is called wrongly")
      }
      driver.deadlineReached(now: driver.now)
    }
  }
}

private final class Clearing: Watcher {
  private let wakeUp: WakeUp

  init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) { wakeUp.clear() }
}

/// What a thread does.
private final class Work {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  /// Starts a thread that does it; 0, or the number of the error.
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

  /// Signals are for the threads of the program, and to write over a connection that is gone is an
  /// error here and not its end by SIGPIPE. A fault of this thread stays this thread's.
  private static func blockSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      unsafe sigdelset(&signals, fault)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
