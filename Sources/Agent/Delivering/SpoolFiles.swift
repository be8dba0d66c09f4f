import Bytes
import LinuxIO
import Outbox

/// The files of a spool: does what the spool wants of the disk, and tells it.
///
/// The directory is made with the first file, so that nothing at all is written where Home
/// Assistant takes everything.
final class SpoolFiles {
  private let parent: Path
  private let directory: Path
  /// What was appended and is not known to be on the disk. The kernel tells a failure to the
  /// descriptor that was written to.
  private var unsynchronized: Descriptor?

  /// - Parameter parent: the directory that the spool's own one is in.
  init(in parent: Path) {
    self.parent = parent
    directory = parent / SpoolFolder.name
  }

  func perform(_ action: Spool.Action, for spool: inout Spool, now: Instant) {
    do throws(Errno) {
      try perform(action, for: &spool)
      spool.performed(now: now)
    } catch {
      unsynchronized = nil
      spool.failed(DiskFailure(code: error.code), now: now)
    }
  }

  private func perform(_ action: Spool.Action, for spool: inout Spool) throws(Errno) {
    switch action {
    case .list: try list(for: &spool)
    case .read(let file, let offset, let byteCountMax):
      let descriptor = try Descriptor(opening: path(of: file), mode: .read)
      try spool.fill { (free) throws(Errno) in
        try descriptor.read(into: &free, byteCountMax: byteCountMax, from: offset)
      }
    case .create(let file): try create(file)
    case .append(let file):
      let descriptor = try Descriptor(opening: path(of: file), mode: .append)
      try descriptor.writeAll(spool.outgoing.bytes)
      unsynchronized = consume descriptor
    case .synchronize(let file): try synchronize(file)
    case .synchronizeDirectory: try synchronizeDirectory(at: directory)
    case .truncate(let file, let byteCount):
      try Descriptor(opening: path(of: file), mode: .append).truncate(to: byteCount)
    case .delete(let file): try removeFile(at: path(of: file))
    case .replace(let old, let new):
      try renameFile(at: path(of: old), to: path(of: new))
      try synchronizeDirectory(at: directory)
    case .setAside(let old, let new): try setAside(old, as: new)
    }
  }

  private func path(of file: SegmentFile) -> Path { directory / file.name }

  private func list(for spool: inout Spool) throws(Errno) {
    let names: DirectoryReader
    do throws(Errno) { names = try DirectoryReader(opening: directory) } catch .noSuchFile {
      return
    }
    try names.forEachName { (name) throws(Errno) in
      // A link of somebody's that leads nowhere is no file.
      do throws(Errno) {
        let byteCount = try byteCount(ofFileAt: directory / [UInt8](name))
        spool.fileFound(name: name, byteCount: byteCount)
      } catch .noSuchFile {
      } catch {
        // Its numbers are taken, and it may be read when its turn comes; the others can be.
        spool.fileFound(name: name, byteCount: Spool.unknownByteCount)
      }
    }
  }

  private func create(_ file: SegmentFile) throws(Errno) {
    do throws(Errno) {
      _ = try Descriptor(opening: path(of: file), mode: .writeNewPrivate)
    } catch .noSuchFile {
      try makePrivateDirectory(at: directory)
      try synchronizeDirectory(at: parent)
      _ = try Descriptor(opening: path(of: file), mode: .writeNewPrivate)
    }
  }

  private func synchronize(_ file: SegmentFile) throws(Errno) {
    if let descriptor = unsynchronized.take() {
      try descriptor.synchronize()
    } else {
      try Descriptor(opening: path(of: file), mode: .append).synchronize()
    }
  }

  /// Nobody else uses the directory: what is not there now does not come between.
  private func setAside(_ old: SegmentFile, as new: SegmentFile) throws(Errno) {
    guard (try? Descriptor(opening: path(of: new), mode: .read)) == nil else { throw .fileExists }
    try renameFile(at: path(of: old), to: path(of: new))
  }
}
