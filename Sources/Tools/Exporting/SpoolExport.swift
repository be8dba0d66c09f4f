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
  private let isNew: Bool

  /// Opens a file, or standard output for nil, which is closed at the end. `replaces`: whether the
  /// file may exist already.
  init(to file: [UInt8]?, replaces: Bool) throws(CommandFailure) {
    isNew = !replaces
    self.file = file.map { Path($0) }
    guard let path = self.file else {
      descriptor = Descriptor(owning: STDOUT_FILENO)
      return
    }
    do throws(Errno) {
      descriptor = try Self.opened(path, replaces: replaces)
    } catch Errno(code: EEXIST) {
      throw CommandFailure(
        code: .cannotCreate,
        text: "\(path) already exists; name another file, or replace it with --force")
    } catch {
      throw CommandFailure(code: .cannotCreate, text: "\(path) cannot be created: \(error)")
    }
  }

  private static func opened(_ path: Path, replaces: Bool) throws(Errno) -> Descriptor {
    guard replaces else { return try Descriptor(opening: path, mode: .writeNewPrivate) }
    let descriptor = try Descriptor(opening: path, mode: .writePrivate)
    // An existing file may be readable by other users.
    try descriptor.makePrivate()
    return descriptor
  }

  mutating func makeRoom() throws(CommandFailure) {
    if buffer.freeCapacity < ExportFormat.entryByteCountMax { try flush() }
  }

  /// Writes the rest, and waits until a new file is on the disk.
  mutating func finish() throws(CommandFailure) {
    try flush()
    guard file != nil, isNew else { return }
    do throws(Errno) { try descriptor.synchronize() } catch { throw failure(error) }
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
      if isNew {
        try? removeFile(at: file)
        text = "\(text); the incomplete file was removed"
      }
    }
    return CommandFailure(code: .inputOutput, text: text)
  }
}
