import Board
import Bytes
import CLinux
import LinuxIO
import Outbox

struct SpoolExport {
  var format: ExportFormat
  /// Nil for standard output.
  let file: [UInt8]?
  let replaces: Bool
  /// Whether entries that Home Assistant has are written, too.
  let includesAcknowledged: Bool
  let isJSON: Bool

  private struct Count {
    var readings = 0
    var fixes = 0
  }

  consuming func run(_ folder: consuming SpoolFolder) throws(CommandFailure) -> ExitCode {
    var output = try ExportOutput(to: file, replaces: replaces)
    var count = Count()
    format.appendStart(to: &output.buffer)
    while let (entry, isAcknowledged) = folder.next() {
      guard includesAcknowledged || !isAcknowledged else { continue }
      switch entry.content {
      case .reading: count.readings += 1
      case .fix: count.fixes += 1
      }
      try output.makeRoom()
      format.append(
        entry, of: folder.archive.uniqueID(of: entry), on: folder.archive.device,
        to: &output.buffer)
    }
    try output.makeRoom()
    format.appendEnd(to: &output.buffer)
    try output.finish()
    tell(count, folder.archive)
    return folder.archive.exitCode
  }

  private func tell(_ count: Count, _ archive: borrowing SpoolArchive) {
    let log = Log()
    for segment in archive.segments {
      let flaws = segment.flaws
      if !flaws.isEmpty { log.warning("\(bytes: segment.file.name): \(flaws.joined)") }
    }
    if isJSON {
      writeToTerminal(json(count), STDOUT_FILENO)
    } else {
      log.notice(words(count))
    }
  }

  private func words(_ count: Count) -> MessageText {
    let rest: MessageText =
      includesAcknowledged ? "" : "; --all also exports data that Home Assistant has"
    let fixes: MessageText = count.fixes == 1 ? "1 fix" : "\(count.fixes) fixes"
    guard format.isTrack else { return "\(count.readings, "reading") and \(fixes)\(rest)." }
    return count.fixes == 0 ? "No fix is waiting\(rest)." : "\(fixes)\(rest)."
  }

  private func json(_ count: Count) -> [UInt8] {
    let file = file ?? []
    return jsonLine { line in
      line.appendMember("format", (format.isTrack ? "gpx" : "csv") as StaticString)
      line.appendMember("file", file.span)
      if !format.isTrack { line.appendMember("readings", count.readings) }
      line.appendMember("fixes", count.fixes)
    }
  }
}

/// Destination of an export, with the memory of one buffer. A track shows where a person lives:
/// only its owner may read the file. A reader that closes its pipe ends the program, as usual
/// (SIGPIPE).
struct ExportOutput: ~Copyable {
  private static let bufferByteCount = 64 * 1024

  var buffer = ByteBuffer(capacity: bufferByteCount)
  private let descriptor: Descriptor
  /// Nil for standard output.
  private let file: Path?
  /// New file, which gets the name of `file` at the end; nil for standard output, and for a device,
  /// a pipe or a link, which are written in place.
  private let new: Path?

  /// Opens a file, or standard output for nil, which is closed at the end. `replaces`: whether the
  /// file may exist already; it stays until the new one is complete.
  init(to file: [UInt8]?, replaces: Bool) throws(CommandFailure) {
    let file = file.map { Path($0) }
    self.file = file
    guard let file else {
      new = nil
      descriptor = Descriptor(owning: STDOUT_FILENO)
      return
    }
    let isInPlace = replaces && (file.isNoFile || (try? target(ofLinkAt: file)) != nil)
    let new = replaces ? Path(file.bytes + [UInt8](".unfinished")) : file
    self.new = isInPlace ? nil : new
    do throws(Errno) {
      descriptor = try isInPlace ? Self.emptied(file) : Self.created(new, replaces: replaces)
    } catch .fileExists {
      throw CommandFailure(
        code: .cannotCreate,
        text: "\(file) already exists; name another file, or replace it with --force")
    } catch {
      throw CommandFailure(code: .cannotCreate, text: "\(file) cannot be created: \(error)")
    }
  }

  private static func created(_ path: Path, replaces: Bool) throws(Errno) -> Descriptor {
    if replaces { try removeFile(at: path) }
    return try Descriptor(opening: path, mode: .writeNewPrivate)
  }

  private static func emptied(_ path: Path) throws(Errno) -> Descriptor {
    let descriptor = try Descriptor(opening: path, mode: .writePrivate)
    // The file behind a link may be readable by other users.
    try descriptor.makePrivate()
    return descriptor
  }

  mutating func makeRoom() throws(CommandFailure) {
    if buffer.freeCapacity < ExportFormat.entryByteCountMax { try flush() }
  }

  /// Writes the rest, and waits until the file is on the disk under its name.
  mutating func finish() throws(CommandFailure) {
    try flush()
    guard let file else { return }
    do throws(Errno) {
      guard let new else { return try descriptor.synchronize() }
      let directory = try Directory(opening: file.parent)
      guard new == file else {
        return try directory.putInPlace(descriptor, named: new.name, as: file.name)
      }
      try descriptor.synchronize()
      try directory.synchronize()
    } catch .invalidArgument {
      // A device or a pipe has nothing to wait for.
    } catch { throw failure(error) }
  }

  private mutating func flush() throws(CommandFailure) {
    let bytes = [UInt8](buffer.bytes).shown(on: descriptor.number)
    do throws(Errno) { try descriptor.writeAll(bytes.span) } catch { throw failure(error) }
    buffer.removeAll()
  }

  private func failure(_ error: Errno) -> CommandFailure {
    var text: MessageText = "standard output cannot be written: \(error)"
    if let file {
      text = "\(file) cannot be written completely: \(error)"
      if let new {
        try? removeFile(at: new)
        text = "\(text); the incomplete file was removed"
      }
    }
    return CommandFailure(code: .inputOutput, text: text)
  }
}
