public import Bytes
import CLinux

/// Reads the present beginning of the file at `path`, as much as the buffer holds, without
/// allocating. It reopens the path, so it reads a file that replaced another.
///
/// - Throws: the kernel's error; `.isDirectory` for a directory, and `.isPipe` for anything that is
///   not a file and may never end.
public func readBeginning(
  ofFileAt path: Path, into buffer: inout ByteBuffer
) throws(Errno) {
  buffer.removeAll()
  let file = try Descriptor(opening: path, mode: .read)
  while buffer.freeCapacity > 0 {
    guard case .bytes = try file.read(into: &buffer) else { return }
  }
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
