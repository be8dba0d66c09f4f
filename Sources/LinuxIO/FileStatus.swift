import CLinux

/// Owner, group and mode of a file.
struct FileStatus {
  let user: UInt32
  let group: UInt32
  let mode: mode_t

  /// Reads the status; nil if the file does not exist, or this process may not read its status.
  init?(of path: Path) {
    do throws(Errno) { try self.init(at: path) } catch { return nil }
  }

  /// - Throws: the kernel's error.
  init(at path: Path) throws(Errno) {
    unsafe try self.init(path) { unsafe stat($0, $1) }
  }

  /// Reads the status of a link itself instead of its target.
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
  /// Whether the path is a pipe, a socket, a device or a directory, whose reader may wait without a
  /// limit.
  public var isNoFile: Bool { FileStatus(of: self).map { !$0.isRegularFile } ?? false }
}
