public import Bytes
import CLinux

/// Reads the beginning of the file at `path` as it is now, as much as the buffer holds, and
/// allocates nothing. A file that was put in the place of another one is the new one.
///
/// - Throws: the kernel's error; `.isDirectory` for a directory, and `.isPipe` for what is no file
///   and may never end.
public func readBeginning(
  ofFileAt path: Path, into buffer: inout ByteBuffer
) throws(Errno) {
  buffer.removeAll()
  let file = try Descriptor(opening: path, mode: .read)
  while buffer.freeCapacity > 0 {
    guard case .bytes = try file.read(into: &buffer) else { return }
  }
}

/// Whether another machine answers for the file at `path`, or a program of this one (FUSE): reading
/// it may hang at any moment, and for ever.
public func isRemote(fileAt path: Path) -> Bool {
  unsafe path.withCString { unsafe clinux_is_remote($0) }
}

/// Where a symbolic link points to, as it is written in it; nil for what is no link.
public func target(ofLinkAt path: Path) throws(Errno) -> Path? {
  var buffer = ByteBuffer(capacity: Int(PATH_MAX))
  do throws(Errno) {
    try buffer.fill { (free) throws(Errno) in
      unsafe try free.withUnsafeMutableBytes { (bytes) throws(Errno) in
        guard let start = bytes.baseAddress else { preconditionFailure("the buffer has room") }
        return try unsafe path.withCString { (path) throws(Errno) in
          try retryingInterrupts {
            unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
          }
        }
      }
    }
  } catch .invalidArgument { return nil }
  return Path([UInt8](buffer.bytes))
}
