import CThreads

/// A value that one thread has at a time.
@safe final class Mutex<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    unsafe cthreads_mutex_init(mutex)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the value, which no other thread has meanwhile. `body` must not ask for it
  /// again.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

/// Semaphore of POSIX.
@safe final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { unsafe cthreads_semaphore_init(semaphore) }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func post() { unsafe sem_post(semaphore) }

  /// Waits for a post, or for some seconds.
  func wait(seconds: Int) { unsafe cthreads_semaphore_wait(semaphore, seconds) }
}

/// A thread with a body of its own.
@safe final class Thread {
  private var thread = pthread_t()

  fileprivate final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts; returns nil if the system has no room for a thread.
  init?(_ run: @escaping () -> Void) {
    let body = unsafe Unmanaged.passRetained(Body(run))
    guard unsafe cthreads_start(&thread, runBody, body.toOpaque()) else {
      unsafe body.release()
      return nil
    }
  }

  func join() { cthreads_join(thread) }
}

private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body = unsafe body {
    unsafe Unmanaged<Thread.Body>.fromOpaque(body).takeRetainedValue().run()
  }
  return nil
}
