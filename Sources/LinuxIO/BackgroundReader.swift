public import Bytes
import CLinux

/// Read that a thread performs beside the loop: a class, because a thread gets only its address.
open class BackgroundRead {
  public init() {}

  /// Reads, on another thread than that of the loop, which must not use the data of this object
  /// meanwhile.
  open func readBesideLoop() {}

  /// Reports the end of the read and its duration. Called in the loop.
  open func readEnded(after duration: Duration) {}
}

/// Runs on each thread: performs the read at the address `work`.
private func performRead(_ work: UnsafeMutableRawPointer) {
  unsafe Unmanaged<BackgroundRead>.fromOpaque(work).takeUnretainedValue().readBesideLoop()
}

/// Bus of devices that block each other: of one bus, one file is read at a time.
public struct DeviceBus: Equatable, Sendable {
  /// Checksum of the name. Two buses with the same checksum only wait for each other.
  fileprivate let checksum: UInt32

  public init(named name: Span<UInt8>) { checksum = CRC32C(of: name).value }
}

/// Reads files beside the loop that a driver, a bus or a disk can block: a 1-Wire thermometer
/// measures during a read, for up to 0.75 s, and neither `poll(2)` nor `O_NONBLOCK` changes that.
///
/// Files of one bus are read one after the other. Each bus has its own thread, at most
/// `threadsMax`: a bus that does not answer occupies one of them and delays no other bus. A thread
/// without work ends.
@safe public final class BackgroundReader {
  /// Maximum number of pending reads.
  public static let readsMax = Int(CLINUX_READER_JOBS_MAX)
  /// Maximum number of buses that are read at one time.
  public static let threadsMax = Int(CLINUX_READER_THREADS_MAX)

  private struct Job {
    let read: BackgroundRead
    let bus: DeviceBus
  }

  private let loop: EventLoop
  private let clock: @convention(c) () -> Int64
  private var reader: OpaquePointer?
  /// Pending reads by their number.
  private var jobs: [Job?] = []
  /// Time, by the loop's clock, at which a file read in the loop last blocked it. A read requested
  /// in the same turn should use the background reader.
  public var loopHeldUpAt: Instant?

  /// Creates a reader that measures reads, on every thread, by `clock`, in nanoseconds; nil for
  /// that of `Instant`.
  public init(loop: EventLoop, clock: (@convention(c) () -> Int64)? = nil) {
    self.loop = loop
    self.clock = clock ?? clinux_boot_clock
  }

  /// Leaks the objects of unfinished reads: their threads may stay in the kernel without a limit.
  deinit {
    guard let reader = unsafe reader else { return }
    for case let job? in jobs { _ = unsafe Unmanaged.passRetained(job.read) }
    unsafe clinux_reader_stop(reader)
  }

  /// Present time by the clock that measures the reads.
  public var now: Instant { Instant(nanoseconds: clock()) }

  /// Whether no read is pending.
  public var isIdle: Bool { !jobs.contains { $0 != nil } }

  /// Whether a read on this bus is pending.
  public func isReading(_ bus: DeviceBus) -> Bool {
    for job in jobs where job?.bus == bus { return true }
    return false
  }

  /// Starts `read` as soon as its bus is free. Throws EBUSY if `readsMax` reads are pending.
  public func perform(_ read: BackgroundRead, on bus: DeviceBus) throws(Errno) {
    let reader = unsafe try startedReader()
    let number = jobs.firstIndex { $0 == nil } ?? jobs.count
    guard number < Self.readsMax else { throw .busy }
    if number == jobs.count { jobs.append(nil) }
    // `jobs` keeps the object alive until the result is taken.
    let work = unsafe Unmanaged.passUnretained(read).toOpaque()
    jobs[number] = Job(read: read, bus: bus)
    let error = unsafe clinux_reader_ask(reader, UInt32(number), work, bus.checksum)
    guard error == 0 else {
      jobs[number] = nil
      throw Errno(code: error)
    }
  }

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

  /// Returns the duration of a completed job; nil if it is not complete.
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
      // Its owner may start the next read at once.
      jobs[number] = nil
      job.read.readEnded(after: duration)
    }
  }
}
