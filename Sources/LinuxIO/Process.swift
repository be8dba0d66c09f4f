import Bytes
import CLinux

/// A directory that the service manager made for this process, and which goes with it
/// (`RuntimeDirectory=` of systemd.exec(5)); nil where it made none.
public func runtimeDirectory() -> Path? {
  guard let text = unsafe getenv("RUNTIME_DIRECTORY"), unsafe text[0] != 0 else { return nil }
  return unsafe Path([UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text))))
}

/// Whether this process has a controlling terminal: one whose end ends the process.
public var hasControllingTerminal: Bool {
  (try? Descriptor(opening: Path("/dev/tty"), mode: .read)) != nil
}

/// Starts the program of this process anew, with the same arguments: it keeps its process number,
/// and of its descriptors `lock`, which `lock(keptFor:)` finds, and those that it was started with.
///
/// - Returns: why that failed.
public func startAnew(keeping lock: borrowing Descriptor) -> Errno {
  var text = ByteBuffer(capacity: 24)
  text.append(decimal: lock.number)
  text.append(0)
  unsafe text.bytes.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { return }
    unsafe setenv(lockVariable, start.assumingMemoryBound(to: CChar.self), 1)
  }
  _ = clinux_start_anew(lock.number)
  return .current
}

/// The lock of `directory` that this process held before it was started anew; nil where it held
/// none, or that of another directory, which is given up.
public func lock(keptFor directory: borrowing Descriptor) -> Descriptor? {
  guard let text = unsafe getenv(lockVariable) else { return nil }
  let number = unsafe atoi(text)
  unsafe unsetenv(lockVariable)
  var kept = stat()
  var wanted = stat()
  // The variable is a claim: only a directory is taken over.
  guard number > STDERR_FILENO, unsafe fstat(number, &kept) == 0,
    kept.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR), clinux_close_at_exec(number) == 0
  else { return nil }
  let lock = Descriptor(owning: number)
  guard unsafe fstat(directory.number, &wanted) == 0, kept.st_dev == wanted.st_dev,
    kept.st_ino == wanted.st_ino
  else { return nil }
  return lock
}

private let lockVariable = "HOMEWARD_STATE_LOCK"
