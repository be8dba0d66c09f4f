import Bytes
import CLinux

/// A stream socket of this machine (`unix(7)`) that others connect to by the path of a file, which
/// only its owner may. It never blocks.
public struct LocalListener: ~Copyable {
  private let descriptor: Descriptor
  private let path: Path

  /// Makes the file; one that is there, such as the socket of a process that was killed, gives way.
  /// That no other process listens there is for the caller to know.
  ///
  /// - Parameters:
  ///   - path: where the socket stands, of 107 bytes at most.
  ///   - waitingMax: how many may have connected and not been accepted; the next one waits.
  /// - Throws: the kernel's error; `.nameTooLong` for a longer path.
  public init(at path: Path, waitingMax: Int32) throws(Errno) {
    try removeFile(at: path)
    descriptor = Descriptor(
      owning: try unsafe path.withCString { (path) throws(Errno) in
        try retryingInterrupts { unsafe clinux_local_listen(path, waitingMax) }
      })
    self.path = path
  }

  /// The number the kernel knows it by, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// The next connection, which never blocks either; nil where none is there.
  public func accept() throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return Descriptor(owning: try retryingInterrupts { clinux_accept(number) })
    } catch .wouldBlock {
      return nil
    }
  }

  /// Removes the file: from now on no process can connect.
  public func remove() throws(Errno) { try removeFile(at: path) }
}

/// Connects to the socket at `path`. Each call on the connection, and connecting itself, waits for
/// `timeout` at most, and is then `.wouldBlock`; nil never waits.
///
/// - Throws: the kernel's error: `.noSuchFile` where no process ever listened, `.connectionRefused`
///   where none does any more, `.notPermitted` where the caller may not.
public func connectLocal(to path: Path, timeout: Duration?) throws(Errno) -> Descriptor {
  Descriptor(
    owning: try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe clinux_local_connect(path, timeout?.nanoseconds ?? -1) }
    })
}
