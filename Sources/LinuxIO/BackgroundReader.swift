public import Bytes
import CLinux

/// What is read beside the loop: a class, for a thread gets no more than its address.
open class BackgroundRead {
  public init() {}

  /// Reads, on another thread than that of the loop, which leaves alone meanwhile what this
  /// touches.
  open func readBesideLoop() {}

  /// It was read, which took this long. In the loop.
  open func readEnded(after duration: Duration) {}
}

/// What the threads do.
private func performRead(_ work: UnsafeMutableRawPointer) {
  unsafe Unmanaged<BackgroundRead>.fromOpaque(work).takeUnretainedValue().readBesideLoop()
}

/// What devices share that keep one another waiting: of one bus one file is read at a time.
public struct DeviceBus: Equatable, Sendable {
  /// Of its name. Two buses of the same checksum would merely wait for each other.
  fileprivate let checksum: UInt32

  public init(named name: Span<UInt8>) {
    var checksum = CRC32C()
    checksum.update(name)
    self.checksum = checksum.value
  }
}

/// Reads what a driver, a bus or a disk can hold up, beside the loop: a 1-Wire thermometer measures
/// while its file is read, for up to 0.75 s, and neither `poll(2)` nor `O_NONBLOCK` changes that.
///
/// What is on one bus is read one after the other, and several buses by a thread each, of which
/// there are at most `threadsMax`: a bus that does not answer takes one of them and keeps no other
/// bus waiting. A thread that finds nothing to read ends.
@safe public final class BackgroundReader {
  /// Reads that can be waited for at one time.
  public static let readsMax = Int(CLINUX_READER_JOBS_MAX)
  /// Buses that can be read at one time.
  public static let threadsMax = Int(CLINUX_READER_THREADS_MAX)

  private struct Job {
    let read: BackgroundRead
    let bus: DeviceBus
  }

  private let loop: EventLoop
  private let clock: @convention(c) () -> Int64
  private var reader: OpaquePointer?
  /// What is waited for, by its number.
  private var jobs: [Job?] = []
  private var awaitedCount = 0
  /// The present by the loop's clock when a file that was read in the loop held it up last. What is
  /// asked for in the same turn is better read here.
  public var loopHeldUpAt: Instant?

  /// - Parameters:
  ///   - loop: who reports that something was read.
  ///   - clock: nanoseconds, by which reads are timed, on every thread; nil for that of
  ///     `Instant`.
  public init(loop: EventLoop, clock: (@convention(c) () -> Int64)? = nil) {
    self.loop = loop
    self.clock = clock ?? clinux_boot_clock
  }

  /// What a thread still reads stays for ever: it may be in the kernel for as long.
  deinit {
    guard let reader = unsafe reader else { return }
    for case let job? in jobs { _ = unsafe Unmanaged.passRetained(job.read) }
    unsafe clinux_reader_stop(reader)
  }

  /// Now, by the clock that times reads.
  public var now: Instant { Instant(nanoseconds: clock()) }

  /// Whether nothing is waited for.
  public var isIdle: Bool { awaitedCount == 0 }

  /// Whether something on this bus is waited for.
  public func isReading(_ bus: DeviceBus) -> Bool {
    for job in jobs where job?.bus == bus { return true }
    return false
  }

  /// Has `read` done as soon as its bus is free.
  ///
  /// - Throws: EBUSY where `readsMax` are waited for; what the kernel says where there can be no
  ///   thread.
  public func perform(_ read: BackgroundRead, on bus: DeviceBus) throws(Errno) {
    let reader = unsafe try startedReader()
    let number = jobs.firstIndex { $0 == nil } ?? jobs.count
    guard number < Self.readsMax else { throw .busy }
    if number == jobs.count { jobs.append(nil) }
    // The job keeps it until it is taken.
    let work = unsafe Unmanaged.passUnretained(read).toOpaque()
    jobs[number] = Job(read: read, bus: bus)
    let error = unsafe clinux_reader_ask(reader, UInt32(number), work, bus.checksum)
    guard error == 0 else {
      jobs[number] = nil
      throw Errno(code: error)
    }
    awaitedCount += 1
  }

  /// How many threads there are.
  var threadCount: Int {
    guard let reader = unsafe reader else { return 0 }
    return unsafe Int(clinux_reader_threads(reader))
  }

  @unsafe
  private func startedReader() throws(Errno) -> OpaquePointer {
    if let reader = unsafe reader { return unsafe reader }
    guard let started = unsafe clinux_reader_start(clock, { unsafe performRead($0) }) else {
      throw Errno.current
    }
    do throws(Errno) {
      _ = try loop.watch(unsafe clinux_reader_event(started), for: .input, telling: self)
    } catch {
      unsafe clinux_reader_stop(started)
      throw error
    }
    unsafe reader = started
    return unsafe started
  }

  /// How long a job took, where it is done.
  private func taken(_ number: Int) -> Duration? {
    guard let reader = unsafe reader else { return nil }
    var nanoseconds: Int64 = 0
    let isDone = unsafe clinux_reader_take(reader, UInt32(number), &nanoseconds)
    return isDone ? .nanoseconds(nanoseconds) : nil
  }
}

extension BackgroundReader: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    clinux_eventfd_clear(descriptor)
    for number in jobs.indices {
      guard let job = jobs[number], let duration = taken(number) else { continue }
      // Its owner may ask again at once.
      jobs[number] = nil
      awaitedCount -= 1
      job.read.readEnded(after: duration)
    }
  }
}
