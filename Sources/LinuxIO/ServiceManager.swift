public import Bytes
import CLinux

/// Connection to the service manager that started this process, if it expects status messages:
/// datagrams to a socket that the environment names (`sd_notify(3)`). Sending never blocks.
public struct ServiceManager: ~Copyable {
  /// Maximum interval between signs of life before it ends this process; nil without a limit.
  public let watchdogTimeout: Duration?
  private let socket: Descriptor

  /// Connects; nil if no service manager expects messages.
  ///
  /// - Throws: the kernel's error, if the socket that the environment names does not exist.
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

  /// Sends lines, such as `READY=1`.
  ///
  /// - Returns: false if it has not read the earlier messages, and this one was not sent.
  public func tell(_ lines: borrowing ByteBuffer) throws(Errno) -> Bool {
    try socket.write(lines.bytes) == lines.count
  }
}
