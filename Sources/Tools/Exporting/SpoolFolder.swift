import Board
import Bytes
import LinuxIO
import Outbox

/// The directory of a spool for a command that only reads it: nothing there is written, renamed or
/// locked, so that an agent may be at work in it.
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

  /// - Parameters:
  ///   - path: the directory.
  ///   - isOptional: whether it is made only when something has to be kept.
  /// - Throws: why it cannot be read.
  init(_ path: Path, isOptional: Bool) throws(CommandFailure) {
    // A person who names the folder above it means the spool in it.
    let inner = path / StateDirectory.spoolName
    let isAbove = !isOptional && (try? DirectoryReader(opening: inner)) != nil
    let path = isAbove ? inner : path
    self.path = path
    do throws(Errno) {
      try DirectoryReader(opening: path).forEachName { (name) throws(Errno) in
        guard let file = SegmentFile(name: name) else { return }
        // What cannot be looked at is read later, and then the reason is known.
        archive.fileFound(file, byteCount: (try? byteCount(ofFileAt: path / [UInt8](name))) ?? 0)
      }
    } catch {
      guard isOptional, error == .noSuchFile else {
        throw CommandFailure(unreadable: path, error)
      }
    }
    // "Nothing waits" of another folder would make a person wipe the card.
    let isCalledSpool = [UInt8](path.bytes.suffix(5)) == [UInt8](StateDirectory.spoolName)
    guard isOptional || isCalledSpool || !archive.segments.isEmpty else {
      throw CommandFailure(
        code: .noInput,
        text: "\(path) is not a spool: it contains no .spool file; name the folder that holds them,"
          + " such as \(Configuration.defaultStateDirectory)/\(StateDirectory.spoolName)")
    }
  }

  /// The next entry; nil at the end.
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

  /// One that was opened stays what it was, whatever takes its name.
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
  /// How a command ends that got so far: with the first file that could not be read.
  var exitCode: ExitCode {
    for segment in segments {
      guard case .unreadable(let failure) = segment.condition else { continue }
      return Errno(code: failure.code) == .notPermitted ? .noPermission : .noInput
    }
    return .success
  }
}
