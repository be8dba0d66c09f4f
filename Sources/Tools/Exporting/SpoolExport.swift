import Board
import Bytes
import CLinux
import LinuxIO
import Outbox

/// `homeward spool export`: the content of a spool as a file for other programs.
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
    switch format {
    case .gpx where count.fixes == 0:
      return "No fix is waiting\(rest)."
    case .gpx: return "\(fixes)\(rest)."
    case .csv: return "\(count.readings, "reading") and \(fixes)\(rest)."
    }
  }

  private func json(_ count: Count) -> [UInt8] {
    let file = file ?? []
    // JSON takes at most six bytes for one.
    var line = ByteBuffer(capacity: 256 + 6 * file.count)
    line.openJSONObject()
    line.appendMember("format", format.name)
    line.appendMember("file", file.span)
    if case .csv = format { line.appendMember("readings", count.readings) }
    line.appendMember("fixes", count.fixes)
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
    return [UInt8](line.bytes)
  }
}
