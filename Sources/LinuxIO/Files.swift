public import Bytes
import CLinux

/// Reads the whole file at `path`, at most `byteCountMax` bytes. Throws `.isDirectory` for a
/// directory, `.isPipe` for anything that is not a file and may never end, and `.fileTooLarge`.
public func readFile(at path: Path, byteCountMax: Int) throws(Errno) -> [UInt8] {
  let file = try Descriptor(opening: path, mode: .read)
  var buffer = ByteBuffer(capacity: byteCountMax + 1)
  guard try file.readToEnd(into: &buffer) else { throw .fileTooLarge }
  return [UInt8](buffer.bytes)
}

/// Replaces the file `name` in `directory`, as `Directory.replace` does.
public func replaceFile(
  named name: StaticString, in directory: Path, with bytes: Span<UInt8>
) throws(Errno) {
  try Directory(opening: directory).replace(Path(name), with: bytes)
}

/// Removes a file; a missing file is not an error.
public func removeFile(at path: Path) throws(Errno) {
  do throws(Errno) { _ = try unsafe path.call { unsafe unlink($0) } } catch .noSuchFile {}
}

/// Creates a directory that only its owner can enter, and leaves an existing one unchanged. If root
/// creates it, it belongs to the owner of the parent directory.
public func makePrivateDirectory(at path: Path) throws(Errno) {
  try makeDirectory(at: path, permissions: 0o700)
}

/// Writes a new file that every user may read, and creates its directory if necessary. After a full
/// disk or a loss of power there is the whole file or none.
public func writeNewFile(at path: Path, _ bytes: Span<UInt8>) throws(Errno) {
  let parent = path.parent
  try makeDirectory(at: parent, permissions: 0o755)
  guard FileStatus(of: path) == nil else { throw .fileExists }
  try Directory(opening: parent).replace(path.name, with: bytes, isPublic: true)
}

private func makeDirectory(at path: Path, permissions: mode_t) throws(Errno) {
  do throws(Errno) { _ = try unsafe path.call { unsafe mkdir($0, permissions) } } catch .fileExists
  {
    return
  }
  // Also if the umask of the shell excludes others: the agent may run as another user.
  _ = try unsafe path.call { unsafe chmod($0, permissions) }
  do throws(Errno) { try Directory(opening: path.parent).adopt(path.name) } catch .notPermitted {
    // If the directory may be entered but not read, the kernel decides when its names are written.
  }
}

/// Whether every user of this machine may read the file at `path`; false if that is unknown.
public func isReadableByAllUsers(_ path: Path) -> Bool {
  FileStatus(of: path).map { $0.mode & 0o004 != 0 } ?? false
}

/// Returns the length of the file at `path`, which need not be readable.
public func byteCount(ofFileAt path: Path) throws(Errno) -> Int {
  try FileStatus(at: path).byteCount
}

/// Renames a file and replaces an existing file of the new name.
public func renameFile(at old: Path, to new: Path) throws(Errno) {
  try renameFile(at: old, to: new, in: AT_FDCWD)
}

/// Renames a file by paths that begin in an open directory.
func renameFile(at old: Path, to new: Path, in directory: Int32) throws(Errno) {
  _ = try unsafe old.withCString { (old) throws(Errno) in
    try unsafe new.call { unsafe renameat(directory, old, directory, $0) }
  }
}

/// Size and free space of the file system that holds `path`.
public struct FileSystemSpace: Equatable, Sendable {
  public let totalBytes: UInt64
  /// Space taken by files.
  public let usedBytes: UInt64
  /// Space available to users other than root.
  public let availableBytes: UInt64
  /// Whether the file system is mounted read-only.
  public let isReadOnly: Bool
}

extension FileSystemSpace {
  /// Reads the space of the file system that contains this file or directory.
  public init(holding path: Path) throws(Errno) {
    var status = statvfs()
    _ = try unsafe path.call { unsafe statvfs($0, &status) }
    let blockByteCount = UInt64(status.f_frsize)
    self.init(
      totalBytes: UInt64(status.f_blocks) &* blockByteCount,
      usedBytes: UInt64(status.f_blocks &- status.f_bfree) &* blockByteCount,
      availableBytes: UInt64(status.f_bavail) &* blockByteCount,
      isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
  }
}

/// Returns the mount point of the file system that holds a file or a directory, or would hold it:
/// the existing part of the path is followed, including symbolic links.
public func mountPoint(holding path: Path) -> Path {
  var place = path
  while true {
    if let real = realPath(of: place) {
      place = real
      break
    }
    guard place.bytes != place.parent.bytes else { break }
    place = place.parent
  }
  while place.bytes != place.parent.bytes {
    if unsafe place.withCString({ unsafe clinux_is_mount_point($0) }) { break }
    place = place.parent
  }
  return place
}

/// Returns the path without symbolic links; nil if the file does not exist or cannot be examined.
private func realPath(of path: Path) -> Path? {
  let real = unsafe path.withCString { unsafe realpath($0, nil) }
  guard let real = unsafe real else { return nil }
  defer { unsafe free(real) }
  return unsafe Path([UInt8](UnsafeRawBufferPointer(start: real, count: strlen(real))))
}

/// Names in a directory, for repeated reading without allocating.
@safe public final class DirectoryReader {
  private let directory: OpaquePointer

  public init(opening path: Path) throws(Errno) {
    let opened = unsafe path.withCString { unsafe opendir($0) }
    guard let opened = unsafe opened else { throw .current }
    unsafe directory = opened
  }

  deinit { unsafe closedir(directory) }

  /// Calls `body` for every current name except `.` and `..`.
  public func forEachName<Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    unsafe rewinddir(directory)
    while let name = unsafe clinux_readdir(directory) {
      let bytes = unsafe UnsafeRawBufferPointer(start: name, count: strlen(name))
        .bindMemory(to: UInt8.self)
      let span = unsafe bytes.span
      if span.elementsEqual(".") || span.elementsEqual("..") { continue }
      try body(span)
    }
  }
}

/// Reads the present beginning of the file at `path`, as much as the buffer holds, without
/// allocating. It reopens the path, so it reads a file that replaced another. Throws like
/// `readFile`.
public func readBeginning(
  ofFileAt path: Path, into buffer: inout ByteBuffer
) throws(Errno) {
  buffer.removeAll()
  _ = try Descriptor(opening: path, mode: .read).readToEnd(into: &buffer)
}

/// Whether the file at `path` is served by another machine or by a program of this one (FUSE):
/// reading it may block at any moment, without a limit.
public func isRemote(fileAt path: Path) -> Bool {
  unsafe path.withCString { unsafe clinux_is_remote($0) }
}

/// Returns the target of a symbolic link as written in it; nil if the path is not a link.
public func target(ofLinkAt path: Path) throws(Errno) -> Path? {
  var buffer = ByteBuffer(capacity: Int(PATH_MAX))
  do throws(Errno) {
    try buffer.fill { (free) throws(Errno) in
      unsafe try free.withUnsafeMutableBytes { (bytes) throws(Errno) in
        guard let start = bytes.baseAddress else { preconditionFailure("the buffer has room") }
        return try unsafe path.call {
          unsafe readlink($0, start.assumingMemoryBound(to: CChar.self), bytes.count)
        }
      }
    }
  } catch .invalidArgument { return nil }
  return Path([UInt8](buffer.bytes))
}
