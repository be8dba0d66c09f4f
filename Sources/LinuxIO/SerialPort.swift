public import Bytes
import CLinux

/// A serial port that is only listened to: 19,200 bits per second, 8 data bits, no parity, one stop
/// bit, no flow control. It closes itself.
///
/// While it is open no other program can open it (`TIOCEXCL` of `ioctl_tty(2)`, and `flock(2)` for
/// those that ask so), DTR and RTS are on, and nothing is ever sent.
public struct SerialPort: ~Copyable {
  private let descriptor: Descriptor

  /// Opens the port and drops what came in before.
  ///
  /// - Throws: the kernel's error: `.noSuchFile` or `.noSuchAddress` where it is not plugged in,
  ///   `.notPermitted` without its group, `.busy` where another program holds it, `.notATerminal`
  ///   where the path is no serial port.
  public init(opening path: Path) throws(Errno) {
    let descriptor = Descriptor(
      owning: try unsafe path.withCString { (path) throws(Errno) in
        try retryingInterrupts { unsafe clinux_serial_open(path) }
      })
    guard try descriptor.lock() else { throw .busy }
    self.descriptor = descriptor
  }

  /// The number the kernel knows it by, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Reads once into the free part of `buffer`, which must not be full. `.end` is a port that was
  /// unplugged.
  public func read(into buffer: inout ByteBuffer) throws(Errno) -> Descriptor.ReadResult {
    try descriptor.read(into: &buffer)
  }

  /// Drops what came in and was not read.
  public func discardInput() throws(Errno) {
    _ = try retryingInterrupts { clinux_serial_discard(number) }
  }
}
