public import Bytes
import CLinux

/// Who has a file read in the background.
public protocol BackgroundReadOwner: AnyObject {
  /// The file was read, which took so long: what it says, at most `BackgroundReader.byteCountMax`
  /// bytes.
  func fileRead(_ bytes: Span<UInt8>, in duration: Duration)

  /// The file could not be read, which took so long.
  func fileReadFailed(_ error: Errno, in duration: Duration)
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

/// Reads files whose drivers take their time, beside the loop: a 1-Wire thermometer measures while
/// its file is read, for up to 0.75 s, and neither `poll(2)` nor `O_NONBLOCK` changes that.
///
/// The files of a bus are read one after the other, and those of several buses by a thread each, of
/// which there are at most `threadsMax`: a bus that does not answer takes one of them and keeps no
/// other bus waiting. The threads do nothing else, and one of them stays when there is nothing to
/// read.
@safe public final class BackgroundReader {
  /// Files that can be waited for at one time.
  public static let filesMax = Int(CLINUX_READER_JOBS_MAX)
  /// What is longer is cut.
  public static let byteCountMax = Int(CLINUX_READER_BYTES_MAX)
  /// Buses that can be read at one time.
  public static let threadsMax = Int(CLINUX_READER_THREADS_MAX)

  private struct Job {
    let owner: any BackgroundReadOwner
    let bus: DeviceBus
  }

  private let loop: EventLoop
  private let clock: @convention(c) () -> Int64
  private var reader: OpaquePointer?
  /// What is waited for, by its number.
  private var jobs = [Job?](repeating: nil, count: filesMax)
  private var bytes = [UInt8](repeating: 0, count: byteCountMax)
  /// The present by the loop's clock when a file that was read in the loop held it up last. What is
  /// asked for in the same turn is better read here.
  public var loopHeldUpAt: Instant?

  /// - Parameters:
  ///   - loop: who tells that a file was read.
  ///   - clock: nanoseconds, by which reads are timed, on every thread; nil for the kernel's
  ///     monotonic clock.
  public init(loop: EventLoop, clock: (@convention(c) () -> Int64)? = nil) {
    self.loop = loop
    self.clock = clock ?? clinux_monotonic_clock
  }

  deinit { if let reader = unsafe reader { unsafe clinux_reader_stop(reader) } }

  /// Now, by the clock that times reads.
  public var now: Instant { Instant(nanoseconds: clock()) }

  /// Whether a file of this bus is waited for.
  public func isReading(_ bus: DeviceBus) -> Bool {
    for job in jobs where job?.bus == bus { return true }
    return false
  }

  /// Reads a file from its start when its bus is free, and tells `owner`, who keeps the descriptor
  /// open until then.
  ///
  /// - Throws: EBUSY where `filesMax` files are waited for; what the kernel says where there can be
  ///   no thread.
  public func read(
    _ descriptor: Int32, on bus: DeviceBus, telling owner: any BackgroundReadOwner
  ) throws(Errno) {
    let reader = unsafe try startedReader()
    guard let number = jobs.firstIndex(where: { $0 == nil }) else { throw .busy }
    let error = unsafe clinux_reader_ask(reader, UInt32(number), descriptor, bus.checksum)
    guard error == 0 else { throw Errno(code: error) }
    jobs[number] = Job(owner: owner, bus: bus)
  }

  /// How many threads there are.
  var threadCount: Int {
    guard let reader = unsafe reader else { return 0 }
    return unsafe Int(clinux_reader_threads(reader))
  }

  @unsafe
  private func startedReader() throws(Errno) -> OpaquePointer {
    if let reader = unsafe reader { return unsafe reader }
    guard let started = unsafe clinux_reader_start(clock) else { throw Errno.current }
    do throws(Errno) {
      _ = try loop.watch(unsafe clinux_reader_event(started), for: .input, telling: self)
    } catch {
      unsafe clinux_reader_stop(started)
      throw error
    }
    unsafe reader = started
    return unsafe started
  }

  /// What became of a job, where it is done.
  private func taken(_ number: Int) -> (result: Int64, duration: Duration)? {
    guard let reader = unsafe reader else { return nil }
    var result: Int64 = 0
    var nanoseconds: Int64 = 0
    let isDone = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe clinux_reader_take(reader, UInt32(number), start, &result, &nanoseconds)
    }
    return isDone ? (result, .nanoseconds(nanoseconds)) : nil
  }
}

extension BackgroundReader: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    clinux_eventfd_clear(descriptor)
    for number in jobs.indices {
      guard let job = jobs[number], let (result, duration) = taken(number) else { continue }
      // Its owner may ask for another file at once.
      jobs[number] = nil
      if result < 0 {
        job.owner.fileReadFailed(Errno(code: Int32(truncatingIfNeeded: -result)), in: duration)
      } else {
        job.owner.fileRead(bytes.span.extracting(first: Int(result)), in: duration)
      }
    }
  }
}
