import CLinux

/// What the kernel says of a file.
struct FileStatus {
  let user: UInt32
  let group: UInt32
  let mode: mode_t

  /// Nil where it is not there, or this process may not know.
  init?(of path: Path) {
    do throws(Errno) { try self.init(at: path) } catch { return nil }
  }

  /// - Throws: why that is not known, as the kernel says.
  init(at path: Path) throws(Errno) {
    unsafe try self.init(path) { unsafe stat($0, $1) }
  }

  /// The same of a link itself, and not of where it leads.
  init(ofLinkAt path: Path) throws(Errno) {
    unsafe try self.init(path) { unsafe lstat($0, $1) }
  }

  private init(
    _ path: Path, _ ask: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
  ) throws(Errno) {
    var status = stat()
    _ = try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe ask(path, &status) }
    }
    user = status.st_uid
    group = status.st_gid
    mode = status.st_mode
  }

  var isRegularFile: Bool { mode & mode_t(S_IFMT) == mode_t(S_IFREG) }
}

extension Path {
  /// Whether what is there is no file but a pipe, a socket or a device, whose reader may wait for
  /// ever.
  public var isNoFile: Bool { FileStatus(of: self).map { !$0.isRegularFile } ?? false }
}
