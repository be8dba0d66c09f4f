public import Bytes
import CLinux

/// File descriptor that closes itself.
public struct Descriptor: ~Copyable, Sendable {
  /// Number of the descriptor, for calls that do not close it.
  public let number: Int32

  /// Takes ownership of a descriptor that a library or a shim opened.
  public init(owning number: Int32) {
    precondition(number >= 0, "an error is not a descriptor")
    self.number = number
  }

  deinit { _ = close(number) }

  /// Result of one `read(2)` of a non-blocking descriptor.
  public enum ReadResult: Equatable {
    case bytes(Int)
    case wouldBlock
    case end
  }

  /// Restricts a regular file to its owner. Other kinds of file, such as a device, are not changed.
  public func makePrivate() throws(Errno) {
    guard try status().isRegularFile else { return }
    _ = try retryingInterrupts { fchmod(number, 0o600) }
  }

  /// Reads once into the free part of `buffer`, which must not be full.
  public func read(into buffer: inout ByteBuffer) throws(Errno) -> ReadResult {
    precondition(buffer.freeCapacity > 0, "a full buffer would look like the end of the file")
    do throws(Errno) {
      let count = try unsafe buffer.fillFromKernel { unsafe CLinux.read(number, $0, $1) }
      return count == 0 ? .end : .bytes(count)
    } catch .wouldBlock {
      return .wouldBlock
    }
  }

  /// Reads until the buffer is full or the file ends. Returns whether it ended.
  public func readToEnd(into buffer: inout ByteBuffer) throws(Errno) -> Bool {
    while buffer.freeCapacity > 0 {
      switch try read(into: &buffer) {
      case .bytes: continue
      case .wouldBlock: throw .wouldBlock
      case .end: return true
      }
    }
    return false
  }

  /// Reads from the start of the file, whatever the current offset, as sysfs and procfs files need
  /// for repeated reads. Bytes that do not fit are left out.
  public func readFromStart(into buffer: inout ByteBuffer) throws(Errno) {
    buffer.removeAll()
    _ = try unsafe buffer.fillFromKernel { unsafe pread(number, $0, $1, 0) }
  }

  /// Writes once. Returns the number of bytes that the kernel accepted, 0 if it accepts none now.
  public func write(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    do throws(Errno) {
      return unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
        try retryingInterrupts { unsafe CLinux.write(number, bytes.baseAddress, bytes.count) }
      }
    } catch .wouldBlock {
      return 0
    }
  }

  /// Writes all of `bytes` to a blocking descriptor.
  public func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
    var written = 0
    while written < bytes.count {
      written += try write(bytes.extracting(written..<bytes.count))
    }
  }

  /// Writes all of `bytes` from `offset` on, whatever the current offset.
  public func writeAll(_ bytes: Span<UInt8>, from offset: Int) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let place = off_t(offset + written)
      let count = unsafe try bytes.extracting(written..<bytes.count).withUnsafeBufferPointer {
        (bytes) throws(Errno) in
        try retryingInterrupts { unsafe pwrite(number, bytes.baseAddress, bytes.count, place) }
      }
      written += count
    }
  }

  /// Reads once from `offset` on, whatever the current offset; returns 0 at the end of the file.
  public func read(
    into bytes: inout MutableSpan<UInt8>, byteCountMax: Int, from offset: Int
  ) throws(Errno) -> Int {
    unsafe try bytes.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
      try retryingInterrupts {
        unsafe pread(number, bytes.baseAddress, min(bytes.count, byteCountMax), off_t(offset))
      }
    }
  }

  /// Truncates the file, or extends it with zeros.
  public func truncate(to byteCount: Int) throws(Errno) {
    _ = try retryingInterrupts { ftruncate(number, off_t(byteCount)) }
  }

  /// Locks the file for this process (`flock(2)`) until the descriptor closes; returns false if
  /// another process holds the lock.
  public func lock() throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try retryingInterrupts { flock(number, LOCK_EX | LOCK_NB) }
    } catch .wouldBlock { return false }
    return true
  }

  /// Waits until all written data is on the disk.
  public func synchronize() throws(Errno) {
    _ = try retryingInterrupts { fsync(number) }
  }
}

/// Flags for opening a path, and the required kind of file. Except for `writePrivate`, opening
/// never blocks: not for the other end of a pipe, and not for a device.
public struct OpenMode: Sendable {
  let flags: Int32
  let permissions: mode_t
  /// Whether only a regular file is accepted: reading another kind could block without a limit.
  let wantsFile: Bool

  init(flags: Int32, permissions: mode_t = 0, wantsFile: Bool = true, waits: Bool = false) {
    self.flags = waits ? flags : flags | O_NONBLOCK
    self.permissions = permissions
    self.wantsFile = wantsFile
  }

  /// Reads a regular file, including those of the kernel.
  public static let read = OpenMode(flags: O_RDONLY)
  /// Opens a device for queries, not for reading: the queries show whether it is the right one.
  public static let device = OpenMode(flags: O_RDONLY, wantsFile: false)
  /// Opens a directory, to synchronise or lock it.
  public static let directory = OpenMode(flags: O_RDONLY | O_DIRECTORY, wantsFile: false)
  /// Creates a file that only its owner can read; an existing file is an error.
  public static let writeNewPrivate = OpenMode(
    flags: O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
  /// Changes an existing regular file in place.
  public static let update = OpenMode(flags: O_RDWR)
  /// Appends to an existing regular file.
  public static let append = OpenMode(flags: O_WRONLY | O_APPEND)
  /// Creates a file that only its owner can read, or empties an existing one. A device or a pipe is
  /// accepted, and opening waits for the pipe's reader: only short-lived commands use this mode.
  public static let writePrivate = OpenMode(
    flags: O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600, wantsFile: false, waits: true)
}

extension Descriptor {
  /// Opens a descriptor that becomes ready when the process gets SIGTERM, SIGINT or SIGHUP, and, if
  /// `ofTerminal`, one of the other signals of a terminal. None of them ends the process, except
  /// SIGTERM if `nextSignal` is not called for half a minute.
  public static func signals(ofTerminal: Bool = false) throws(Errno) -> Descriptor {
    Descriptor(owning: try retryingInterrupts { clinux_signalfd(ofTerminal) })
  }

  /// Returns the next signal of such a descriptor; nil without one. SIGTERM is reported as SIGINT.
  public func nextSignal() -> Int32? {
    let signal = clinux_next_signal(number)
    return signal > 0 ? signal : nil
  }

  /// Opens the file at `path`; other programs do not inherit the descriptor. If a regular file is
  /// required, throws `.isDirectory` for a directory, and `.isPipe` for a pipe, a device, and
  /// others.
  public init(opening path: Path, mode: OpenMode) throws(Errno) {
    self.number = try unsafe path.call {
      unsafe clinux_open($0, mode.flags, mode.permissions, mode.wantsFile)
    }
  }
}

extension Descriptor {
  /// Opens a serial port for reading only: 19,200 bits per second, 8 data bits, no parity, one stop
  /// bit, no flow control. Earlier input is dropped, and `.end` is read once it is unplugged.
  ///
  /// While it is open no other program can open it (`TIOCEXCL` of `ioctl_tty(2)`, and `flock(2)`
  /// for those that check it), DTR and RTS are on, and nothing is ever sent. Throws `.noSuchFile`
  /// or `.noSuchAddress` if it is not plugged in, `.busy` if another program holds it, and
  /// `.notATerminal` if it is not a serial port.
  public static func serialPort(at path: Path) throws(Errno) -> Descriptor {
    let port = Descriptor(owning: try unsafe path.call { unsafe clinux_serial_open($0) })
    guard try port.lock() else { throw .busy }
    return port
  }

  /// Drops unread input of a serial port.
  public func discardInput() throws(Errno) {
    _ = try retryingInterrupts { clinux_serial_discard(number) }
  }
}

/// Wakes an event loop from any thread, if the loop watches its descriptor for it.
public final class WakeUp: Sendable {
  private let descriptor: Descriptor

  public init() throws(Errno) {
    descriptor = Descriptor(owning: try retryingInterrupts { clinux_eventfd() })
  }

  /// Descriptor that becomes ready for input after `signal`.
  public var number: Int32 { descriptor.number }

  public func signal() { clinux_eventfd_signal(descriptor.number) }

  /// Clears the descriptor until the next `signal`.
  public func clear() { clinux_eventfd_clear(descriptor.number) }
}

extension WakeUp: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) { clear() }
}

extension ByteBuffer {
  /// Empties a buffer and returns its memory to the kernel, except the first `byteCount` bytes. The
  /// capacity stays the same.
  public mutating func removeAll(keepingMemoryOf byteCount: Int) {
    removeAll()
    guard byteCount < capacity else { return }
    let start = unsafe UnsafeRawPointer(baseAddress)
    unsafe clinux_return_pages(start + byteCount, start + capacity)
  }
}
