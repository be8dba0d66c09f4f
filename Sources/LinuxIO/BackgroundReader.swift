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

/// Reads files whose drivers take their time, beside the loop: a 1-Wire thermometer measures while
/// its file is read, for up to 0.75 s, and neither `poll(2)` nor `O_NONBLOCK` changes that.
///
/// One thread reads one file after the other. It does nothing else, and is started with the first
/// file. Where a read does not come back, another thread takes the place of this one; of such reads
/// the reader stands three.
@safe public final class BackgroundReader {
  /// Files that can be waited for at one time.
  public static let filesMax = Int(CLINUX_READER_JOBS_MAX)
  /// What is longer is cut.
  public static let byteCountMax = Int(CLINUX_READER_BYTES_MAX)
  /// No driver is known whose read takes longer and comes back; `scd4x` takes 6 s.
  static let longestRead: Duration = .seconds(10)

  private let loop: EventLoop
  private let clock: @convention(c) () -> Int64
  private var thread: OpaquePointer?
  /// How many threads there were when one may have been missing.
  private(set) var threadCount: Int32 = 1
  /// Who waits, by the number of the job.
  private var owners = [(any BackgroundReadOwner)?](repeating: nil, count: filesMax)
  private var bytes = [UInt8](repeating: 0, count: byteCountMax)

  /// - Parameters:
  ///   - loop: who tells that a file was read.
  ///   - clock: nanoseconds, by which reads are timed, on every thread; nil for the kernel's
  ///     monotonic clock.
  public init(loop: EventLoop, clock: (@convention(c) () -> Int64)? = nil) {
    self.loop = loop
    self.clock = clock ?? clinux_monotonic_clock
  }

  deinit { if let thread = unsafe thread { unsafe clinux_reader_stop(thread) } }

  /// Now, by the clock that times reads.
  public var now: Instant { Instant(nanoseconds: clock()) }

  /// Reads a file from its start, and tells `owner`, who keeps the descriptor open until then.
  ///
  /// - Throws: EBUSY where `filesMax` files are waited for; what the kernel says where there can be
  ///   no thread.
  public func read(
    _ descriptor: Int32, telling owner: any BackgroundReadOwner
  ) throws(Errno) {
    let thread = unsafe try startedThread()
    guard let job = owners.firstIndex(where: { $0 == nil }) else { throw .busy }
    owners[job] = owner
    unsafe clinux_reader_ask(thread, UInt32(job), descriptor)
  }

  /// An owner waits for longer than it meant to. Where a read that does not come back stands before
  /// the others, they are read now.
  public func relieve() {
    guard let thread = unsafe thread else { return }
    threadCount = unsafe clinux_reader_relieve(thread, Self.longestRead.nanoseconds)
  }

  @unsafe
  private func startedThread() throws(Errno) -> OpaquePointer {
    if let thread = unsafe thread { return unsafe thread }
    guard let started = unsafe clinux_reader_start(clock) else { throw Errno.current }
    do throws(Errno) {
      _ = try loop.watch(unsafe clinux_reader_event(started), for: .input, telling: self)
    } catch {
      unsafe clinux_reader_stop(started)
      throw error
    }
    unsafe thread = started
    return unsafe started
  }

  /// What became of a job, where it is done.
  private func taken(_ job: Int) -> (result: Int64, duration: Duration)? {
    guard let thread = unsafe thread else { return nil }
    var result: Int64 = 0
    var nanoseconds: Int64 = 0
    let isDone = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe clinux_reader_take(thread, UInt32(job), start, &result, &nanoseconds)
    }
    return isDone ? (result, .nanoseconds(nanoseconds)) : nil
  }
}

extension BackgroundReader: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    clinux_eventfd_clear(descriptor)
    for job in owners.indices {
      guard let owner = owners[job], let (result, duration) = taken(job) else { continue }
      // It may ask for another file at once.
      owners[job] = nil
      if result < 0 {
        owner.fileReadFailed(Errno(code: Int32(truncatingIfNeeded: -result)), in: duration)
      } else {
        owner.fileRead(bytes.span.extracting(first: Int(result)), in: duration)
      }
    }
  }
}
