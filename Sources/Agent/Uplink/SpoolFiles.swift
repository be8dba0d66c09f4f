import Board
import Bytes
import LinuxIO
import Outbox

/// The files of a spool: performs the disk actions of the spool and reports the results.
///
/// The directory is created with the first file, so that nothing is written if Home Assistant
/// accepts everything.
final class SpoolFiles {
  private static let name = Path(StateDirectory.spoolName)

  private let parent: Path
  /// For read access only.
  private let directory: Path
  /// File that was last appended to and is not yet synchronised. The kernel reports a write error
  /// only on the descriptor that was written to.
  private var unsynchronized: Descriptor?

  /// - Parameter parent: directory that contains the spool's directory.
  init(in parent: Path) {
    self.parent = parent
    directory = parent / StateDirectory.spoolName
  }

  func perform(_ action: Spool.Action, for spool: Spool, now: Instant) {
    do throws(Errno) {
      try perform(action, for: spool)
      spool.performed(now: now)
    } catch {
      unsynchronized = nil
      spool.failed(DiskFailure(code: error.code), now: now)
    }
  }

  private func perform(_ action: Spool.Action, for spool: Spool) throws(Errno) {
    switch action {
    case .list: try list(for: spool)
    case .read(let file, let offset, let byteCountMax):
      let descriptor = try opened(file, .read)
      try spool.fill { (free) throws(Errno) in
        try descriptor.read(into: &free, byteCountMax: byteCountMax, from: offset)
      }
    case .create(let file): try create(file)
    case .append(let file):
      let descriptor = try opened(file, .append)
      try spool.withOutgoing { (bytes) throws(Errno) in try descriptor.writeAll(bytes) }
      unsynchronized = consume descriptor
    case .synchronize(let file): try synchronize(file)
    case .synchronizeDirectory: try folder().synchronize()
    case .truncate(let file, let byteCount):
      try opened(file, .append).truncate(to: byteCount)
    case .delete(let file):
      // Without a directory the file does not exist.
      do throws(Errno) { try folder().remove(Path(file.name)) } catch .noSuchFile {}
    case .setAside(let old, let new): try setAside(old, as: new)
    }
  }

  /// Returns the directory of the spool, which must not be a link.
  private func folder() throws(Errno) -> Directory {
    try Directory(opening: parent).directory(Self.name)
  }

  private func opened(_ file: SegmentFile, _ mode: OpenMode) throws(Errno) -> Descriptor {
    try folder().open(Path(file.name), mode: mode)
  }

  private func list(for spool: Spool) throws(Errno) {
    let names: DirectoryReader
    do throws(Errno) { names = try DirectoryReader(opening: directory) } catch .noSuchFile {
      return
    }
    try names.forEachName { (name) throws(Errno) in
      // A user's broken link is not a file.
      do throws(Errno) {
        let byteCount = try byteCount(ofFileAt: directory / [UInt8](name))
        spool.fileFound(name: name, byteCount: byteCount)
      } catch .noSuchFile {
      } catch {
        // Its numbers are in use, and it may be readable later; the other files are readable.
        spool.fileFound(name: name, byteCount: Spool.unknownByteCount)
      }
    }
  }

  private func create(_ file: SegmentFile) throws(Errno) {
    do throws(Errno) {
      _ = try opened(file, .writeNewPrivate)
    } catch .noSuchFile {
      try Directory(opening: parent).makePrivateDirectory(Self.name)
      _ = try opened(file, .writeNewPrivate)
    }
  }

  private func synchronize(_ file: SegmentFile) throws(Errno) {
    // Nothing happens between appending to a file and its synchronisation.
    if let descriptor = unsynchronized.take() {
      try descriptor.synchronize()
    } else {
      try opened(file, .append).synchronize()
    }
  }

  /// Renames a file. Only the agent changes the directory: a name that is free now remains free.
  private func setAside(_ old: SegmentFile, as new: SegmentFile) throws(Errno) {
    guard (try? opened(new, .read)) == nil else { throw .fileExists }
    let folder = try folder()
    // A file that is gone needs no other name.
    do throws(Errno) { try folder.rename(Path(old.name), to: Path(new.name)) } catch .noSuchFile {
      return
    }
    try folder.synchronize()
  }
}
