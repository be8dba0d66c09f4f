public import Bytes
import CLinux

/// A file descriptor that closes itself.
public struct Descriptor: ~Copyable, Sendable {
  /// The number the kernel knows it by, for calls that only look at it.
  public let number: Int32

  /// Takes over a descriptor that a library or a shim opened.
  public init(owning number: Int32) {
    precondition(number >= 0, "an error is not a descriptor")
    self.number = number
  }

  deinit { _ = close(number) }

  /// What one `read(2)` of a non-blocking descriptor brought.
  public enum ReadResult: Equatable {
    case bytes(Int)
    case wouldBlock
    case end
  }

  /// Lets only its owner read and write a regular file. Another kind, such as a device, stays as it
  /// is.
  public func makePrivate() throws(Errno) {
    var status = stat()
    _ = try retryingInterrupts { unsafe fstat(number, &status) }
    guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { return }
    _ = try retryingInterrupts { fchmod(number, 0o600) }
  }

  /// Reads once into the free part of `buffer`, which must not be full.
  public func read(into buffer: inout ByteBuffer) throws(Errno) -> ReadResult {
    precondition(buffer.freeCapacity > 0, "a full buffer would look like the end of the file")
    let before = buffer.count
    do throws(Errno) {
      try buffer.fill { (free) throws(Errno) in
        unsafe try free.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
          try retryingInterrupts { unsafe CLinux.read(number, bytes.baseAddress, bytes.count) }
        }
      }
    } catch .wouldBlock {
      return .wouldBlock
    }
    return buffer.count == before ? .end : .bytes(buffer.count - before)
  }

  /// Reads from the start of the file, wherever it stands, as sysfs and procfs files are read
  /// again and again. What does not fit is left out.
  public func readFromStart(into buffer: inout ByteBuffer) throws(Errno) {
    buffer.removeAll()
    try buffer.fill { (free) throws(Errno) in
      unsafe try free.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
        try retryingInterrupts { unsafe pread(number, bytes.baseAddress, bytes.count, 0) }
      }
    }
  }

  /// Writes once. Returns how many bytes the kernel took, 0 when it takes none now.
  public func write(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    do throws(Errno) {
      return unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
        try retryingInterrupts { unsafe CLinux.write(number, bytes.baseAddress, bytes.count) }
      }
    } catch .wouldBlock {
      return 0
    }
  }

  /// Writes all of `bytes` to a descriptor that blocks.
  public func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
    var written = 0
    while written < bytes.count {
      written += try write(bytes.extracting(written..<bytes.count))
    }
  }

  /// Reads once from `offset` on, wherever the descriptor stands.
  ///
  /// - Returns: how many bytes were read; 0 at the end of the file.
  public func read(
    into bytes: inout MutableSpan<UInt8>, byteCountMax: Int, from offset: Int
  ) throws(Errno) -> Int {
    unsafe try bytes.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
      try retryingInterrupts {
        unsafe pread(number, bytes.baseAddress, min(bytes.count, byteCountMax), off_t(offset))
      }
    }
  }

  /// Cuts the file, or makes it longer with zeros.
  public func truncate(to byteCount: Int) throws(Errno) {
    _ = try retryingInterrupts { ftruncate(number, off_t(byteCount)) }
  }

  /// Locks the file for this process (`flock(2)`) until the descriptor closes; false where another
  /// process holds the lock.
  public func lock() throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try retryingInterrupts { flock(number, LOCK_EX | LOCK_NB) }
    } catch .wouldBlock { return false }
    return true
  }

  /// Waits until what was written is on the disk.
  public func synchronize() throws(Errno) {
    _ = try retryingInterrupts { fsync(number) }
  }
}

/// How a path is opened, and what it has to be. No mode of the agent's waits for anything: not for
/// the other end of a pipe, and not for a device.
public struct OpenMode: Sendable {
  let flags: Int32
  let permissions: mode_t
  /// Whether all else than a regular file is an error: reading it could wait for ever.
  let wantsFile: Bool

  init(flags: Int32, permissions: mode_t = 0, wantsFile: Bool = true, waits: Bool = false) {
    self.flags = waits ? flags : flags | O_NONBLOCK
    self.permissions = permissions
    self.wantsFile = wantsFile
  }

  /// A regular file, which those of the kernel are as well.
  public static let read = OpenMode(flags: O_RDONLY)
  /// A device that is asked, and not read: it says itself whether it is what is wanted.
  public static let device = OpenMode(flags: O_RDONLY, wantsFile: false)
  /// A directory, to be synchronised or locked.
  public static let directory = OpenMode(flags: O_RDONLY | O_DIRECTORY, wantsFile: false)
  /// A new file that every user can read; one that is there already is an error.
  public static let writeNew = OpenMode(flags: O_WRONLY | O_CREAT | O_EXCL, permissions: 0o644)
  /// A new file that only its owner can read; one that is there already is an error.
  public static let writeNewPrivate = OpenMode(
    flags: O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
  /// A regular file that is there, to be written to at its end.
  public static let append = OpenMode(flags: O_WRONLY | O_APPEND)
  /// A new file that only its owner can read; an old one of that name is emptied. It may be a pipe,
  /// whose reader is waited for, or a device: a command that ends by itself writes to it.
  public static let writePrivate = OpenMode(
    flags: O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600, wantsFile: false, waits: true)
}

extension Descriptor {
  /// A descriptor that becomes ready when the process gets SIGTERM, SIGINT or SIGHUP, and where
  /// `ofTerminal`, one of the others by which a terminal tells something. None of them ends the
  /// process, but SIGTERM where `nextSignal` is not asked for half a minute.
  public static func signals(ofTerminal: Bool = false) throws(Errno) -> Descriptor {
    Descriptor(owning: try retryingInterrupts { clinux_signalfd(ofTerminal) })
  }

  /// The next signal that such a descriptor has; nil where there is none. SIGTERM comes as SIGINT.
  public func nextSignal() -> Int32? {
    let signal = clinux_next_signal(number)
    return signal > 0 ? signal : nil
  }

  /// Opens the file at `path`; the descriptor does not pass to other programs.
  ///
  /// - Throws: the kernel's error; where a regular file is wanted, `.isDirectory` for a directory,
  ///   and `.isPipe` for a pipe, a device, and others.
  public init(opening path: Path, mode: OpenMode) throws(Errno) {
    self.number = try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts {
        unsafe clinux_open(path, mode.flags, mode.permissions, mode.wantsFile)
      }
    }
  }
}
