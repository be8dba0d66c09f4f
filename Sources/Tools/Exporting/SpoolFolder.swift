import Board
import Bytes
import LinuxIO
import Outbox

/// Directory of a spool for a command that only reads it: nothing there is written, renamed or
/// locked, so that an agent may use it.
struct SpoolFolder: ~Copyable {
  private final class OpenFile {
    let file: SegmentFile
    let descriptor: Descriptor

    init(_ file: SegmentFile, in folder: Path) throws(Errno) {
      descriptor = try Descriptor(opening: folder / file.name, mode: .read)
      self.file = file
    }
  }

  let path: Path
  private(set) var archive = SpoolArchive()
  private var openFile: OpenFile?

  /// Lists the files. `isOptional`: whether the directory may be missing, as before the first
  /// stored entry.
  init(_ path: Path, isOptional: Bool) throws(CommandFailure) {
    // A person who names the folder above it means the spool in it.
    let inner = path / StateDirectory.spoolName
    let isAbove = !isOptional && (try? DirectoryReader(opening: inner)) != nil
    let path = isAbove ? inner : path
    self.path = path
    do throws(Errno) {
      try DirectoryReader(opening: path).forEachName { (name) throws(Errno) in
        guard let file = SegmentFile(name: name) else { return }
        // A file without a size is read later, and then the reason is known.
        archive.fileFound(file, byteCount: (try? byteCount(ofFileAt: path / [UInt8](name))) ?? 0)
      }
    } catch {
      guard isOptional, error == .noSuchFile else {
        throw CommandFailure(unreadable: path, error)
      }
    }
    // "Nothing waits" about another folder would make a person wipe the card.
    let isCalledSpool = [UInt8](path.bytes.suffix(5)) == [UInt8](StateDirectory.spoolName)
    guard isOptional || isCalledSpool || !archive.segments.isEmpty else {
      throw CommandFailure(
        code: .noInput,
        text: "\(path) is not a spool: it contains no .spool file; name the folder that holds them,"
          + " such as \(Configuration.defaultStateDirectory)/\(StateDirectory.spoolName)")
    }
  }

  mutating func next() -> (entry: SpoolEntry, isAcknowledged: Bool)? {
    while let step = archive.next() {
      switch step {
      case .entry(let entry, let isAcknowledged): return (entry, isAcknowledged)
      case .read(let file, let offset, let byteCountMax):
        read(file, at: offset, byteCountMax: byteCountMax)
      }
    }
    return nil
  }

  private mutating func read(_ file: SegmentFile, at offset: Int, byteCountMax: Int) {
    do throws(Errno) {
      let opened = try opened(file)
      try archive.fill { (free) throws(Errno) in
        try opened.descriptor.read(into: &free, byteCountMax: byteCountMax, from: offset)
      }
    } catch .noSuchFile {
      archive.fileVanished()
    } catch {
      archive.failed(DiskFailure(code: error.code))
    }
  }

  /// Opens a file once: an open file stays the same, whatever takes its name.
  private mutating func opened(_ file: SegmentFile) throws(Errno) -> OpenFile {
    if let openFile, openFile.file == file { return openFile }
    let openFile = try OpenFile(file, in: path)
    self.openFile = openFile
    return openFile
  }
}

extension CommandFailure {
  fileprivate init(unreadable directory: Path, _ error: Errno) {
    switch error {
    case .notPermitted, .operationNotPermitted:
      self.init(
        code: .noPermission,
        text: "\(directory) cannot be read: \(error); run: \(Arguments.commandWithSudo)")
    case .noSuchFile:
      self.init(
        code: .noInput,
        text: "\(directory) does not exist")
    default:
      self.init(
        code: .noInput,
        text: "\(directory) cannot be read: \(error); name a directory with --directory")
    }
  }
}

extension SpoolArchive {
  /// Exit code of a command that has read all it could: that of the first unreadable file.
  var exitCode: ExitCode {
    for segment in segments {
      guard case .unreadable(let failure) = segment.condition else { continue }
      return Errno(code: failure.code) == .notPermitted ? .noPermission : .noInput
    }
    return .success
  }
}
