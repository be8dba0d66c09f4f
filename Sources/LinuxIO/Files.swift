import Bytes
import CLinux

/// Reads the whole file at `path`, which may be as large as `byteCountMax`.
///
/// - Throws: the kernel's error; `.isDirectory` for a directory, `.isPipe` for what is no file and
///   may never end, and `.fileTooLarge` for a file that is larger.
public func readFile(at path: Path, byteCountMax: Int) throws(Errno) -> [UInt8] {
  let file = try Descriptor(opening: path, mode: .read)
  var buffer = ByteBuffer(capacity: byteCountMax + 1)
  while buffer.freeCapacity > 0 {
    guard case .bytes = try file.read(into: &buffer) else {
      return [UInt8](buffer.bytes)
    }
  }
  throw .fileTooLarge
}

/// Replaces the file `name` in `directory`, as `Directory.replace` does.
public func replaceFile(
  named name: StaticString, in directory: Path, with bytes: Span<UInt8>
) throws(Errno) {
  try Directory(opening: directory).replace(name, with: bytes)
}

/// Removes a file; one that is not there is no error.
public func removeFile(at path: Path) throws(Errno) {
  do throws(Errno) {
    _ = try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe unlink(path) }
    }
  } catch .noSuchFile {}
}

/// Makes a directory that only its owner can enter; one that is there is left as it is. What root
/// makes belongs to the owner of the directory that it is in.
public func makePrivateDirectory(at path: Path) throws(Errno) {
  try makeDirectory(at: path, permissions: 0o700)
}

/// Writes a file that every user may read and that is not there yet, with the directory it is in.
public func writeNewFile(at path: Path, _ bytes: Span<UInt8>) throws(Errno) {
  let parent = path.parent
  try makeDirectory(at: parent, permissions: 0o755)
  let file = try Descriptor(opening: path, mode: .writeNew)
  // Also where the mask of the person's shell keeps others out: the agent may run as another user.
  _ = try retryingInterrupts { fchmod(file.number, OpenMode.writeNew.permissions) }
  try file.writeAll(bytes)
  try file.synchronize()
  try synchronizeDirectory(at: parent)
}

private func makeDirectory(at path: Path, permissions: mode_t) throws(Errno) {
  do throws(Errno) {
    _ = try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe mkdir(path, permissions) }
    }
  } catch .fileExists { return }
  do throws(Errno) { try Directory(opening: path.parent).adopt(path.name) } catch .notPermitted {
    // It may be entered and not read: then the kernel chooses when its names are on the disk.
  }
}

/// Whether every user of this machine may read the file at `path`; false where that is not known.
public func isReadableByAllUsers(_ path: Path) -> Bool {
  let readableByOthers: mode_t = 0o004
  var status = stat()
  let result = unsafe path.withCString { unsafe stat($0, &status) }
  return result == 0 && status.st_mode & readableByOthers != 0
}

/// How long the file at `path` is, which need not be readable for that.
public func byteCount(ofFileAt path: Path) throws(Errno) -> Int {
  var status = stat()
  _ = try unsafe path.withCString { (path) throws(Errno) in
    try retryingInterrupts { unsafe stat(path, &status) }
  }
  return Int(clamping: status.st_size)
}

/// Waits until the names in a directory are on the disk.
public func synchronizeDirectory(at path: Path) throws(Errno) {
  try Descriptor(opening: path, mode: .directory).synchronize()
}

/// Gives a file another name, in the place of a file that has it.
public func renameFile(at old: Path, to new: Path) throws(Errno) {
  _ = try unsafe old.withCString { (old) throws(Errno) in
    try unsafe new.withCString { (new) throws(Errno) in
      try retryingInterrupts { unsafe renameat(AT_FDCWD, old, AT_FDCWD, new) }
    }
  }
}

/// The size and the free part of the file system that holds `path`.
public struct FileSystemSpace: Equatable, Sendable {
  public let totalBytes: UInt64
  /// Taken by files.
  public let usedBytes: UInt64
  /// Free for every user but root.
  public let availableBytes: UInt64
  /// Whether nothing can be written there, by root either.
  public let isReadOnly: Bool
}

extension FileSystemSpace {
  /// Asks for that of the file system with this file or directory in it.
  public init(holding path: Path) throws(Errno) {
    var status = statvfs()
    _ = try unsafe path.withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe statvfs(path, &status) }
    }
    let blockByteCount = UInt64(status.f_frsize)
    self.init(
      totalBytes: UInt64(status.f_blocks) &* blockByteCount,
      usedBytes: UInt64(status.f_blocks &- status.f_bfree) &* blockByteCount,
      availableBytes: UInt64(status.f_bavail) &* blockByteCount,
      isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
  }
}

/// Where the file system is mounted that holds a file or a directory, or would hold it: what is
/// there of the path is followed, also where it is a symbolic link.
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

/// The path without symbolic links; nil where there is no such file, or it cannot be looked at.
private func realPath(of path: Path) -> Path? {
  let real = unsafe path.withCString { unsafe realpath($0, nil) }
  guard let real = unsafe real else { return nil }
  defer { unsafe free(real) }
  return unsafe Path([UInt8](UnsafeRawBufferPointer(start: real, count: strlen(real))))
}

/// The names in a directory, read again and again without allocating.
@safe public final class DirectoryReader {
  private let directory: OpaquePointer

  public init(opening path: Path) throws(Errno) {
    let opened = unsafe path.withCString { unsafe opendir($0) }
    guard let opened = unsafe opened else { throw .current }
    unsafe directory = opened
  }

  deinit { unsafe closedir(directory) }

  /// Tells `body` every name but `.` and `..`, as the directory is now.
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
