import Bytes
import CLinux

/// Listening stream socket of this machine (`unix(7)`). Other processes of its owner connect to it
/// by the path of a file. It never blocks.
public struct LocalListener: ~Copyable {
  private let descriptor: Descriptor
  private let path: Path

  /// Creates the file and replaces an existing one, such as the socket of a process that was
  /// killed. The caller must make sure that no other process listens there.
  ///
  /// - Parameters:
  ///   - path: path of the socket, at most 107 bytes.
  ///   - waitingMax: maximum number of connections that have not been accepted; the next one waits.
  /// - Throws: the kernel's error; `.nameTooLong` for a longer path.
  public init(at path: Path, waitingMax: Int32) throws(Errno) {
    try removeFile(at: path)
    descriptor = Descriptor(
      owning: try unsafe path.withCString { (path) throws(Errno) in
        try retryingInterrupts { unsafe clinux_local_listen(path, waitingMax) }
      })
    self.path = path
  }

  /// Number of the descriptor, to watch it for input.
  public var number: Int32 { descriptor.number }

  /// Returns the next connection, which never blocks either; nil if no connection waits.
  public func accept() throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return Descriptor(owning: try retryingInterrupts { clinux_accept(number) })
    } catch .wouldBlock {
      return nil
    }
  }

  /// Removes the file, so that no process can connect.
  public func remove() throws(Errno) { try removeFile(at: path) }
}

/// Connects to the socket at `path`. Connecting and each call on the connection wait at most
/// `timeout`, and then fail with `.wouldBlock`; nil never waits.
///
/// - Throws: the kernel's error: `.noSuchFile` if no process has listened, `.connectionRefused` if
///   the listening process has ended, `.notPermitted` if the caller has no access.
public func connectLocal(to path: Path, timeout: Duration?) throws(Errno) -> Descriptor {
  Descriptor(
    owning: try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe clinux_local_connect(path, timeout?.nanoseconds ?? -1) }
    })
}
