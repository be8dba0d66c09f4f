public import Bytes
import CLinux

/// Returns the directory that the service manager created for this process and removes with it
/// (`RuntimeDirectory=` of systemd.exec(5)); nil without one.
public func runtimeDirectory() -> Path? {
  environmentVariable("RUNTIME_DIRECTORY").flatMap { $0.isEmpty ? nil : Path($0) }
}

/// Returns the directory with the credentials that the service manager gives this process
/// (`LoadCredential=` of systemd.exec(5)); nil without one.
public func credentialsDirectory() -> Path? {
  environmentVariable("CREDENTIALS_DIRECTORY").flatMap { $0.isEmpty ? nil : Path($0) }
}

/// Whether this process has a controlling terminal, whose end ends the process.
public var hasControllingTerminal: Bool {
  (try? Descriptor(opening: Path("/dev/tty"), mode: .device)) != nil
}

/// Restart of this process's program with the same arguments and process number. Everything it
/// needs is prepared before anything of this one is stopped.
public struct NextStart: ~Copyable {
  private let program: Descriptor
  private let text: Descriptor

  /// Prepares a restart, after which `takeHandedOnText` returns `text`.
  public init(handingOn text: [UInt8]) throws(Errno) {
    let program = Descriptor(owning: try retryingInterrupts { clinux_program_of_process() })
    let memory = Descriptor(
      owning: try retryingInterrupts {
        unsafe text.withUnsafeBytes { unsafe clinux_text_in_memory($0.baseAddress, $0.count) }
      })
    self.program = program
    self.text = memory
  }

  /// Starts the program. It inherits the descriptors with which this process was started, and
  /// `lock`, which `lock(keptFor:)` finds. Returns the error, if it failed.
  public func perform(keeping lock: borrowing Descriptor) -> Errno {
    hand(lock.number, in: lockVariable)
    hand(text.number, in: textVariable)
    let kept = [lock.number, text.number]
    _ = unsafe kept.withUnsafeBufferPointer { kept in
      guard let start = kept.baseAddress else { return Int32(-1) }
      return unsafe clinux_start_anew(program.number, start, Int32(kept.count))
    }
    defer { for variable in [lockVariable, textVariable] { unsafe unsetenv(variable) } }
    return .current
  }
}

/// Returns the text that this process handed on before its restart, once; nil without one.
public func takeHandedOnText(byteCountMax: Int) -> [UInt8]? {
  guard let text = handedOn(in: textVariable, kind: mode_t(S_IFREG)) else { return nil }
  var buffer = ByteBuffer(capacity: byteCountMax)
  do throws(Errno) { try text.readFromStart(into: &buffer) } catch { return nil }
  return [UInt8](buffer.bytes)
}

/// Returns the lock of `directory` that this process held before its restart; nil without one, or
/// if it belongs to another directory, whose lock is then released.
public func lock(keptFor directory: borrowing Descriptor) -> Descriptor? {
  guard let lock = handedOn(in: lockVariable, kind: mode_t(S_IFDIR)) else { return nil }
  var kept = stat()
  var wanted = stat()
  guard unsafe fstat(lock.number, &kept) == 0, unsafe fstat(directory.number, &wanted) == 0,
    kept.st_dev == wanted.st_dev, kept.st_ino == wanted.st_ino
  else { return nil }
  return lock
}

private let lockVariable = "HOMEWARD_STATE_LOCK"
private let textVariable = "HOMEWARD_CONFIGURATION"

private func hand(_ number: Int32, in variable: String) {
  let text = Path(("\(Int(number))" as MessageText).bytes)
  _ = unsafe text.withCString { unsafe setenv(variable, $0, 1) }
}

/// Takes the descriptor that a variable names and removes the variable. Only a descriptor of this
/// kind is accepted, and other programs do not inherit it.
private func handedOn(in variable: String, kind: mode_t) -> Descriptor? {
  guard let text = unsafe getenv(variable) else { return nil }
  let number = unsafe atoi(text)
  unsafe unsetenv(variable)
  var status = stat()
  guard number > STDERR_FILENO, unsafe fstat(number, &status) == 0,
    status.st_mode & mode_t(S_IFMT) == kind, clinux_close_at_exec(number) == 0
  else { return nil }
  return Descriptor(owning: number)
}

/// Connection to the service manager that started this process, if it expects status messages:
/// datagrams to a socket that the environment names (`sd_notify(3)`). Sending never blocks.
public struct ServiceManager: ~Copyable {
  /// Maximum interval between signs of life before it ends this process; nil without a limit.
  public let watchdogTimeout: Duration?
  private let socket: Descriptor

  /// Connects; nil if no service manager expects messages.
  public init?() throws(Errno) {
    guard let path = unsafe getenv("NOTIFY_SOCKET"), unsafe path.pointee != 0 else { return nil }
    socket = Descriptor(owning: try retryingInterrupts { unsafe clinux_notify_connect(path) })
    watchdogTimeout = Self.watchdogTimeoutOfThisProcess
  }

  private static var watchdogTimeoutOfThisProcess: Duration? {
    guard let text = unsafe getenv("WATCHDOG_USEC") else { return nil }
    // Without this variable, the timeout applies to the process that reads it.
    if let process = unsafe getenv("WATCHDOG_PID"), unsafe atoi(process) != getpid() { return nil }
    let microseconds = unsafe strtoll(text, nil, 10)
    let (nanoseconds, overflowed) = Int64(microseconds).multipliedReportingOverflow(by: 1000)
    return overflowed || nanoseconds <= 0 ? nil : .nanoseconds(nanoseconds)
  }

  /// Sends lines, such as `READY=1`; returns false if earlier messages are unread and leave no
  /// room.
  public func tell(_ lines: borrowing ByteBuffer) throws(Errno) -> Bool {
    try socket.write(lines.bytes) == lines.count
  }
}

/// Sets the name of this machine until its next start; only root may (`sethostname(2)`).
///
/// - Precondition: `name` holds no NUL.
public func setHostName(_ name: [UInt8]) throws(Errno) {
  _ = try unsafe Path(name).call { unsafe sethostname($0, name.count) }
}
