public import Bytes
import CLinux

/// Serial port for reading only: 19,200 bits per second, 8 data bits, no parity, one stop bit, no
/// flow control. It closes itself.
///
/// While it is open no other program can open it (`TIOCEXCL` of `ioctl_tty(2)`, and `flock(2)` for
/// those that check it), DTR and RTS are on, and nothing is ever sent.
public struct SerialPort: ~Copyable {
  private let descriptor: Descriptor

  /// Opens the port and drops earlier input.
  ///
  /// - Throws: the kernel's error: `.noSuchFile` or `.noSuchAddress` if it is not plugged in,
  ///   `.notPermitted` without membership of its group, `.busy` if another program holds it,
  ///   `.notATerminal` if the path is not a serial port.
  public init(opening path: Path) throws(Errno) {
    let descriptor = Descriptor(
      owning: try unsafe path.withCString { (path) throws(Errno) in
        try retryingInterrupts { unsafe clinux_serial_open(path) }
      })
    guard try descriptor.lock() else { throw .busy }
    self.descriptor = descriptor
  }

  /// Number of the descriptor, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Reads once into the free part of `buffer`, which must not be full. Returns `.end` if the port
  /// was unplugged.
  public func read(into buffer: inout ByteBuffer) throws(Errno) -> Descriptor.ReadResult {
    try descriptor.read(into: &buffer)
  }

  /// Drops unread input.
  public func discardInput() throws(Errno) {
    _ = try retryingInterrupts { clinux_serial_discard(number) }
  }
}
