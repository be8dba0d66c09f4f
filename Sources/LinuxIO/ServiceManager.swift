public import Bytes
import CLinux

/// The service manager that started this process, where it wants to be told how the service is:
/// datagrams to a socket that the environment names (`sd_notify(3)`). Telling never blocks.
public struct ServiceManager: ~Copyable {
  /// How long it waits for a sign of life before it ends this process; nil where it waits for ever.
  public let watchdogTimeout: Duration?
  private let socket: Descriptor

  /// Nil where no service manager wants to be told.
  ///
  /// - Throws: the kernel's error, where the socket that the environment names is not there.
  public init?() throws(Errno) {
    guard let path = unsafe getenv("NOTIFY_SOCKET"), unsafe path.pointee != 0 else { return nil }
    socket = Descriptor(owning: try retryingInterrupts { unsafe clinux_notify_connect(path) })
    watchdogTimeout = Self.watchdogTimeoutOfThisProcess
  }

  private static var watchdogTimeoutOfThisProcess: Duration? {
    guard let text = unsafe getenv("WATCHDOG_USEC") else { return nil }
    // Where it is missing, the timeout is for the process that reads it.
    if let process = unsafe getenv("WATCHDOG_PID"), unsafe atoi(process) != getpid() { return nil }
    let microseconds = unsafe strtoll(text, nil, 10)
    let (nanoseconds, overflowed) = Int64(microseconds).multipliedReportingOverflow(by: 1000)
    return overflowed || nanoseconds <= 0 ? nil : .nanoseconds(nanoseconds)
  }

  /// Tells it lines, such as `READY=1`.
  ///
  /// - Returns: false where it is behind with its reading, and was not told.
  public func tell(_ lines: borrowing ByteBuffer) throws(Errno) -> Bool {
    try socket.write(lines.bytes) == lines.count
  }
}
